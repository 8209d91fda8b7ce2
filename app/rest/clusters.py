"""Routes of clusters."""

from app.operations import clusters
from app.rest.blueprint import Routes

routes = Routes("clusters", __name__)

routes.serve("GET", "/clusters", clusters.list_clusters)
