"""What can be done with a document now, with the reason where something is not allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.console.frame import call, may
from app.console.moves import MOVES, NEXT, Move, is_offered
from app.operations.actions import list_document_actions


@dataclass(frozen=True)
class Action:
    """A button: the move, and why it is not allowed now (empty where it is)."""

    move: Move
    reason: str
    first: bool
    """Is it what one usually does next?"""


def actions_of(document: Mapping[str, Any]) -> list[Action]:
    """Returns the buttons of a document's page: what the token's scopes allow, what one usually does next first."""
    refusals = {one["action"]: one["refusal"] for one in call(list_document_actions, document["id"]).body}
    first = NEXT[document["status"]]
    found = [
        Action(move, (refusals[move.name] or {}).get("message", ""), move.name in first)
        for move in MOVES
        if may(move.operation) and is_offered(move, document)
    ]
    return sorted(found, key=lambda action: first.index(action.move.name) if action.first else len(MOVES))
