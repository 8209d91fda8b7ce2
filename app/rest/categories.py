"""Routes of categories."""

from app.operations import categories
from app.rest.blueprint import Routes

routes = Routes("categories", __name__, "Categories of documents.")

routes.serve("GET", "/categories", categories.list_categories)
routes.serve("GET", "/categories/<id>", categories.get_category)
routes.serve("PATCH", "/categories/<id>", categories.update_category)
routes.serve("DELETE", "/categories/<id>", categories.delete_category)
