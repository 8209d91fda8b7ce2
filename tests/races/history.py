"""Checks a history of calls that overlapped: is there an order of them, one after the other, that explains it?

Each call took effect at one instant between its beginning and its end; a call that ended before another began comes
first. The search goes through the calls that may come next and remembers where it has been (Wing and Gong's way).
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

State = TypeVar("State", bound=Hashable)
Made = TypeVar("Made", bound="Call")


@dataclass(frozen=True)
class Call:
    """One call: who asked for what, from when to when, and what came of it."""

    who: str
    what: str
    began: int
    ended: int
    outcome: tuple[str, str | None]


def explained(
    history: Sequence[Made], state: State, step: Callable[[State, Made], tuple[State, tuple[str, str | None]]]
) -> bool:
    """Tells whether some order of the calls gives every outcome; `step` says what a call does and gives in a state."""
    seen: set[tuple[frozenset[Made], Hashable]] = set()

    def search(left: frozenset[Made], now: State) -> bool:
        if not left:
            return True
        if (left, now) in seen:
            return False
        seen.add((left, now))
        in_order = sorted(left, key=lambda call: call.ended)
        for call in in_order:
            if call.began <= in_order[0].ended:
                after, outcome = step(now, call)
                if outcome == call.outcome and search(left - {call}, after):
                    return True
        return False

    return search(frozenset(history), state)
