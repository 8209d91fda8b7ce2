"""Routes of documents, from idea to published, and of their history."""

from app.operations import actions, checks, documents, packets, plans, publishing, revisions, sections
from app.rest.blueprint import Routes
from app.schemas.plans import PlanQuery
from app.schemas.types import Schema

routes = Routes("documents", __name__, "Documents from idea to published.")

routes.serve("GET", "/documents", documents.list_documents)
routes.serve("GET", "/documents/<id>", documents.get_document)
routes.serve("GET", "/documents/<id>/actions", actions.list_document_actions)
routes.serve("PATCH", "/documents/<id>", documents.update_document)
routes.serve("DELETE", "/documents/<id>", documents.delete_document)
routes.serve("POST", "/plan", plans.plan_documents, rest_query=PlanQuery)
routes.serve("POST", "/documents/<id>/restore", documents.restore_document)
routes.serve("PUT", "/documents/<id>/content", revisions.write_content)
routes.serve("PATCH", "/documents/<id>/content", sections.edit_content)
routes.serve("GET", "/documents/<id>/outline", sections.get_outline)
routes.serve("GET", "/documents/<id>/sections/<number>", sections.read_section)
routes.serve("GET", "/documents/<id>/packet", packets.get_work_packet)
routes.serve("GET", "/documents/<id>/checks", checks.check_document, rest_query=Schema)
routes.serve("POST", "/documents/<id>/submit", publishing.submit_document)
routes.serve("POST", "/documents/<id>/approve", publishing.approve_document)
routes.serve("POST", "/documents/<id>/request-changes", publishing.request_changes)
routes.serve("POST", "/documents/<id>/schedule", publishing.schedule_document)
routes.serve("POST", "/documents/<id>/unschedule", publishing.unschedule_document)
routes.serve("POST", "/documents/<id>/publish", publishing.publish_document)
routes.serve("POST", "/documents/<id>/unpublish", publishing.unpublish_document)
routes.serve("GET", "/documents/<id>/revisions", revisions.list_revisions)
routes.serve("GET", "/documents/<id>/revisions/<version>", revisions.get_revision)
routes.serve("POST", "/documents/<id>/revisions/<version>/restore", revisions.restore_revision)
routes.serve("GET", "/documents/<id>/diff", revisions.diff_revisions)
