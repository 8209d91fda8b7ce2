"""A document as the contract describes it: what each operation does to it and answers, one after the other.

The checker looks for an order of all calls on a document in which each gives what the client was answered. A call that
was not answered may take effect at any time after it began; so do the worker's own moves: the end of a lease, and
scheduled publishing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from tests.races.history import Call

Outcome = tuple[str, str | None]

OPEN = ("idea", "planned", "drafting")
ANYTHING = "?"
"""The outcome of a call that was not answered, and of what the worker does."""
NEVER = 2**62
"""When a call ended that was not answered, or may take effect after it."""


@dataclass(frozen=True)
class Move(Call):
    """One call on a document."""

    number: int = 0
    """Tells it apart from all others."""
    guarded: bool = False
    """May it not write while another holds the brief's claim?"""
    over_mcp: bool = False
    base_version: int | None = None
    follows: int = 0
    """Of what the worker does: the number of the call because of which it does it."""


class Document(NamedTuple):
    """The state of a document."""

    status: str = "idea"
    brief: str = "none"
    holder: str | None = None
    lease: int = 0
    """The number of the call that claimed the brief, or renewed the claim."""
    version: int = 1
    published: int | None = None
    schedule: int = 0
    """The number of the call that scheduled it."""


def step(now: Document, call: Move) -> tuple[Document, Outcome]:
    """Returns the document after a call, and what the call gives."""
    after = STEPS[call.what](now, call)
    if call.outcome[0] == ANYTHING:
        return (after if isinstance(after, Document) else now), call.outcome
    return (after, ("200", shown(after))) if isinstance(after, Document) else (now, after)


def shown(now: Document) -> str:
    """Returns what a client sees of a document."""
    return f"{now.status} {now.brief} {now.holder} {now.version} {now.published}"


Step = Callable[[Document, Move], Document | Outcome]


def ready(now: Document, call: Move) -> Document | Outcome:
    if now.brief == "claimed":
        return "BriefClaimed", now.holder
    if now.status not in OPEN:
        return "BriefClosed", None
    return now._replace(brief="ready")


def claim(now: Document, call: Move) -> Document | Outcome:
    if now.brief == "claimed":
        return "BriefClaimed", now.holder
    if now.status not in OPEN:
        return "BriefClosed", None
    if now.brief != "ready":
        return "BriefNotReady", None
    return now._replace(status="drafting", brief="claimed", holder=call.who, lease=call.number)


def renew(now: Document, call: Move) -> Document | Outcome:
    if now.brief != "claimed" or now.holder != call.who:
        return "BriefClaimed", now.holder
    return now._replace(lease=call.number)


def withdraw(now: Document, call: Move) -> Document | Outcome:
    if now.brief not in ("ready", "claimed"):
        return "BriefNotOffered", None
    if call.over_mcp and now.brief == "claimed" and now.holder != call.who:
        return "BriefClaimed", now.holder
    return now._replace(brief="none", holder=None)


def release(now: Document, call: Move) -> Document | Outcome:
    if now.brief != "claimed":
        return "BriefNotOffered", None
    return now._replace(brief="ready", holder=None) if now.holder == call.who else ("BriefClaimed", now.holder)


def write(now: Document, call: Move) -> Document | Outcome:
    if held := _held_by_another(now, call):
        return held
    if call.base_version not in (None, now.version):
        return "VersionConflict", str(now.version)
    if now.status in ("approved", "scheduled") or (now.status == "review" and call.guarded):
        return "InvalidTransition", None
    if call.outcome[0] == "VersionConflict":  # of an edit: a section is gone, which is not modelled
        return "VersionConflict", str(now.version)
    return now._replace(version=now.version + 1)


def submit(now: Document, call: Move) -> Document | Outcome:
    if held := _held_by_another(now, call):
        return held
    changed = now.status == "published" and now.published != now.version
    return _finished(now, call, "review") if now.status in OPEN or changed else ("InvalidTransition", None)


def approve(now: Document, call: Move) -> Document | Outcome:
    if call.base_version not in (None, now.version):
        return "VersionConflict", str(now.version)
    may = now.status in ("drafting", "review")
    return _finished(now, call, "approved") if may else ("InvalidTransition", None)


def request_changes(now: Document, call: Move) -> Document | Outcome:
    may = now.status in ("review", "approved")
    return now._replace(status="drafting") if may else ("InvalidTransition", None)


def schedule(now: Document, call: Move) -> Document | Outcome:
    if now.status == "scheduled":
        return "InvalidTransition", None
    after = _finished(now, call, "scheduled")
    return after._replace(schedule=call.number) if isinstance(after, Document) else after


def publish(now: Document, call: Move) -> Document | Outcome:
    if call.base_version not in (None, now.version):
        return "VersionConflict", str(now.version)
    after = _finished(now, call, "published")
    return after._replace(published=now.version) if isinstance(after, Document) else after


def unpublish(now: Document, call: Move) -> Document | Outcome:
    if now.published is None:
        return "InvalidTransition", None
    return now._replace(status="drafting" if now.status == "published" else now.status, published=None)


def end_lease(now: Document, call: Move) -> Document | Outcome:
    due = now.brief == "claimed" and now.lease == call.follows
    return now._replace(brief="ready", holder=None) if due else now


def publish_scheduled(now: Document, call: Move) -> Document | Outcome:
    due = now.status == "scheduled" and now.schedule == call.follows
    return now._replace(status="published", published=now.version) if due else now


def read(now: Document, call: Move) -> Document | Outcome:
    return now


def _held_by_another(now: Document, call: Move) -> Outcome | None:
    held = call.guarded and now.brief == "claimed" and now.holder != call.who
    return ("BriefClaimed", now.holder) if held else None


def _finished(now: Document, call: Move, status: str) -> Document | Outcome:
    if now.version == 1:  # documents begin without content
        return "BadRequest", None
    brief = "drafted" if now.brief == "claimed" else now.brief
    return now._replace(status=status, brief=brief, holder=None)


STEPS: dict[str, Step] = {
    "mark_brief_ready": ready,
    "claim_brief": claim,
    "claim_next_brief": claim,
    "renew_claim": renew,
    "withdraw_brief": withdraw,
    "release_brief": release,
    "write_content": write,
    "edit_content": write,
    "submit_document": submit,
    "approve_document": approve,
    "request_changes": request_changes,
    "schedule_document": schedule,
    "publish_document": publish,
    "unpublish_document": unpublish,
    "end_lease": end_lease,
    "publish_scheduled": publish_scheduled,
    "read": read,
}
