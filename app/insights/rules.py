"""How a project works, from its events: what is counted by day, and how long each step took (decisions, section 14)."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NotRequired, TypedDict

from app.core.actors import Actor
from app.core.events import StoredEvent
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.record import OPEN
from app.provenance.reviews import TOKENS
from app.review.vocabulary import ThreadLevel

COUNTED = {
    "document.created": "created",
    "brief.claimed": "claimed",
    "document.submitted": "submitted",
    "document.approved": "approved",
    "document.published": "published",
}
"""Figures of a day, by the type of the event that they count."""

OF_AGENTS = {
    "brief.claimed": "claimed",
    "document.submitted": "submitted",
    "brief.expired": "expired",
    "brief.released": "released",
    "brief.withdrawn": "released",
    "document.changes_requested": "changesRequested",
    "document.approved": "approved",
}
"""Figures of the token that claimed the brief last, by the type of the event that they count."""

OFFERS = ("brief.ready", "brief.released", "brief.expired")
"""The events after which a brief is ready."""
GIVES_UP = ("brief.withdrawn", "brief.released", "brief.expired")
"""The events that end a claim without a text."""

WRITES = ("document.created", "document.content_updated")
"""The events of writing a text, which have the tokens that were declared for it."""

DURATIONS = {
    "readyToClaimed": (OFFERS, "brief.claimed"),
    "claimedToSubmitted": (("brief.claimed",), "document.submitted"),
    "submittedToApproved": (("document.submitted",), "document.approved"),
    "approvedToPublished": (("document.approved",), "document.published"),
}
"""The steps whose duration is measured: the events that begin one, and the event that ends it."""

BASE = 1.1
"""How many times as wide as the previous class each histogram class is; its values are within 5 % of its middle."""


class Progress(TypedDict):
    """The progress of a document according to its events so far, as it is stored."""

    starts: Mapping[str, datetime]
    """When each duration began that has not ended."""
    holder: Actor | None
    """The token that claimed the brief last, and did not give up."""
    held: bool
    """True if the brief is claimed now."""
    offeredAt: datetime | None
    """When the brief was last offered."""
    waitingSince: datetime | None
    """When the brief was last offered, if it is ready and the document open."""
    status: str | None
    """The status; None in the trash, and before the document is created."""
    rounds: NotRequired[int]
    """How often changes were requested since it was last published."""


NO_PROGRESS = Progress(starts={}, holder=None, held=False, offeredAt=None, waitingSince=None, status=None)
"""That of a document without events."""


class StoredFigures(TypedDict):
    """The figures of a day as the store returns them: of the project, or of a token that claimed."""

    id: str
    projectId: str
    day: datetime
    tokenId: str | None
    """None for the project's figures."""
    name: NotRequired[str]
    agent: NotRequired[str]
    sequence: int
    """The last event that is counted."""
    created: NotRequired[int]
    claimed: NotRequired[int]
    submitted: NotRequired[int]
    approved: NotRequired[int]
    published: NotRequired[int]
    expired: NotRequired[int]
    released: NotRequired[int]
    changesRequested: NotRequired[int]
    inputTokens: NotRequired[int]
    outputTokens: NotRequired[int]
    statuses: NotRequired[dict[str, int]]
    """By how much the number of documents with each status changed."""
    rounds: NotRequired[dict[str, int]]
    """The number of publications by the number of requests for changes before them."""
    threads: NotRequired[dict[str, dict[str, int]]]
    """How many threads of each level were opened, and how many ended in each way."""
    durations: NotRequired[dict[str, dict[str, int]]]
    """Histograms by the name of the step: how many durations there are of each class."""


@dataclass
class Figures:
    """Counted figures: each figure of a day, and each figure of a token on a day, by its path."""

    counts: dict[tuple[date, str | None], Counter[str]] = field(default_factory=dict)
    """By the day and the token; under None those of the project."""
    actors: dict[str | None, Actor] = field(default_factory=dict)
    """The tokens that claimed, by id."""


def count(events: Iterable[StoredEvent], progress: dict[str, Progress]) -> Figures:
    """Returns the figures of events in the order of the feed; brings `progress`, by document, up to date."""
    figures = Figures()
    for event in events:
        document_id = event["data"].get("documentId")
        if document_id is not None:
            day = figures.counts.setdefault((event["at"].date(), None), Counter())
            before = progress.get(document_id, NO_PROGRESS)
            _count(figures, day, event, before)
            after = progress[document_id] = _after(event, before)
            for status, number in ((before["status"], -1), (after["status"], 1)):
                if status:
                    day[f"statuses.{status}"] += number
    return figures


