"""What is stored of a token, and its budget: how much it may change in an hour, and publish in a day.

(decisions, sections 2 and 13)
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.documented import doc
from app.errors import BudgetExceeded
from app.rules.actors import Actor
from app.rules.times import wire_time
from app.vocabulary import BudgetLimit, TokenKind


class Budget(TypedDict):
    """How much a token may change."""

    writesPerHour: Annotated[int | None, doc("calls that change something, in a clock hour; null: no limit", 100)]
    publishesPerDay: Annotated[int | None, doc("documents published or scheduled, in a UTC day; null: no limit", 5)]


CLIENT = "https://assistant.example.com/client.json"
LASTS = {BudgetLimit.WRITES: timedelta(hours=1), BudgetLimit.PUBLISHES: timedelta(days=1)}


def budget_of(sent: Mapping[str, Any] | None) -> Budget | None:
    """Returns a budget that was sent, whole; None where it limits nothing."""
    budget = Budget(
        writesPerHour=(sent or {}).get(BudgetLimit.WRITES), publishesPerDay=(sent or {}).get(BudgetLimit.PUBLISHES)
    )
    return budget if any(budget.values()) else None


def limits_of(budget: Budget, *, publishes: bool) -> dict[BudgetLimit, int]:
    """Returns the limits that a call counts towards, the one that resets last first."""
    limits = {
        BudgetLimit.PUBLISHES: budget["publishesPerDay"] if publishes else None,
        BudgetLimit.WRITES: budget["writesPerHour"],
    }
    return {limit: most for limit, most in limits.items() if most is not None}


def begins(limit: BudgetLimit, now: datetime) -> datetime:
    """Returns when the present hour or day of a limit began, in UTC."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    return hour if limit == BudgetLimit.WRITES else hour.replace(hour=0)


def if_exceeded(
    budget: Budget, counts: Mapping[BudgetLimit, int], now: datetime, *, publishes: bool
) -> BudgetExceeded | None:
    """Returns the refusal of a call that brings the counts to these numbers; None where they are within the budget."""
    for limit, most in limits_of(budget, publishes=publishes).items():
        if counts[limit] > most:
            resets = begins(limit, now) + LASTS[limit]
            return BudgetExceeded(
                f"The token's budget is used up: `{limit}` is {most}. Wait until {wire_time(resets)}, or have somebody "
                "with the scope `admin` raise it.",
                headers={"Retry-After": str(max(1, ceil((resets - now).total_seconds())))},
                budget=str(limit),
                resetsAt=wire_time(resets),
            )
    return None


class ClientOfToken(TypedDict):
    """The client that a token was made for."""

    id: Annotated[str, doc("its id: the address of its metadata document, or that of its registration", CLIENT)]
    name: Annotated[str, doc("its name, as it says", "Assistant")]
    uri: Annotated[str | None, doc("its page, as it says", "https://assistant.example.com")]


class RefreshAnswer(TypedDict):
    """The answer of a refresh, for a client that lost it."""

    refresh: str
    """The hash of the refresh token that was sent."""
    until: datetime
    answer: bytes
    """The answer, encrypted under that refresh token."""


class Connection(TypedDict):
    """What is stored of the secrets of a connection: only hashes (decisions, section 16)."""

    code: str
    """The hash of the code that it was made with."""
    family: str
    """The hash of the part that all of its refresh tokens have."""
    refresh: str
    """The hash of its present refresh token."""
    accessExpiresAt: datetime
    answers: list[RefreshAnswer]


class StoredToken(TypedDict):
    """A token as the store returns it; lists leave out `hash`, `connection` and `grantedWith`."""

    id: str
    projectId: str
    kind: str
    name: str
    agent: NotRequired[str | None]
    scopes: list[str]
    drafts: bool
    budget: NotRequired[Budget | None]
    memberId: NotRequired[str | None]
    client: NotRequired[ClientOfToken | None]
    grantedBy: NotRequired[Actor | None]
    grantedWith: NotRequired[str | None]
    """The hash of the token secret that agreed; the connection ends with that secret."""
    connection: NotRequired[Connection]
    """The secrets of a token that a client got by OAuth."""
    hash: NotRequired[str]
    createdAt: datetime
    expiresAt: NotRequired[datetime | None]
    lastUsedAt: NotRequired[datetime | None]
    revokedAt: NotRequired[datetime | None]
    rev: int


NEW_TOKEN: Mapping[str, Any] = {
    "kind": TokenKind.MANAGEMENT,
    "agent": None,
    "drafts": False,
    "budget": None,
    "expiresAt": None,
    "lastUsedAt": None,
    "revokedAt": None,
}
"""The fields of a new token that nobody chose."""


class StoredSecret(TypedDict):
    """What is stored of a secret that expires."""

    id: str
    projectId: str
    hash: str
    """The hash of the secret."""
    createdAt: datetime
    expiresAt: datetime


class StoredInvitation(StoredSecret):
    """An invitation as the store returns it."""

    memberId: str
    scopes: list[str]
    """What the token will allow."""
    createdBy: Actor
    tokenHash: str | None
    """The hash of the secret that the invitation was made with, with which it ends. None for the command line."""


class StoredReviewLink(StoredSecret):
    """A review link as the store returns it; lists leave out `hash`."""

    documentId: str
    name: str
    createdBy: Actor


class AgreedToken(TypedDict):
    """The fields of a client's token that somebody agreed to."""

    name: str
    agent: str
    scopes: list[str]
    budget: Budget | None
    client: ClientOfToken
    grantedBy: Actor
    grantedWith: str | None
    expiresAt: datetime


class StoredCode(StoredSecret):
    """What somebody agreed to, until the client exchanges the code for it (decisions, section 16)."""

    redirectUri: str
    challenge: str
    """The challenge that the verifier has to meet (RFC 7636)."""
    token: AgreedToken
