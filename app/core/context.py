"""The context of one call: the caller, the interface, and the time of the call."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any, TypeVar

from app.core.actors import SYSTEM, Actor
from app.core.calls import Call
from app.core.errors import Forbidden, PreconditionFailed, Refusal
from app.core.events import Event
from app.core.features import Features
from app.core.records import Tags, matches, tag_of
from app.core.store.store import Store
from app.core.text.content import LastContent
from app.core.vocabulary import ALL_TOOLS, ActorType, Channel, Scope

Record = TypeVar("Record", bound=Mapping[str, Any])


NO_TAG = "`If-Match` names no state of this record: send the ETag that you read as it was, with its quotes."


@dataclass(frozen=True)
class Caller:
    """Who calls: a token of a project, or the service itself."""

    project_id: str
    team_id: str
    token_id: str | None
    name: str = ""
    agent: str = ""
    """The agent's name that the token has of its own."""
    scopes: frozenset[Scope] = frozenset()
    drafts: bool = False
    """True if a delivery token has the drafts permission: it may read documents that are not published."""
    project_name: str = ""
    type: ActorType = ActorType.TOKEN
    """Type of the caller in records and events: a token, or a review link."""
    token: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The token as it was stored when the caller was authenticated; empty for others."""
    project: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The project as it was stored at that time, without its long fields; empty for the service itself."""
    member_id: str | None = None
    """The member to whom the token belongs."""
    client: str = ""
    """Name that the client gives itself over MCP, used as the agent's name if the token has none."""
    token_hash: str | None = None
    """The hash of the token's secret then: of the one that was sent, or that the session was begun with."""

    @property
    def actor(self) -> Actor:
        """The caller as records and events name it."""
        if self.token_id is None:
            return SYSTEM
        return Actor(type=self.type, id=self.token_id, name=self.name, agent=self.agent or self.client)


def system(project_id: str, team_id: str) -> Caller:
    """Returns the service itself as the caller, with all scopes: the command line and the worker."""
    return Caller(project_id, team_id, None, scopes=frozenset(Scope))


def this_instant() -> datetime:
    """Returns now, in UTC, truncated to the milliseconds that MongoDB stores."""
    now = datetime.fromtimestamp(time.time(), UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@dataclass(frozen=True)
class Server:
    """Facts of the server that was called, for operations; made once for each app or command."""

    address: Callable[[], str] = lambda: ""
    """Returns the URL that the server is reached at, for links to it."""
    public_url: str = ""
    """The URL that it is reached at where it is configured."""
    base_path: str = ""
    """What the paths of the management API begin with."""
    webhooks_allow_local: bool = False
    """True if its webhooks may reach its own loopback."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Facts that features derive from its settings (`Feature.facts`)."""
    callers_changed: Callable[[str], None] = lambda project_id: None
    """Makes it authenticate a project's callers again; called after a write that needs the scope `admin`."""


NO_SERVER = Server()
"""For calls that no server received, such as those of the worker."""


@dataclass(frozen=True)
class Context:
    """One call: created once and passed on. All that it stores has the same time, `now`."""

    store: Store
    caller: Caller
    channel: Channel
    now: datetime = field(default_factory=this_instant)
    if_match: Tags = None
    """The entity tags that the caller holds for the record; None for no condition."""
    any_state: bool = False
    """True if the caller accepts any state of the record (`If-Match: *`)."""
    server: Server = NO_SERVER
    tries: int = 0
    """How many tries of this call lost to other requests; later tries read what the first one assumed."""
    prepared: Any = None
    """Return value of the operation's `prepare` for this try; in `prepare` itself, for the try before."""
    dry_run: bool = False
    """True if everything that the call writes is rolled back."""
    toolset: str = ALL_TOOLS
    """The set of MCP's tools that the client chose."""
    explain: Callable[[Refusal, Any, Any], Refusal] = lambda refusal, operation, ctx: refusal
    """Returns the refusal of an operation as the interface words it for its callers."""
    file: bytes | None = field(default=None, repr=False)
    """The body of the request, for an operation that takes a file."""
    stream: IO[bytes] | None = field(default=None, repr=False)
    """The body of the request, for an operation that takes one of any length."""
    content: LastContent = field(default_factory=LastContent, repr=False)
    """Parses the text that the call works on, once for all who read it."""

    @property
    def project_id(self) -> str:
        return self.caller.project_id

    @property
    def features(self) -> Features:
        """The lists of the application that was called."""
        return self.store.features

    @property
    def call(self) -> Call:
        """The call as rules see it."""
        has_agent = bool(self.caller.agent)
        return Call(
            self.caller.actor,
            self.channel,
            self.now,
            has_agent,
            self.caller.member_id,
            name_of=self.name_of,
            permits=self.permits,
            publishes_unapproved=lambda: not self.features.require_review(self.caller.project),
        )

    def permits(self, operation: str) -> bool:
        """Returns whether the caller has the scope of an operation, over MCP also in the chosen toolset."""
        found = self.features.by_name.get(operation)
        return found is not None and found.scope in self.caller.scopes and found.is_in(self.toolset)

    def name_of(self, operation: str) -> str:
        """Returns how messages name an operation for this caller (decisions, sections 8 and 11).

        Over MCP a tool that the client's toolset lacks is named with a toolset that has it.
        """
        found = self.features.by_name.get(operation)
        if found is None:
            return f"`{operation}`"
        name = found.name_on(self.channel)
        return name if found.is_in(self.toolset) else f"{name} (of the toolset `{found.toolsets[0]}`)"

    @property
    def token_id(self) -> str:
        """The calling token's id, for what belongs to tokens: drafts and idempotency keys."""
        if self.caller.token_id is None:
            raise Forbidden("This operation needs a token: drafts and idempotency keys belong to tokens.")
        return self.caller.token_id

    def event(self, kind: str, data: Mapping[str, Any] | None = None) -> Event:
        """Returns an event of this call; `data` are details that the changed record itself does not have."""
        return Event(kind, self.now, self.caller.actor, data or {})

    def check_match(self, record: Record) -> Record:
        """Returns the record; refuses with `PreconditionFailed` when the caller holds another state of it.

        The response has the tag of the present one.
        """
        if not matches(self.if_match, record):
            present = {"ETag": f'"{tag_of(record)}"'}
            raise PreconditionFailed(headers=present) if self.if_match else PreconditionFailed(NO_TAG, headers=present)
        return record
