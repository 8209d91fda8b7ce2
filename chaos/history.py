"""What is recorded of a run: every call of every client, every failure that was injected, and how it all ended."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

UNANSWERED = ("503", "broken")
"""Outcomes after which the caller does not know whether the call took effect."""
BUSY = "IdempotencyConflict"
"""The outcome while an earlier attempt under the same idempotency key is worked on, or its server was just killed."""


@dataclass(frozen=True)
class Attempt:
    """One request: when, to which server, and what came of it."""

    began: float
    ended: float
    server: int
    outcome: str
    """The status of a success, `503`, `broken` for a connection that ended without an answer, else the `_tag`."""
    retry_after: int | None = None


@dataclass(frozen=True)
class Call:
    """One call of a client: the same request, sent again under its idempotency key where it was not answered."""

    token: str
    operation: str
    document: str | None
    attempts: tuple[Attempt, ...]
    sent: Mapping[str, Any] = field(default_factory=dict)
    answer: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None

    @property
    def outcome(self) -> str:
        return self.attempts[-1].outcome

    @property
    def began(self) -> float:
        return self.attempts[0].began

    @property
    def succeeded(self) -> bool:
        return self.outcome in ("200", "201")

    @property
    def may_have_happened(self) -> bool:
        """Did it not succeed, and yet an attempt may have taken effect?"""
        return not self.succeeded and any(attempt.outcome in UNANSWERED for attempt in self.attempts)


@dataclass(frozen=True)
class Incident:
    """A failure that was injected: from when on, and when all processes worked again."""

    fault: str
    target: str
    began: float
    recovered: float


@dataclass(frozen=True)
class Client:
    """A client: its token, and what the rules of claims need to know of it."""

    token: str
    channel: str
    is_agent: bool
    has_budget: bool


@dataclass(frozen=True)
class Message:
    """A message that a webhook received, and answered with 200."""

    id: str
    at: float
    type: str
    sequence: int
    document: str | None


@dataclass(frozen=True)
class Notice:
    """A line of a notice that arrived in Slack: why which document waits."""

    at: float
    why: str
    document: str


@dataclass(frozen=True)
class Final:
    """What the service and its database hold when everything has come to rest."""

    documents: Mapping[str, Mapping[str, Any]]
    """By id: `title`, `key`, `status`, `briefState`, `holder`, `version`, `publishedVersion`, `categoryId`."""
    revisions: Mapping[str, Mapping[str, str]]
    """The markdown of each version of each document."""
    events: tuple[Mapping[str, Any], ...]
    """The feed."""
    followed: tuple[str, ...]
    """The ids of the events that a reader of the feed got who followed the cursor from the beginning."""
    messages: Mapping[str, tuple[Message, ...]]
    """What each webhook received, by the comma-separated types that it asked for; none for all."""
    insights: Mapping[str, Any]
    document_counts: Mapping[str, int]
    """`documentCount` of each category in the delivery API."""
    budgets: Mapping[str, Mapping[str, int]]
    """How much of its budget each token has used, by limit."""
    at: float
    """When all of it was read."""
    notices: tuple[Notice, ...] = ()
    """What arrived in the project's Slack."""
    unnamed_notices: int = 0
    """How many more the messages there say that there were: a message names 200."""
    comments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The texts of all remarks and answers in the threads of each document."""
    waiting_events: int = 0
    """The events that are still in outboxes."""
    problems: tuple[str, ...] = ()
    """What `content-workflow db check` prints when it fails."""


@dataclass(frozen=True)
class History:
    """All of it."""

    seed: int
    clients: tuple[Client, ...]
    calls: tuple[Call, ...]
    incidents: tuple[Incident, ...]
    final: Final
    submitted_to_told: tuple[str, ...] = ()
    """How long notices took, median and slowest, by what was killed or frozen meanwhile."""
    told_late: tuple[str, ...] = ()
    """Those that took too long, or did not come."""
    judged: tuple[str, ...] = ()
    """The kinds of commands that the servers and workers sent to MongoDB."""
    refused: tuple[str, ...] = ()
    """What a router of a sharded cluster would refuse of them, or send to every shard."""

    def save(self, path: Path) -> None:
        """Writes it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1))
