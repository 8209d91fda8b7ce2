"""The disclosure of a document on the delivery API (decisions, section 18)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from app.core.context import Context
from app.core.features import Description
from app.delivery.queries import DeliveredDocument, DeliveryQuery
from app.documents.record import StoredDocument
from app.provenance.operations import origins_of
from app.provenance.reviews import StoredDisclosure, disclosure_of
from app.provenance.rules import is_from, writers_of
from app.provenance.store import AttributedRevisions


@dataclass(frozen=True)
class DeliveredDisclosure:
    """A disclosure of how a text came about."""

    value: str
    models: Sequence[str]
    reviewed_at: str | None
    responsible: str | None


def delivered_disclosure(query: DeliveryQuery, document: DeliveredDocument) -> DeliveredDisclosure | None:
    """Returns what is disclosed of a document; of a draft what would be, without the record of a review."""
    if document.is_published:
        return _as_delivered(document.row["disclosure"])
    found: DeliveredDisclosure | None = query.of_drafts(_read_disclosures).get(document.id)
    return found


def describe_disclosure(query: DeliveryQuery, document: DeliveredDocument) -> Description:
    """Returns the disclosure of a published document as JSON and front matter have it."""
    stored: StoredDisclosure = document.row["disclosure"]
    names = ("value", "models", "reviewedAt", "responsible")
    shown = {"disclosure": {name: cast(Mapping[str, Any], stored)[name] for name in names}}
    return Description(fields=shown, front_matter=shown)


def _as_delivered(stored: StoredDisclosure) -> DeliveredDisclosure:
    return DeliveredDisclosure(stored["value"], stored["models"], stored["reviewedAt"], stored["responsible"])


def _read_disclosures(ctx: Context, drafts: Sequence[StoredDocument]) -> Mapping[str, DeliveredDisclosure]:
    """Returns the disclosures of drafts: two reads where their origins are stored, however many there are."""
    contents = {one["id"]: content_id for one in drafts if (content_id := one.get("contentId"))}
    stored = origins_of(ctx, contents)
    by_agents = ctx.store[AttributedRevisions].by_agents(ctx.project_id, contents)
    disclosures = {}
    for draft in drafts:
        origins = stored.get(draft["id"], "")
        agents = [row for row in by_agents if row["documentId"] == draft["id"] and is_from(origins, row["version"])]
        models = {writer["model"] for row in agents for writer in writers_of(row) if writer["model"]}
        disclosures[draft["id"]] = _as_delivered(disclosure_of(len(agents), sorted(models), None))
    return disclosures
