"""The context of one call: who calls, by which door, and the one instant that counts as now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from app.errors import Forbidden, PreconditionFailed, WriteConflict
from app.rules.actors import SYSTEM, Actor
from app.rules.briefs import MoveRequest
from app.rules.etags import EntityTag, matches
from app.store.store import Store
from app.vocabulary import ActorType, Channel, Scope

T = TypeVar("T")

LONG_TEXT = 20_000
"""From how many characters on a text is rendered and counted outside of transactions: at most a tenth of a second."""


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
    made: dict[str, Any] = field(default_factory=dict)
    """What was made beforehand in this run of an operation, by name; running it again finds it."""

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

    def of_text(self, name: str, text: str, make: Callable[[str], T]) -> T:
        """Returns what is made of a text, which takes long where the text is long and asks the database for nothing.

        It is never made of a long one while a transaction and its deadline run: the operation is run again after it.
        `name` tells texts apart.
        """
        if name in self.made:
            kept: T = self.made[name]
            return kept
        if len(text) > LONG_TEXT:
            raise NotMade(self.made, name, lambda: make(text))
        return make(text)

    def check_match(self, record: Mapping[str, Any]) -> None:
        """Refuses with `PreconditionFailed` when the caller holds another state of the record."""
        if not matches(self.if_match, record, self.now):
            raise PreconditionFailed


class NotMade(WriteConflict):
    """Something has to be made of a long text before the operation can go on."""

    def __init__(self, made: dict[str, Any], name: str, make: Callable[[], Any]) -> None:
        self._made, self._name, self._make = made, name, make

    def before_the_next_try(self) -> None:
        self._made[self._name] = self._make()


def this_instant() -> datetime:
    """Returns now, in UTC, cut to the milliseconds that MongoDB keeps."""
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)
