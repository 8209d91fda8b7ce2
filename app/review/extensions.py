"""Requests for changes with their threads, rounds and the offer of the brief; threads in the work packet.

(decisions, section 17)
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from app.briefs.rules import mark_brief_ready
from app.core.context import Context
from app.core.schemas.loading import Fields
from app.core.store.collection import new_id
from app.documents.content import markdown_of
from app.documents.record import Decision, StoredDocument
from app.projects.store import Projects
from app.review.errors import RoundsExhausted
from app.review.mentions import note_mentions
from app.review.operations import room_for_threads
from app.review.rules import ReviewedDocument, new_threads, open_threads
from app.review.store import Threads


def count_round(ctx: Context, document: StoredDocument, decision: Decision, fields: Fields) -> Decision:
    """Counts a request for changes, offers the brief and opens threads where that was sent.

    Refuses with `RoundsExhausted` an offer in a project that had as many rounds as it allows.
    """
    rounds, offer = cast(ReviewedDocument, document).get("rounds") or 0, fields.get("offer", False)
    most = cast(int | None, ctx.store[Projects].settings(ctx.project_id).get("maxRounds")) if offer else None
    if most is not None and rounds >= most:
        raise RoundsExhausted(rounds=rounds, maxRounds=most)
    decision = decision.with_fields(rounds=rounds + 1, roundsAt=ctx.now)
    if offer:
        decision = decision.then(partial(mark_brief_ready, call=ctx.call))
    if not (sent := fields.get("threads")):
        return decision
    markdown = markdown_of(ctx, document.get("contentId"))
    room = room_for_threads(ctx, document["id"])
    threads = new_threads(document, ctx.call, sent, markdown, new_id, "threads", room=room)
    ctx.store[Threads].add_many(ctx.project_id, [note_mentions(ctx, thread) for thread in threads])
    return decision.then(partial(open_threads, call=ctx.call, threads=threads))


def begin_rounds(ctx: Context, document: StoredDocument, decision: Decision, fields: Fields) -> Decision:
    """Counts the rounds of changes from a publication on."""
    return decision.with_fields(rounds=0, roundsAt=None)


def rounds_shown(brief: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the number of rounds, which a document's brief shows."""
    return {"rounds": brief["document"].get("rounds")}
