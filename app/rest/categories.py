"""Routes of categories."""

from app.operations import categories
from app.rest.blueprint import Routes

routes = Routes("categories", __name__)

routes.serve("GET", "/categories", categories.list_categories)
