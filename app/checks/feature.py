"""Checks: their levels in projects, and their warnings in the validation of drafts."""

from typing import Annotated

from typing_extensions import TypedDict

from app.checks.extensions import WithWarnings, keyword_of_draft
from app.checks.schemas import CheckSettings
from app.checks.vocabulary import CheckLevel
from app.core.documented import doc, one_of
from app.core.features import Extension, Feature
from app.intents.responses import Validation
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges


class CheckedProject(TypedDict):
    """The setting of a project."""

    checks: Annotated[
        dict[str, Annotated[str, one_of(CheckLevel)]],
        doc(
            "checks of documents by name, each `off`, `warning` or `error`; others are warnings",
            {"meta_title": "error", "references": "off"},
        ),
    ]


FEATURE = Feature(
    "checks",
    responses={Project: CheckedProject, Validation: WithWarnings},
    schemas={ProjectChanges: CheckSettings},
    extensions=(Extension("validate_intent", present=keyword_of_draft),),
)
