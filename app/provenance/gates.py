"""The record of a person's review, which a project may demand of each approval (decisions, section 18)."""

from collections.abc import Sequence
from typing import Any

from app.core.calls import Call
from app.core.errors import HumanReviewRequired
from app.core.features import Gate
from app.projects.gates import Attempt
from app.projects.rules import StoredProject
from app.provenance.reviews import lacking_parts, missing_of
from app.provenance.store import AttributedRevisions
from app.provenance.vocabulary import ReviewDemand

COMPLETE = {"facts": True, "examined": True}
"""The review of a valid call."""


def requires_record(project: StoredProject) -> bool:
    """Returns whether the project approves only with the record of a person's review."""
    return project.get("reviewRecord") == ReviewDemand.REQUIRED


def refuse_without_record(missing: Sequence[str], document: Any, call: Call) -> None:
    """Refuses with `HumanReviewRequired` an approval or a version that lacks something of a record."""
    if missing:
        raise HumanReviewRequired(missing=list(missing))


def _missing(attempt: Attempt) -> Sequence[str]:
    required = requires_record(attempt.project)
    valid = COMPLETE if required else None
    review = valid if attempt.fields is None else attempt.fields.get("review")
    return missing_of(attempt.call, review, required=required)


def _unrecorded(attempt: Attempt) -> Sequence[str]:
    """Returns what the record of the version that goes out lacks, whenever it was approved."""
    if not requires_record(attempt.project):
        return ()
    document = attempt.record
    revisions = attempt.ctx.store[AttributedRevisions]
    version = revisions.get(attempt.ctx.project_id, document["id"], document["version"])
    return lacking_parts(version and version.get("review"))


RECORD = Gate(("approve_document",), read=_missing, refuse=refuse_without_record, errors=(HumanReviewRequired,))
RECORDED = Gate(
    ("schedule_document", "publish_document"),
    read=_unrecorded,
    refuse=refuse_without_record,
    errors=(HumanReviewRequired,),
)
