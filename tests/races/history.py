"""Checks a history of calls that overlapped: is there an order of them, one after the other, that explains it?

Each call took effect at one instant between its beginning and its end; a call that ended before another began comes
first. The search goes through the calls that may come next and remembers where it has been (Wing and Gong's way).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True)
class Call:
    """One call: who asked for what, from when to when, and what came of it."""

    who: str
    what: str
    began: int
    ended: int
    outcome: tuple[str, str | None]


def explained(
    history: Sequence[Call], state: State, step: Callable[[State, Call], tuple[State, tuple[str, str | None]]]
) -> bool:
    """Tells whether some order of the calls gives every outcome; `step` says what a call does and gives in a state."""
    seen: set[tuple[frozenset[Call], Hashable]] = set()

    def search(left: frozenset[Call], now: State) -> bool:
        if not left:
            return True
        if (left, now) in seen:
            return False
        seen.add((left, now))
        first_end = min(call.ended for call in left)
        for call in left:
            if call.began <= first_end:
                after, outcome = step(now, call)
                if outcome == call.outcome and search(left - {call}, after):
                    return True
        return False

    return search(frozenset(history), state)
