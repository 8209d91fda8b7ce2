"""What the work packet adds to projects: the house style that it passes on."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.features import Feature
from app.core.schemas.fields import Schema, StrictString
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges


class StyledProject(TypedDict):
    """The setting of a project."""

    guidelines: Annotated[str, doc("the house style for writers, as markdown")]


class StyleSettings(Schema):
    """The house style, as it is sent."""

    guidelines = StrictString(20_000, description="the house style for writers, as markdown")


FEATURE = Feature("packets", responses={Project: StyledProject}, schemas={ProjectChanges: StyleSettings})
