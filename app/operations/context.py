"""The context of one call: who calls, over which interface, and the one instant that counts as now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from app.errors import Forbidden, PreconditionFailed
from app.rules.actors import SYSTEM, Actor
from app.rules.briefs import MoveRequest
from app.rules.budgets import Budget
from app.rules.etags import EntityTag, matches
from app.rules.projects import Frozen
from app.store.store import Store
from app.vocabulary import ActorType, Channel, Scope


@dataclass(frozen=True)
class Caller:
    """Who calls: a token of a project, or the service itself."""

    project_id: str
    team_id: str
    token_id: str | None
    name: str = ""
    agent: str = ""
    scopes: frozenset[Scope] = frozenset()
    drafts: bool = False
    """May a delivery token see what is not published?"""
    project_name: str = ""
    frozen: Frozen | None = None
    """What the project's freeze was when the caller was authenticated."""
    budget: Budget | None = None
    """What the token's budget was then."""

    @property
    def actor(self) -> Actor:
        """The caller as records and events name it."""
        if self.token_id is None:
            return SYSTEM
        return Actor(type=ActorType.TOKEN, id=self.token_id, name=self.name, agent=self.agent)


def system(project_id: str, team_id: str) -> Caller:
    """Returns the service itself as the caller: the command line and the worker may do everything."""
    return Caller(project_id, team_id, None, scopes=frozenset(Scope))


@dataclass(frozen=True)
class Context:
    """One call: made once, passed to everything; the only place that asks the time."""

    store: Store
    caller: Caller
    channel: Channel
    now: datetime = field(default_factory=lambda: this_instant())
    if_match: tuple[EntityTag, ...] | None = None
    """The entity tags that the caller holds for the record; None for no condition."""
    any_state: bool = False
    """Did the caller say that any state of the record will do (`If-Match: *`)?"""
    webhooks_allow_local: bool = False
    """May webhooks of this server reach its own loopback?"""
    routes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The method and the path of each operation's route, by its name: `("POST", "/documents/:id/submit")`."""
    is_retry: bool = False
    """Did an earlier try of this call lose to another request? What the first one assumed is looked up then."""
    prepared: Any = None
    """What the operation's `prepare` returned for this try."""
    dry_run: bool = False
    """Is everything that the call writes rolled back, so that it shows what it would do?"""

    @property
    def project_id(self) -> str:
        return self.caller.project_id

    @property
    def move_request(self) -> MoveRequest:
        """The call as the rules of briefs see it."""
        return MoveRequest(self.caller.token_id, self.channel, self.now, self.caller.agent)

    @property
    def token_id(self) -> str:
        """The calling token's id, for what belongs to tokens: drafts and claims."""
        if self.caller.token_id is None:
            raise Forbidden("This belongs to a token: call it with one.")
        return self.caller.token_id

    def check_match(self, record: Mapping[str, Any]) -> None:
        """Refuses with `PreconditionFailed` when the caller holds another state of the record."""
        if not matches(self.if_match, record, self.now):
            raise PreconditionFailed


def this_instant() -> datetime:
    """Returns now, in UTC, cut to the milliseconds that MongoDB keeps."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
