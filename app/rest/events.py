"""Routes of events, the feed with a long poll (decisions, section 14)."""

from app.operations import events
from app.rest.blueprint import Routes
from app.schemas.queries import WaitingEventQuery

routes = Routes("events", __name__, "Changes in the project, in order.")

routes.serve("GET", "/events", events.list_events, rest_query=WaitingEventQuery)
routes.serve("GET", "/documents/<id>/activity", events.get_document_activity)
