"""What provenance adds to the records and operations of others."""

from app.core.features import AddedFields, Feature, Record
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.provenance.gates import requires_record
from app.provenance.responses import ReviewedProject
from app.provenance.schemas import ReviewSettings
from app.provenance.vocabulary import ReviewDemand


def _shown(project: Record) -> Record:
    return {"reviewRecord": project.get("reviewRecord") or ReviewDemand.OFF}


def _to_stored(project: Record, fields: Record) -> Record:
    """Returns the fields with the demand unset where it is off, as it is shown where it is unset."""
    return {**fields, "reviewRecord": None} if fields.get("reviewRecord") == ReviewDemand.OFF else fields


FEATURE = Feature(
    "provenance",
    responses={Project: ReviewedProject},
    schemas={ProjectChanges: ReviewSettings},
    fields={Project: AddedFields(_shown, _to_stored)},
    requires_review=requires_record,
)
