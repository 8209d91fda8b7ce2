"""Routes of events."""

from app.operations import events
from app.rest.blueprint import Routes

routes = Routes("events", __name__)

routes.serve("GET", "/events", events.list_events)
routes.serve("GET", "/documents/<id>/activity", events.get_document_activity)
