"""What provenance adds to projects: whether an approval needs the record of a person's review."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc, one_of
from app.core.features import AddedFields, Feature, Record
from app.core.schemas.fields import EnumString, Schema
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.provenance.vocabulary import ReviewDemand


class ReviewedProject(TypedDict):
    """The setting of a project."""

    reviewRecord: Annotated[
        str, one_of(ReviewDemand), doc("whether approving needs the record of a person's review", "off")
    ]


class ReviewSettings(Schema):
    """The demand, as it is sent."""

    reviewRecord = EnumString(
        ReviewDemand,
        description="`required`: only a person approves, with the record of their review; null: `off`",
        example="required",
    )


def _shown(project: Record) -> Record:
    return {"reviewRecord": project.get("reviewRecord") or ReviewDemand.OFF}


def _to_stored(project: Record, fields: Record) -> Record:
    """Returns the fields with the demand unset where it is off, as it is shown where it is unset."""
    return {**fields, "reviewRecord": None} if fields.get("reviewRecord") == ReviewDemand.OFF else fields


FEATURE = Feature(
    "provenance",
    responses={Project: ReviewedProject},
    schemas={ProjectChanges: ReviewSettings},
    fields={Project: AddedFields(shown=_shown, to_stored=_to_stored)},
)
