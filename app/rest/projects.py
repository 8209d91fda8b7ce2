"""Routes of the token's project."""

from app.operations import insights, projects
from app.rest.blueprint import Routes

routes = Routes("project", __name__, "The settings of the token's project.")

routes.serve("GET", "/project", projects.get_project)
routes.serve("GET", "/insights", insights.get_insights)
routes.serve("PATCH", "/project", projects.update_project)
routes.serve("PATCH", "/project/views", projects.save_views)
routes.serve("POST", "/project/freeze", projects.freeze_project)
routes.serve("POST", "/project/unfreeze", projects.unfreeze_project)
