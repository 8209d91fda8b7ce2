"""What OAuth adds to tokens: the client that one was made for, who agreed, and secrets that expire before the token."""

from datetime import datetime
from typing import Annotated, cast

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import doc
from app.core.errors import BadRequest, Unauthorized
from app.core.features import Feature, Record
from app.core.store.store import Store
from app.oauth.rules import ClientOfToken, ConnectedToken
from app.oauth.store import granter_is_in_force
from app.projects.token_responses import Token


class ConnectionKeys(TypedDict):
    """The keys of a token."""

    client: Annotated[ClientOfToken | None, doc("the client that it was made for by OAuth; null: made otherwise")]
    grantedBy: Annotated[Actor | None, doc("who agreed to connect the client; null: made otherwise")]


def access_ends(store: Store, token: Record, now: datetime) -> datetime | None:
    """Returns when the access token of a connection expires, None for another token.

    Refuses with `Unauthorized` where the token that agreed is not in force with the secret that it had then.
    """
    connected = cast(ConnectedToken, token)
    if (connection := connected.get("connection")) is None:
        return None
    if not granter_is_in_force(store, connected["projectId"], connected, now):
        raise Unauthorized
    return connection["accessExpiresAt"]


def refuse_rotation(token: Record) -> None:
    """Refuses with `BadRequest` a new secret for a connection."""
    if token.get("client"):
        raise BadRequest("A client renews the secrets of its connection itself: revoke the token to end it.")


FEATURE = Feature("oauth", responses={Token: ConnectionKeys}, secret_ends=access_ends, refuse_rotation=refuse_rotation)
