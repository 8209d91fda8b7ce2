"""The buttons of a document: what can be done with it now, and why something is not allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.console.frame import call, may
from app.console.moves import MOVES, NEXT, Move, is_offered
from app.operations.actions import list_document_actions


@dataclass(frozen=True)
class Action:
    """A button: the move, and why it is not allowed now (empty if it is)."""

    move: Move
    reason: str
    first: bool
    """Whether this is the usual next step."""


def actions_of(document: Mapping[str, Any]) -> list[Action]:
    """Returns the buttons of a document's page: those that the token's scopes allow, the usual next step first."""
    refusals = {one["action"]: one["refusal"] for one in call(list_document_actions, document["id"]).body}
    first = NEXT[document["status"]]
    found = [
        Action(move, (refusals[move.name] or {}).get("message", ""), move.name in first)
        for move in MOVES
        if may(move.operation) and is_offered(move, document)
    ]
    return sorted(found, key=lambda action: first.index(action.move.name) if action.first else len(MOVES))