def _count(figures: Figures, day: Counter[str], event: StoredEvent, before: Progress) -> None:
    kind = event["type"]
    if kind in COUNTED:
        day[COUNTED[kind]] += 1
    if kind == "document.published":
        day[f"rounds.{before.get('rounds', 0)}"] += 1
    if kind in ("thread.opened", "thread.resolved"):
        outcome = event["data"]["outcome"] or kind.removeprefix("thread.")
        day[f"threads.{event['data']['level']}.{outcome}"] += 1
    for name, (_, end) in DURATIONS.items():
        if kind == end and name in before["starts"]:
            day[f"durations.{name}.{duration_class(event['at'] - before['starts'][name])}"] += 1
    if kind in WRITES:
        _count_tokens(figures, event)
    holder = event["by"] if kind == "brief.claimed" else before["holder"]
    if kind in OF_AGENTS and holder and holder["id"] and (before["held"] or kind not in GIVES_UP):
        figures.actors[holder["id"]] = holder
        figures.counts.setdefault((event["at"].date(), holder["id"]), Counter())[OF_AGENTS[kind]] += 1


def _count_tokens(figures: Figures, event: StoredEvent) -> None:
    """Counts the tokens that the writer of a text declared."""
    for name in TOKENS:
        if (number := event["data"].get(name)) and (token_id := event["by"]["id"]):
            figures.actors.setdefault(token_id, event["by"])
            figures.counts.setdefault((event["at"].date(), token_id), Counter())[name] += number


def _after(event: StoredEvent, before: Progress) -> Progress:
    """Returns the progress of a document after an event."""
    kind, at, state = event["type"], event["at"], event["data"].get("briefState")
    starts = {
        name: at if kind in begins else before["starts"][name]
        for name, (begins, end) in DURATIONS.items()
        if kind in begins or (kind != end and name in before["starts"])
    }
    holder = event["by"] if kind == "brief.claimed" else None if kind in GIVES_UP else before["holder"]
    leaves_trash = kind in ("document.created", "document.restored")
    in_trash = kind == "document.deleted" or (before["status"] is None and not leaves_trash)
    status = None if in_trash else event["data"].get("status")
    rounds = 0 if kind == "document.published" else before.get("rounds", 0) + (kind == "document.changes_requested")
    offered_at = at if kind in OFFERS else before["offeredAt"]
    return Progress(
        starts=starts,
        holder=holder,
        held=state == BriefState.CLAIMED,
        offeredAt=offered_at,
        waitingSince=offered_at if state == BriefState.READY and status in OPEN else None,
        status=status,
        rounds=rounds,
    )


def statuses_by_day(
    now: Mapping[str, int], changes: Mapping[date, Mapping[str, int]], days: Sequence[date]
) -> dict[date, dict[str, int]]:
    """Returns how many documents had each status at the end of each day, the last of which is today.

    It goes back from the numbers of now, by how the number of each status changed on each day. What happened a moment
    ago is in `now` and may not be counted yet, hence no number is less than 0.
    """
    found, numbers = {}, dict(now)
    for day in reversed(days):
        found[day] = {status: max(0, number) for status, number in numbers.items()}
        numbers = {status: number - changes.get(day, {}).get(status, 0) for status, number in numbers.items()}
    return found


def duration_class(duration: timedelta) -> int:
    """Returns the class of a histogram that a duration belongs to: 0 for less than a millisecond, then 1, 2, 3, …"""
    milliseconds = duration // timedelta(milliseconds=1)
    return 0 if milliseconds < 1 else 1 + math.floor(math.log(milliseconds, BASE))


def quantile(histogram: Mapping[int, int], part: float) -> float | None:
    """Returns a quantile of durations in seconds, accurate to 5 %; None if there are none."""
    left = math.ceil(sum(histogram.values()) * part)
    for number in sorted(histogram):
        left -= histogram[number]
        if left <= 0:
            return round(BASE ** (number - 0.5) / 1000, 3) if number else 0.0
    return None


def days_until(last: date, number: int) -> list[date]:
    """Returns the last `number` days until a day, in order."""
    return [last - timedelta(days=ago) for ago in reversed(range(number))]


SETTLED = ("resolved", "accepted", "rejected")
"""How threads end: without a suggestion being taken or refused, or with that."""
LEVELS = tuple(str(level) for level in ThreadLevel)
STATUSES = tuple(str(status) for status in DocumentStatus)
STATES = tuple(str(state) for state in BriefState)
