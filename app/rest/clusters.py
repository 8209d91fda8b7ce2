"""Routes of clusters."""

from app.operations import clusters
from app.rest.blueprint import Routes

routes = Routes("clusters", __name__, "Topics that documents cover together.")

routes.serve("GET", "/clusters", clusters.list_clusters)
routes.serve("GET", "/clusters/<id>", clusters.get_cluster)
routes.serve("PATCH", "/clusters/<id>", clusters.update_cluster)
routes.serve("DELETE", "/clusters/<id>", clusters.delete_cluster)
