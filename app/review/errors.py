"""Refusals of review threads (decisions, section 17)."""

from app.core.errors import Refusal


class ThreadsOpen(Refusal, status=409):
    """Threads of level `must` are not settled: answer or resolve those that `threads` lists, then try again."""


class ThreadNotYours(Refusal, status=409):
    """Somebody else opened this thread and has to resolve it: answer it instead."""


class ThreadResolved(Refusal, status=409):
    """The thread is resolved: reopen it first."""


class QuoteGone(Refusal, status=409):
    """The quoted passage is not at one certain place of the present text: edit the content, then answer."""


class RoundsExhausted(Refusal, status=409):
    """Changes were requested as often as the project allows: people decide now. Send it without `offer`."""
