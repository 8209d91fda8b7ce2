"""What rules know of a call: who calls, over which interface and when, and what was read of other records for it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.rules.actors import Actor
from app.vocabulary import Channel


@dataclass(frozen=True)
class Call:
    """One call, as the rules see it. The fields with a default are set by the operations that need them."""

    actor: Actor
    channel: Channel
    now: datetime
    claimed_at: datetime | None = None
    """The claim that the caller writes under, where several agents share a token."""
    review_required: bool = False
    """Whether the project publishes only what was approved."""
    may_not_change_site: bool = False
    """Whether an agent calls, and the project demands a review or four eyes of what the site shows."""
    same_eyes: Actor | None = None
    """The author or submitter of the version, if that is the caller and the project demands four eyes."""
    not_renderable: bool = False
    """Whether the html of the document's content is too large to be published."""
    taken_slugs: Collection[str] = ()
    """The slugs that the document has or gets, and that other documents have."""
    failed_checks: Sequence[Mapping[str, Any]] = ()
    """The failures of checks that the project demands."""

    @property
    def token_id(self) -> str | None:
        return self.actor["id"]

    @property
    def is_by_agent(self) -> bool:
        """Whether an agent calls: a token with an agent's name, or anybody over MCP."""
        return bool(self.actor["agent"]) or self.channel == Channel.MCP
