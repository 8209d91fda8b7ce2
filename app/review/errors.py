"""Refusals of review threads (decisions, section 17)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_ID, doc
from app.core.errors import Refusal


class ThreadsOpen(Refusal, status=409):
    """Threads of level `must` are not settled: answer or resolve those that `threads` lists, then try again."""

    class Keys(TypedDict):
        threads: Annotated[list[str], doc("the ids of the threads", [EXAMPLE_ID])]


class ThreadNotYours(Refusal, status=409):
    """Somebody else opened this thread and has to resolve it: answer it instead."""

    class Keys(TypedDict):
        openedBy: Annotated[Actor, doc("who opened the thread")]


class ThreadResolved(Refusal, status=409):
    """The thread is resolved: reopen it first."""


class QuoteGone(Refusal, status=409):
    """The quoted passage is not at one certain place of the present text: edit the content, then answer."""


class RoundsExhausted(Refusal, status=409):
    """Changes were requested as often as the project allows: people decide now. Send it without `offer`."""

    class Keys(TypedDict):
        rounds: Annotated[int, doc("how often changes were requested since the document was last published", 2)]
        maxRounds: Annotated[int, doc("the project's setting", 2)]
