"""What waits for whom, as callers see it (decisions, section 19)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc, one_of
from app.rules.inbox import Waiting
from app.rules.times import wire_time
from app.vocabulary import WaitKind


class InboxEntry(TypedDict):
    """Something that waits for a member, or for everybody."""

    kind: Annotated[str, one_of(WaitKind), doc("why it waits", "review")]
    documentId: Annotated[Id, doc("the document")]
    title: Annotated[str, doc("its title", "How to begin a sourdough starter")]
    since: Annotated[Timestamp, doc("since when it waits")]
    action: Annotated[str, doc("the operation that ends it", "approve_document")]
    memberId: Annotated[Id | None, doc("the member whom it waits for; null: everybody")]
    threadId: Annotated[Id | None, doc("the thread; null for other kinds")]


def inbox_entry(line: Waiting) -> InboxEntry:
    """Returns something that waits as callers see it."""
    return {**line, "since": wire_time(line["since"])}
