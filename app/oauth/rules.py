"""Connecting by OAuth: which addresses and scopes a client may have, and whether its secrets still hold.

(decisions, section 16)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, Any, NotRequired
from urllib.parse import urlsplit

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import doc
from app.core.errors import BadRequest
from app.core.features import Record
from app.core.vocabulary import Scope
from app.guards.budgets import Budget
from app.oauth.schemas import LOOPBACK, is_redirect
from app.projects.rules import StoredSecret, StoredToken
from app.projects.tokens import AGENT_SCOPES

CLIENT = "https://assistant.example.com/client.json"


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
    """Stored form of the secrets of a connection: only hashes (decisions, section 16)."""

    code: str
    """The hash of the code that it was made with."""
    family: str
    """The hash of the part that all of its refresh tokens have."""
    refresh: str
    """The hash of its present refresh token."""
    accessExpiresAt: datetime
    answers: list[RefreshAnswer]


class AgreedToken(TypedDict):
    """The fields of a client's token that somebody agreed to."""

    name: str
    agent: str
    scopes: list[str]
    budget: Budget | None
    client: ClientOfToken
    grantedBy: Actor
    grantedWith: str | None
    memberId: NotRequired[str | None]
    expiresAt: datetime


class ConnectionKeys(TypedDict):
    """The keys of a token."""

    client: Annotated[ClientOfToken | None, doc("the client that it was made for by OAuth; null: made otherwise")]
    grantedBy: Annotated[Actor | None, doc("who agreed to connect the client; null: made otherwise")]


class ConnectedToken(StoredToken):
    """A client's token as the store returns it."""

    client: NotRequired[ClientOfToken | None]
    grantedBy: NotRequired[Actor | None]
    grantedWith: NotRequired[str | None]
    """The hash of the token secret that agreed; the connection ends with that secret."""
    connection: NotRequired[Connection]
    """The secrets of the client."""


class StoredCode(StoredSecret):
    """A consent, until the client exchanges the code for it (decisions, section 16)."""

    redirectUri: str
    challenge: str
    """The challenge that the verifier has to meet (RFC 7636)."""
    token: AgreedToken


CONNECTABLE = (Scope.READ, Scope.WRITE, Scope.PUBLISH)
"""The scopes that a client can be given; never `admin`."""


MAX_NAME = 100


CODE_LIFE = timedelta(seconds=60)


ACCESS_LIFE = timedelta(hours=1)


UNUSED_LIFE = timedelta(days=1)
"""How long a registration without a connection is stored."""


REPEAT_LIFE = timedelta(seconds=10)
"""How long the response to a refresh is repeated."""


MAX_REPEATS = 20
"""How many answers of refreshes are stored; a client that refreshes more often within 10 s has lost none of them."""


@dataclass(frozen=True)
class Client:
    """A client that asks to be connected; of a connected client only the id is used."""

    id: str
    name: str = ""
    uri: str | None = None
    redirect_uris: tuple[str, ...] = ()

    @property
    def has_document(self) -> bool:
        """True if it names itself by a document at its own address."""
        return is_document(self.id)

    @property
    def host(self) -> str:
        """The host of its document, else that of its redirect address."""
        return host_of(self.id if self.has_document else self.redirect_uris[0])

    # What Authlib asks of a client.

    def check_redirect_uri(self, address: str) -> bool:
        """Returns whether an address is the client's: exactly, but for the port of a loopback address."""
        own = map(_without_local_port, self.redirect_uris)
        return is_redirect(address) and _without_local_port(address) in own

    def get_default_redirect_uri(self) -> None:
        """Returns none: every request names its address."""

    def get_allowed_scope(self, scope: str | None) -> str | None:
        """Returns those of the scopes that a client can be given, None for none."""
        return " ".join(known_scopes(scope or " ".join(AGENT_SCOPES))) or None

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        """Returns whether the method is that of a public client."""
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        """Returns whether a client may ask for it; those that a server does not know have been refused."""
        return True

    check_grant_type = check_response_type


def client_of(client_id: str, metadata: Mapping[str, Any]) -> Client:
    """Returns a client from its metadata (RFC 7591), which a schema has checked; without a name it has its host's."""
    name = "".join(filter(str.isprintable, metadata.get("client_name") or "")).strip()[:MAX_NAME]
    client = Client(client_id, name, metadata.get("client_uri"), tuple(metadata["redirect_uris"]))
    return client if name else replace(client, name=client.host)


def is_document(client_id: str) -> bool:
    """Returns whether a client's id is the address of its metadata document."""
    return client_id.startswith(("https://", "http://"))


def host_of(address: str) -> str:
    """Returns the host of an address with its port; of one with a private scheme, the scheme."""
    parts = urlsplit(address)
    return parts.netloc if is_document(address) else f"{parts.scheme}:"


def _without_local_port(address: str) -> str:
    return LOOPBACK.sub(r"\1", address, count=1)


def known_scopes(asked: str) -> list[Scope]:
    """Returns those of the scopes that were asked for that a client can be given."""
    words = asked.split()
    return [scope for scope in CONNECTABLE if scope in words]


def answer_to_repeat(connection: Connection, refresh_hash: str, now: datetime) -> RefreshAnswer | None:
    """Returns the answer that a refresh token had within the last 10 s."""
    answers = connection["answers"]
    return next((one for one in answers if one["refresh"] == refresh_hash and one["until"] > now), None)


def with_answer(connection: Connection, answer: RefreshAnswer, now: datetime) -> list[RefreshAnswer]:
    """Returns the answers that may still have to be repeated, with a new one."""
    return [*(one for one in connection["answers"] if one["until"] > now), answer][-MAX_REPEATS:]


def refuse_rotation(token: Record) -> None:
    """Refuses with `BadRequest` a new secret for a connection."""
    if token.get("client"):
        raise BadRequest("A client renews the secrets of its connection itself: revoke the token to end it.")
