"""The route of the inbox."""

from app.operations import inbox
from app.rest.blueprint import Routes

routes = Routes("inbox", __name__, "What waits for whom.")

routes.serve("GET", "/inbox", inbox.get_inbox)
