"""Routes of briefs."""

from app.operations import briefs
from app.rest.blueprint import Routes

routes = Routes("briefs", __name__, "What is to be written: offered to agents, claimed by exactly one, withdrawn.")

routes.serve("GET", "/briefs", briefs.list_briefs)
routes.serve("POST", "/briefs/claim", briefs.claim_next_brief)
routes.serve("GET", "/documents/<id>/brief", briefs.get_brief)
routes.serve("PUT", "/documents/<id>/brief", briefs.replace_brief)
routes.serve("PATCH", "/documents/<id>/brief", briefs.update_brief)
routes.serve("POST", "/documents/<id>/brief/ready", briefs.mark_brief_ready)
routes.serve("POST", "/documents/<id>/brief/claim", briefs.claim_brief)
routes.serve("POST", "/documents/<id>/brief/renew", briefs.renew_claim)
routes.serve("POST", "/documents/<id>/brief/withdraw", briefs.withdraw_brief)
routes.serve("POST", "/documents/<id>/brief/release", briefs.release_brief)
