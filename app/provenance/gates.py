"""The record of a person's review, which a project may demand of each approval (decisions, section 18)."""

from collections.abc import Sequence
from typing import Any

from app.core.calls import Call
from app.core.features import Gate
from app.projects.gates import Attempt
from app.projects.rules import StoredProject
from app.provenance.errors import HumanReviewRequired
from app.provenance.reviews import missing_of
from app.provenance.vocabulary import ReviewDemand

COMPLETE = {"facts": True, "examined": True}
"""The review of a valid call."""


def requires_record(project: StoredProject) -> bool:
    """Returns whether the project approves only with the record of a person's review."""
    return project.get("reviewRecord") == ReviewDemand.REQUIRED


def refuse_without_record(missing: Sequence[str], document: Any, call: Call) -> None:
    """Refuses with `HumanReviewRequired` an approval that lacks something of a record."""
    if missing:
        raise HumanReviewRequired(missing=list(missing))


def _missing(attempt: Attempt) -> Sequence[str]:
    required = requires_record(attempt.project)
    valid = COMPLETE if required else None
    review = valid if attempt.fields is None else attempt.fields.get("review")
    return missing_of(attempt.call, review, required=required)


RECORD = Gate(("approve_document",), read=_missing, refuse=refuse_without_record, errors=(HumanReviewRequired,))
