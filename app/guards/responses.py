"""The outcome of reverting the work of a token, as callers see it."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import Id, doc, one_of
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
