"""Clients that registered themselves, codes, and the tokens that are connections (decisions, section 16)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, NotRequired, TypedDict, cast

from app.core.errors import Unauthorized
from app.core.features import Record
from app.core.store.collection import Collection, object_id, to_bson
from app.core.store.secrets import Secrets
from app.core.store.store import Store
from app.core.store.types import Values
from app.oauth.rules import AgreedToken, ConnectedToken, StoredCode
from app.projects.access import is_in_force
from app.projects.token_store import Tokens


class Connections(Tokens):
    """The tokens, of which those of clients are found by their secrets."""

    def by_secret(self, project_id: str, part: Literal["code", "family"], part_hash: str) -> ConnectedToken | None:
        """Returns the connection that has this hash: of its code, or of the part that all its refresh tokens have."""
        found = self._find_one(project_id, {f"connection.{part}": part_hash}, self.hidden)
        return cast(ConnectedToken | None, found)


class Codes(Secrets[StoredCode]):
    """The codes of a project that no client has exchanged yet."""

    name = "codes"


class StoredRegistration(TypedDict):
    """A client that registered itself, in no project; its id is the client's."""

    id: str
    name: str
    uri: str | None
    redirectUris: list[str]
    createdAt: datetime
    expiresAt: NotRequired[datetime]
    """When it expires; missing once it has made a connection."""
    address: str
    """The hash of the address that registered it."""


class Registrations(Collection[StoredRegistration]):
    """The clients that registered themselves. They belong to no project, as they ask before anybody has signed in."""

    name = "registrations"
    nowhere: Mapping[str, None] = {"projectId": None}
    """That they belong to no project, in each filter and record."""

    def register(self, record: Values) -> None:
        """Adds a client."""
        self._collection.insert_one(to_bson({**record, **self.nowhere}), session=self._session)

    def count(self, address: str, since: datetime) -> int:
        """Returns how many clients an address has registered since a time."""
        return self._collection.count_documents({**self.nowhere, "address": address, "createdAt": {"$gt": since}})

    def remove(self, client_id: str) -> None:
        """Deletes a client."""
        self._collection.delete_one({**self.nowhere, "_id": object_id(client_id)}, session=self._session)

    def get(self, client_id: str) -> StoredRegistration | None:
        """Returns a client; None where none has this id."""
        return self.from_bson(
            self._collection.find_one({**self.nowhere, "_id": object_id(client_id)}, session=self._session)
        )

    def keep(self, client_id: str) -> None:
        """Makes the registration of a client permanent, once it has made a connection."""
        self._collection.update_one(
            {**self.nowhere, "_id": object_id(client_id)}, {"$unset": {"expiresAt": ""}}, session=self._session
        )


def granter_is_in_force(store: Store, project_id: str, token: ConnectedToken | AgreedToken, now: datetime) -> bool:
    """Returns whether the token that agreed to a connection is in force, with the secret that it had then."""
    by = token.get("grantedBy")
    granter = store[Tokens].get(project_id, by["id"] or "") if by else None
    return granter is not None and granter["hash"] == token.get("grantedWith") and is_in_force(granter, now)


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
