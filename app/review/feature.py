"""Threads of level `must` that stop a document, rounds of changes, and the rest that review adds to others.

(decisions, section 17)
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from app.briefs.rules import mark_brief_ready
from app.core.calls import Call
from app.core.context import Context
from app.core.errors import BadRequest, BriefClaimed
from app.core.features import AddedFields, Extension, Feature, Gate, by_class_name
from app.core.schemas.loading import Fields
from app.core.store.collection import new_id
from app.core.store.indexes import Storage, index, types
from app.core.store.validators import COUNT, ID, ITEMS, one_of, validator
from app.documents.content import markdown_of
from app.documents.record import Decision, StoredDocument
from app.documents.responses import Brief
from app.documents.schemas import ChangesRequest
from app.packets.responses import Packet
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.projects.store import Projects
from app.review.errors import RoundsExhausted, ThreadsOpen
from app.review.mentions import note_mentions
from app.review.operations import room_for_threads
from app.review.packet import WithUnresolved, threads_of_packet
from app.review.responses import LimitedProject, WithRounds
from app.review.rules import ReviewedDocument, new_threads, open_threads
from app.review.schemas import RoundSettings, WithThreads
from app.review.store import Threads, delete_threads
from app.review.vocabulary import ThreadLevel, ThreadOutcome, ThreadState

UNRESOLVED = "Threads of level `must` are not resolved: a person or the opener has to resolve each first."


def refuse_unresolved(facts: None, document: ReviewedDocument, call: Call) -> None:
    """Refuses with `ThreadsOpen` while threads of level `must` are not resolved."""
    if threads := sorted(document.get("mustThreads") or {}):
        raise ThreadsOpen(UNRESOLVED, threads=threads)


def refuse_unanswered(facts: None, document: ReviewedDocument, call: Call) -> None:
    """Refuses with `ThreadsOpen` while threads of level `must` are open."""
    states = document.get("mustThreads") or {}
    if threads := sorted(one for one, state in states.items() if state == ThreadState.OPEN):
        message = (
            f"Threads of level `must` are open. Read them with {call.name_of('list_threads')}, change the text, and "
            f"answer each with {call.name_of('reply_to_thread')}, saying what you changed; resolve "
            f"those that you opened yourself with {call.name_of('resolve_thread')}; then submit again."
        )
        raise ThreadsOpen(message, threads=threads)


RESOLVED = Gate(
    ("approve_document", "schedule_document", "publish_document"), refuse=refuse_unresolved, errors=(ThreadsOpen,)
)
ANSWERED = Gate(("submit_document",), refuse=refuse_unanswered, errors=(ThreadsOpen,), last=True)


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


FEATURE = Feature(
    "review",
    responses={Project: LimitedProject, Brief: WithRounds, Packet: WithUnresolved},
    schemas={ProjectChanges: RoundSettings, ChangesRequest: WithThreads},
    fields={Brief: AddedFields(shown=rounds_shown)},
    extensions=(
        Extension("request_changes", errors=(BadRequest, BriefClaimed, RoundsExhausted), decide=count_round),
        Extension("publish_document", decide=begin_rounds),
        Extension("get_work_packet", present=threads_of_packet),
    ),
    purge=delete_threads,
    storage=Storage(
        indexes=(
            index("threads", "projectId documentId _id", "a document's threads, the oldest first"),
            index(
                "threads",
                "projectId mentions.memberId mentions.at",
                "the threads in which members are named",
            ),
            index(
                "threads",
                "projectId openedBy.id state stateSince",
                "the answered threads that somebody opened, in order",
            ),
            index("reviewLinks", "projectId hash", "finds who comes by a review link", unique=True),
            index("reviewLinks", "projectId documentId _id", "a document's review links"),
            index("reviewLinks", "expiresAt", "review links end by themselves", expireAfterSeconds=0),
        ),
        shard_keys={"threads": "projectId", "reviewLinks": "projectId"},
        events=types("thread", "opened replied resolved reopened") + types("review_link", "created deleted"),
        validators={
            "threads": validator(
                projectId=ID,
                documentId=ID,
                rev=COUNT,
                version=COUNT,
                comments=ITEMS,
                level=one_of(ThreadLevel),
                state=one_of(ThreadState),
            )
        },
    ),
    closed_lists=by_class_name(ThreadLevel, ThreadOutcome, ThreadState),
)
