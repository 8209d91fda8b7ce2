"""Additions of sources to the records and operations of others (decisions, section 22)."""

from typing import Any

from app.core.calls import Call
from app.core.errors import HumanReviewRequired
from app.core.features import Extension, Feature, Gate
from app.core.store.indexes import Storage, index, types
from app.core.store.validators import COUNT, ID, TEXT, validator
from app.packets.responses import Packet
from app.projects.gates import Attempt
from app.provenance.reviews import HumanReview
from app.sources import extensions
from app.sources.responses import WithSourceList, WithSources
from app.sources.schemas import SourceOrigin
from app.sources.store import delete_sources


def refuse_unattested(lacks: bool, document: Any, call: Call) -> None:
    """Refuses with `HumanReviewRequired` to attest sources that nobody compared, or that don't support the text."""
    if lacks:
        raise HumanReviewRequired(
            "You attest the sources, and a cited one is not compared yet, or a reference or quotation is wrong: "
            "compare the sources and mend what the checks `sources_known` and `quotes_verbatim` list, or leave out "
            "`review.sources`.",
            missing=["sources"],
        )


def _lacks(attempt: Attempt) -> bool:
    review = (attempt.fields or {}).get("review") or {}
    return bool(review.get("sources")) and extensions.unattested(attempt.ctx, attempt.record, attempt.markdown)


COMPARED = Gate(("approve_document",), read=_lacks, refuse=refuse_unattested, errors=(HumanReviewRequired,))

FEATURE = Feature(
    "sources",
    responses={Packet: WithSources, HumanReview: WithSourceList},
    extensions=(Extension("get_work_packet", present=extensions.sources_of_packet),),
    texts={
        "checked": extensions.evidence_for_checks,
        "publication": extensions.sources_of_publication,
        "review": extensions.sources_of_review,
    },
    renders=extensions.footnotes,
    describe=extensions.describe_sources,
    purge=delete_sources,
    instructed=(SourceOrigin,),
    storage=Storage(
        indexes=(index("sources", "projectId documentId number", "a document's sources by number", unique=True),),
        events=types("source", "added updated deleted verified"),
        shard_keys={"sources": "projectId"},
        validators={"sources": validator(projectId=ID, documentId=ID, rev=COUNT, number=COUNT, title=TEXT)},
    ),
)
