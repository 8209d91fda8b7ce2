"""Clusters: listed, read, changed, deleted (decisions, section 5). They are made by confirming drafts."""

from app.categories.operations import filing_operation
from app.categories.responses import Cluster
from app.categories.rules import TAKEN, StoredCluster
from app.categories.schemas import ClusterChanges
from app.categories.store import Clusters
from app.core.context import Context
from app.core.errors import BadRequest, ClusterInUse, NotFound, or_raise
from app.core.operation import Effect, Result
from app.core.records import record_of, record_tag
from app.core.schemas.loading import Fields, changed_fields, check
from app.core.schemas.queries import LongPage
from app.core.vocabulary import Kind, Scope
from app.projects.store import Projects

NO_CLUSTER = ("The project has no cluster with this id", "clusterId", "list the clusters to find it")


@filing_operation(Scope.READ, Effect.READS, "GET /clusters", query=LongPage)
def list_clusters(ctx: Context, fields: Fields) -> Result[list[Cluster]]:
    """List the project's clusters by name."""
    found = ctx.store[Clusters].list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Result([record_of(Cluster, cluster, teamId=ctx.caller.team_id) for cluster in found])


@filing_operation(Scope.READ, Effect.READS, "GET /clusters/<id>")
def get_cluster(ctx: Context, cluster_id: str) -> Result[Cluster]:
    """Read a cluster."""
    return _result(ctx, _own_cluster(ctx, cluster_id))


@filing_operation(
    Scope.WRITE,
    Effect.CHANGES,
    "PATCH /clusters/<id>",
    body=ClusterChanges,
    errors=(BadRequest,),
    transaction=True,
    arguments_as="create_cluster_intent",
)
def update_cluster(ctx: Context, cluster_id: str, fields: Fields) -> Result[Cluster]:
    """Change a cluster; null clears a field, but not the name."""
    cluster = ctx.check_match(_own_cluster(ctx, cluster_id))
    changes = changed_fields(cluster, fields, clearable=("description", "keywords"))
    is_taken = ctx.store[Clusters].find_same(ctx.project_id, changes, exclude=cluster["id"])
    check(ClusterChanges, fields, *((TAKEN[Kind.CLUSTER],) if is_taken else ()))
    if not changes:
        return _result(ctx, cluster)
    return _result(ctx, ctx.store[Clusters].update(ctx.project_id, cluster, changes, ctx.event("cluster.updated")))


@filing_operation(
    Scope.PUBLISH,
    Effect.DESTROYS,
    "DELETE /clusters/<id>",
    errors=(ClusterInUse,),
    transaction=True,
    prepare=lambda ctx, record_id: ctx.store[Clusters].announce_deletion(ctx.project_id, record_id),
)
def delete_cluster(ctx: Context, cluster_id: str) -> Result[Cluster]:
    """Delete a cluster that no document uses; the trash counts as no use."""
    cluster = ctx.check_match(_own_cluster(ctx, cluster_id))
    if ctx.features.uses(ctx, "clusterId", cluster["id"]):
        raise ClusterInUse
    ctx.store[Clusters].delete(ctx.project_id, cluster, ctx.event("cluster.deleted"))
    ctx.store[Projects].count_down(ctx.project_id, "clusters")
    return _result(ctx, cluster)


def _own_cluster(ctx: Context, cluster_id: str) -> StoredCluster:
    return or_raise(ctx.store[Clusters].get(ctx.project_id, cluster_id), NotFound, *NO_CLUSTER)


def _result(ctx: Context, cluster: StoredCluster) -> Result[Cluster]:
    return Result(record_of(Cluster, cluster, teamId=ctx.caller.team_id), etag=record_tag(cluster))
