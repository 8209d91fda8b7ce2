"""Review: the limit of rounds in projects, and its part of requests for changes."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.features import AddedFields, Extension, Feature
from app.core.schemas.fields import Schema, StrictInteger
from app.documents.responses import Brief
from app.documents.schemas import ChangesRequest
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.review.errors import RoundsExhausted
from app.review.extensions import begin_rounds, count_round, rounds_shown
from app.review.responses import WithRounds
from app.review.schemas import WithThreads


class LimitedProject(TypedDict):
    """The setting of a project."""

    maxRounds: Annotated[int | None, doc("from how many rounds of changes on no `offer` is taken; null: no limit", 2)]


class RoundSettings(Schema):
    """The limit, as it is sent."""

    maxRounds = StrictInteger(
        1,
        20,
        description="requests for changes with `offer` before a publication; null: no limit",
        example=3,
        allow_none=True,
    )


FEATURE = Feature(
    "review",
    schemas={ProjectChanges: RoundSettings, ChangesRequest: WithThreads},
    responses={Project: LimitedProject, Brief: WithRounds},
    fields={Brief: AddedFields(shown=rounds_shown)},
    extensions=(
        Extension("request_changes", errors=(RoundsExhausted,), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
    ),
)
