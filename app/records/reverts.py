"""What reverting a token's work did (decisions, section 13)."""

from typing import TypedDict

from app.records.types import Record, boolean, integer, nested_list, record_id, string
from app.vocabulary import SkipReason


class RevertedRecord(Record):
    """A document that was reverted."""

    id = record_id("the document's id")
    version = integer("its new version", example=4)
    to = integer("the version that this is again", example=2)


class SkippedRecord(Record):
    """A document that was not reverted, or, with `published_since`, whose delivery was not."""

    id = record_id("the document's id")
    reason = string("why", one_of=SkipReason, example="published_since")


class RevertRecord(Record):
    """What a call reverted."""

    reverted = nested_list(RevertedRecord, "the documents that were reverted, at most 100")
    skipped = nested_list(SkippedRecord, "those that need a look, at most 1,000")
    more = boolean("whether there are more to revert: call again")


class ShownReverted(TypedDict):
    """A document that was reverted, as callers see it."""

    id: str
    version: int
    to: int


class ShownSkipped(TypedDict):
    """A document that needs a look, as callers see it."""

    id: str
    reason: str


class ShownRevert(TypedDict):
    """What a call reverted, as callers see it."""

    reverted: list[ShownReverted]
    skipped: list[ShownSkipped]
    more: bool
