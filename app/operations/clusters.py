"""Clusters (decisions, section 5)."""

from collections.abc import Mapping
from typing import Any

from app.fields.queries import LongPage
from app.operations.context import Context
from app.operations.operation import Answer, Effect, operation
from app.records.clusters import ClusterRecord, cluster_record
from app.vocabulary import Scope


@operation(scope=Scope.READ, effect=Effect.READS, query=LongPage, gives=ClusterRecord, many=True)
def list_clusters(ctx: Context, fields: Mapping[str, Any]) -> Answer:
    """List the project's clusters by name."""
    found = ctx.store.clusters.list(ctx.project_id, limit=fields["limit"], offset=fields["offset"])
    return Answer([cluster_record(cluster, ctx.caller.team_id) for cluster in found])
