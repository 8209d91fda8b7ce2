"""The work packet: all that a writer needs in one response (decisions, section 12)."""

from collections.abc import Mapping
from typing import Any, cast

from app.actions.operations import actions_on, attempt_on
from app.categories.store import Categories, Clusters
from app.core.actors import wire_note
from app.core.context import Context
from app.core.operation import Effect, Result, operation
from app.core.records import record_of
from app.core.schemas.loading import Fields
from app.core.vocabulary import Scope
from app.documents.operations import own_document
from app.documents.record import StoredDocument, brief_of
from app.documents.responses import brief_record
from app.documents.store import Documents
from app.packets.responses import (
    Packet,
    PacketCategory,
    PacketCluster,
    PacketDocument,
    PacketNeighbour,
    packet_link,
)
from app.packets.rules import shortened

NEIGHBOURS = 20


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/packet",
    toolsets=("writing",),
    next="Answer `threads` with `reply_to_thread`. Link to a document by its `url`, or its `slug` alone.",
    button="Brief",
)
def get_work_packet(ctx: Context, document_id: str) -> Result[Packet]:
    """Read all that a document's writer needs: brief, house style, sources, review, threads, outline, checks.

    `truncated` names what was shortened.
    """
    return Result(packet_of(ctx, own_document(ctx, document_id)))


def packet_of(ctx: Context, document: StoredDocument) -> Packet:
    """Returns the work packet of a document; features add their parts, given the `Attempt` and the linked documents."""
    attempt = attempt_on(ctx, document)
    links = ctx.store[Documents].get_links(ctx.project_id, brief_of(document).get("internalLinks") or ())
    packet = {
        "document": record_of(PacketDocument, document),
        "brief": None if document.get("brief") is None else brief_record(ctx, document),
        "guidelines": str(attempt.project.get("guidelines") or ""),
        "category": _category(ctx, document),
        "cluster": _cluster(ctx, document),
        "links": [packet_link(link, attempt.project.get("siteUrl")) for link in links],
        "review": wire_note(document.get("review")),
        **ctx.features.presented(ctx, "get_work_packet", {"attempt": attempt, "links": links}, {}),
        "actions": [one.name for one, refused in actions_on(attempt) if refused is None],
    }
    return cast(Packet, shortened(packet))


def packet_on_request(ctx: Context, document: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    """Returns the packet of a claimed document if it was requested."""
    return {"packet": packet_of(ctx, cast(StoredDocument, document))} if fields.get("packet") else {}


def _category(ctx: Context, document: StoredDocument) -> PacketCategory | None:
    category_id = document.get("categoryId")
    path = ctx.store[Categories].get_path(ctx.project_id, category_id) if category_id else []
    if not path:
        return None
    return record_of(PacketCategory, path[-1], path=[one["name"] for one in path])


def _cluster(ctx: Context, document: StoredDocument) -> PacketCluster | None:
    cluster_id = document.get("clusterId")
    cluster = ctx.store[Clusters].get(ctx.project_id, cluster_id) if cluster_id else None
    if cluster is None:
        return None
    others = ctx.store[Documents].list(
        ctx.project_id, {"clusterId": [cluster["id"]]}, sort="-updatedAt", limit=NEIGHBOURS + 1, offset=0
    )
    documents = [record_of(PacketNeighbour, one) for one in others if one["id"] != document["id"]]
    return record_of(PacketCluster, cluster, documents=documents[:NEIGHBOURS])
