"""A brief that many move at once behaves as if they had come one after the other (contract: Brief states)."""

import random
from time import perf_counter_ns

import pytest

from tests.make import a_ready_brief
from tests.races.crowd import at_once, outcome
from tests.races.history import Call, explained

Brief = tuple[str, str | None]
"""The state of the brief, and who holds it."""


def step(brief: Brief, call: Call) -> tuple[Brief, tuple[str, str | None]]:
    """What the contract's tables say of one call."""
    state, holder = brief
    if state == "claimed" and call.what != "withdraw":
        return brief, ("BriefClaimed", holder)
    if call.what == "ready":
        return ("ready", None), ("200", None)
    if call.what == "claim":
        return (("claimed", call.who), ("200", call.who)) if state == "ready" else (brief, ("BriefNotReady", None))
    return (("none", None), ("200", None)) if state in ("ready", "claimed") else (brief, ("BriefNotOffered", None))


def test_the_checker_takes_calls_that_overlap_in_either_order() -> None:
    won = Call("a", "claim", 0, 10, ("200", "a"))
    lost = Call("b", "claim", 5, 15, ("BriefClaimed", "a"))

    assert explained([won, lost], ("ready", None), step)
    assert explained([lost, won], ("ready", None), step)


@pytest.mark.parametrize(
    "history",
    [
        [Call("a", "claim", 0, 10, ("200", "a")), Call("b", "claim", 5, 15, ("200", "b"))],
        [Call("a", "claim", 0, 10, ("200", "a")), Call("b", "claim", 5, 15, ("BriefClaimed", "c"))],
        [Call("b", "claim", 0, 3, ("BriefClaimed", "a")), Call("a", "claim", 4, 9, ("200", "a"))],
        [Call("a", "withdraw", 0, 3, ("200", None)), Call("b", "claim", 4, 9, ("200", "b"))],
    ],
    ids=["two winners", "a winner that never claimed", "lost before it was won", "claimed when it was withdrawn"],
)
def test_the_checker_finds_what_no_order_explains(history) -> None:
    assert not explained(history, ("ready", None), step)


@pytest.mark.race
@pytest.mark.contract("brief-rules.1", "brief-rules.2")
def test_moves_of_one_brief_at_once_are_explained_by_some_order(crowd, project) -> None:
    document = a_ready_brief(project.context())

    def five_moves(caller) -> list[Call]:
        calls = []
        for _ in range(5):
            what, began = random.choice(["claim", "claim", "withdraw", "ready"]), perf_counter_ns()
            response = caller.post(f"/documents/{document['id']}/brief/{what}")
            holder = (response.json.get("brief") or response.json).get("claimedBy") or {}
            calls.append(Call(caller.token.id, what, began, perf_counter_ns(), (outcome(response), holder.get("id"))))
        return calls

    histories = at_once([lambda c=c: five_moves(c) for c in crowd(8)])

    history = sorted((call for calls in histories for call in calls), key=lambda call: call.began)
    assert explained(history, ("ready", None), step), history
