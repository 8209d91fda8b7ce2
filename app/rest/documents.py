"""Routes of documents."""

from app.operations import documents
from app.rest.blueprint import Routes

routes = Routes("documents", __name__)

routes.serve("GET", "/documents/<id>", documents.get_document)
