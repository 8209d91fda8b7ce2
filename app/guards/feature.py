"""What guard rails add to projects and tokens: four eyes, the freeze, and budgets."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.actors import Note, wire_note
from app.core.context import Context
from app.core.documented import doc
from app.core.errors import Problem
from app.core.features import AddedFields, Feature, Record
from app.core.vocabulary import TokenKind
from app.guards.budgets import Budget, budget_of
from app.guards.schemas import ChangedBudget, GuardSettings, NewBudget
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.projects.token_responses import Token
from app.projects.token_schemas import TokenChanges, TokenFields

NO_BUDGET = Problem(field="budget", message="Only a management token can have a budget: a delivery token reads.")


class GuardedProject(TypedDict):
    """The settings of a project."""

    fourEyes: Annotated[bool, doc("whether who made or submitted a version may not approve, schedule or publish it")]
    frozen: Annotated[
        Note | None, doc("why, since when and by whom; set while only tokens with the scope `admin` can write")
    ]


class GuardedToken(TypedDict):
    """The limits of a token."""

    budget: Annotated[Budget | None, doc("a management token's limits; null: none")]


def _shown_project(project: Record) -> Record:
    return {"frozen": wire_note(project.get("frozen"))}


def _token_to_stored(token: Record, fields: Record) -> Record:
    return {**fields, "budget": budget_of(fields["budget"])} if "budget" in fields else fields


def _token_problems(ctx: Context, token: Record, fields: Record) -> list[Problem]:
    may_have_one = token["kind"] == TokenKind.MANAGEMENT
    return [NO_BUDGET] if budget_of(fields.get("budget")) and not may_have_one else []


FEATURE = Feature(
    "guards",
    responses={Project: GuardedProject, Token: GuardedToken},
    schemas={ProjectChanges: GuardSettings, TokenFields: NewBudget, TokenChanges: ChangedBudget},
    fields={
        Project: AddedFields(_shown_project),
        Token: AddedFields(to_stored=_token_to_stored, problems=_token_problems),
    },
)
