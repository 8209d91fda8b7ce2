"""One call as pure rules see it: who calls, how, when, and which gates the call has to pass."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.core.actors import Actor
from app.core.vocabulary import Channel


@dataclass(frozen=True)
class Call:
    """One call, as the rules see it. The fields with a default are set by the operations that need them."""

    actor: Actor
    channel: Channel
    now: datetime
    has_agent: bool = False
    """True if the token has an agent's name of its own, which no client sent."""
    member_id: str | None = None
    """The member whose token calls, or None."""
    name_of: Callable[[str], str] = "`{}`".format
    """Returns how messages name an operation for this caller: by its tool, its button or its route."""
    permits: Callable[[str], bool] = lambda operation: True
    """Returns whether the caller has the scope of an operation, over MCP also in the chosen toolset."""
    publishes_unapproved: Callable[[], bool] = lambda: True
    """Returns whether the caller's project publishes what was not approved."""
    claimed_at: str | None = None
    """When the claim was made that the caller writes under, as it was sent, where several agents share a token."""
    taken_slugs: Collection[str] = ()
    """The slugs that the document has or gets, and that other documents have."""
    gates: Collection[Callable[[Mapping[str, Any], "Call"], None]] = ()
    """The gates that the operation has to pass directly after the record's status, with the facts that they read."""

    @property
    def token_id(self) -> str | None:
        return self.actor["id"]

    @property
    def is_by_agent(self) -> bool:
        """True if an agent calls: a token with an agent's name, or anybody over MCP."""
        return bool(self.actor["agent"]) or self.channel == Channel.MCP

    def pass_gates(self, record: Mapping[str, Any]) -> None:
        """Raises the first refusal of the gates."""
        for refuse in self.gates:
            refuse(record, self)
