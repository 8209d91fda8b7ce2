"""The threads that a work packet shows, and the passages that they are about (decisions, sections 8 and 12)."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.context import Context
from app.core.documented import Id, Timestamp, doc, one_of
from app.core.schemas.loading import Fields
from app.packets.rules import MOST_THREADS
from app.projects.gates import Attempt
from app.review.anchors import Quote
from app.review.operations import unresolved_threads
from app.review.responses import Comment, Thread
from app.review.vocabulary import ThreadLevel, ThreadState
from app.sections.operations import sections_of
from app.sections.rules import Section


class PacketThread(TypedDict):
    """A review thread that is not resolved; keys without a value are left out."""

    id: Annotated[Id, doc("the thread's id")]
    version: Annotated[int, doc("the version that it was opened on")]
    level: Annotated[str, one_of(ThreadLevel), doc("how much it matters", "must")]
    state: Annotated[str, one_of(ThreadState), doc("the state", "open")]
    quote: NotRequired[Annotated[Quote, doc("the passage that it is about; the whole document without one")]]
    line: NotRequired[Annotated[int, doc("the line that the passage begins in now", 1)]]
    section: NotRequired[Annotated[int, doc("the number of the section that it begins in", 0)]]
    suggestion: NotRequired[Annotated[str, doc("what the passage should be replaced with", "Wheat flour")]]
    outcome: NotRequired[Annotated[str, doc("`accepted`, where the suggestion was written already")]]
    comments: Annotated[list[Comment], doc("the comments, that which opened it first")]
    openedBy: Annotated[Actor, doc("who opened it")]
    createdAt: Annotated[Timestamp, doc("when it was opened")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


class Passage(TypedDict):
    """The text of a section that threads are about."""

    number: Annotated[int, doc("the section's number in the outline", 1)]
    hash: Annotated[str, doc("names the section in an edit", "d3d1babb0b651222")]
    markdown: Annotated[str, doc("the section's markdown, its heading included", "# Dough\n\nFlour and water.\n")]


class WithUnresolved(TypedDict):
    """The part of a work packet."""

    threads: Annotated[list[PacketThread], doc("the review threads that are not resolved, at most 50")]
    passages: Annotated[list[Passage], doc("the sections that these threads are in, each once")]


def threads_of_packet(ctx: Context, packet: Mapping[str, Any], fields: Fields) -> WithUnresolved:
    """Returns the unresolved threads of a packet's document, with their passages; reads none if it has none."""
    attempt: Attempt = packet["attempt"]
    if not attempt.record.get("unresolvedThreads"):
        return {"threads": [], "passages": []}
    sections = sections_of(ctx, attempt.markdown)
    threads = unresolved_threads(ctx, attempt.record, attempt.markdown)
    return {"threads": [*map(_shortened, threads)], "passages": _passages_of(threads[:MOST_THREADS], sections)}


def _shortened(thread: Thread) -> PacketThread:
    """Returns a thread without the keys that have no value, and without the document's id."""
    kept = {name: thread.get(name) for name in PacketThread.__annotations__}
    return cast(PacketThread, {name: value for name, value in kept.items() if value is not None})


def _passages_of(threads: Iterable[Thread], sections: Iterable[Section]) -> list[Passage]:
    """Returns the sections that threads are in, in their order."""
    numbers = {thread["section"] for thread in threads}
    return [{"number": one.number, "hash": one.hash, "markdown": one.text} for one in sections if one.number in numbers]
