"""What review threads add to projects: how many rounds of changes may be asked for."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.features import Feature
from app.core.schemas.fields import Schema, StrictInteger
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges


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


FEATURE = Feature("review", responses={Project: LimitedProject}, schemas={ProjectChanges: RoundSettings})
