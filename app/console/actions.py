"""What can be done with a document now, with the reason where something is not allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.console.frame import call, may, session
from app.console.moves import MOVES, NEXT, Move, is_offered
from app.operations import projects
from app.operations.documents import own_document
from app.rules import briefs, documents


@dataclass(frozen=True)
class Action:
    """A button: the move, and why it is not allowed now (empty where it is)."""

    move: Move
    reason: str
    first: bool
    """Is it what one usually does next?"""


BRIEF_MOVES = {
    "mark_brief_ready": briefs.READY,
    "claim_brief": briefs.CLAIM,
    "release_brief": briefs.RELEASE,
    "withdraw_brief": briefs.WITHDRAW,
}
DOCUMENT_MOVES = {
    "submit_document": documents.SUBMIT,
    "approve_document": documents.APPROVE,
    "request_changes": documents.REQUEST_CHANGES,
    "schedule_document": documents.SCHEDULE,
    "unschedule_document": documents.UNSCHEDULE,
    "publish_document": documents.PUBLISH,
    "unpublish_document": documents.UNPUBLISH,
}


def actions_of(document: Mapping[str, Any]) -> list[Action]:
    """Returns the buttons of a document's page: what the token's scopes allow, what one usually does next first."""
    ctx = session().ctx
    stored = own_document(ctx, document["id"])
    required = bool(call(projects.get_project).body["reviewRequired"])
    request = replace(ctx.move_request, review_required=required)
    next_moves = NEXT[document["status"]]
    found = []
    for move in MOVES:
        if not may(move.operation) or not is_offered(move, document):
            continue
        if move.name in BRIEF_MOVES:
            refused = briefs.refusal(BRIEF_MOVES[move.name], stored, ctx.move_request)
        elif move.name in DOCUMENT_MOVES:
            refused = documents.refusal(DOCUMENT_MOVES[move.name], stored, request)
        else:
            refused = None
        found.append(Action(move, refused.message if refused else "", move.name in next_moves))
    return sorted(found, key=lambda action: next_moves.index(action.move.name) if action.first else len(MOVES))
