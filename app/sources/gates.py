"""Approvals that attest the sources of a text, while somebody has to compare them (decisions, section 22)."""

from typing import Any

from app.core.calls import Call
from app.core.errors import HumanReviewRequired
from app.core.features import Gate
from app.projects.gates import Attempt
from app.sources.extensions import unattested


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
    return bool(review.get("sources")) and unattested(attempt.ctx, attempt.record, attempt.markdown)


COMPARED = Gate(("approve_document",), read=_lacks, refuse=refuse_unattested, errors=(HumanReviewRequired,))
