"""The settings of projects and tokens, and the outcome of reverting the work of a token, as callers see them."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.actors import Note
from app.core.documented import Id, doc, one_of
from app.guards.budgets import Budget
from app.guards.vocabulary import SkipReason


class Reverted(TypedDict):
    """A document that was reverted."""

    id: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("its new version", 4)]
    to: Annotated[int, doc("the version that this is again", 2)]


class Skipped(TypedDict):
    """A document that was not reverted, or, with `published_since`, whose delivery was not."""

    id: Annotated[Id, doc("the document's id")]
    reason: Annotated[str, one_of(SkipReason), doc("why", "published_since")]


class Revert(TypedDict):
    """What a call reverted."""

    reverted: Annotated[list[Reverted], doc("the documents that were reverted, at most 100")]
    skipped: Annotated[list[Skipped], doc("those that need a look, at most 1,000")]
    more: Annotated[bool, doc("whether there are more to revert: call again")]


class GuardedProject(TypedDict):
    """The settings of a project."""

    fourEyes: Annotated[bool, doc("whether who made or submitted a version may not approve, schedule or publish it")]
    frozen: Annotated[
        Note | None, doc("why, since when and by whom; set while only tokens with the scope `admin` can write")
    ]


class GuardedToken(TypedDict):
    """The limits of a token."""

    budget: Annotated[Budget | None, doc("a management token's limits; null: none")]
