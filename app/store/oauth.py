"""The clients that registered themselves, to be connected by OAuth (decisions, section 16)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.store.collection import Collection, object_id, to_bson
from app.store.types import Values


class StoredRegistration(TypedDict):
    """A client that registered itself, in no project; its id is the client's."""

    id: str
    name: str
    uri: str | None
    redirectUris: list[str]
    createdAt: datetime
    expiresAt: NotRequired[datetime]
    """When it is dropped, until it makes a connection."""
    address: NotRequired[str]
    """The hash of the address that registered it, until it makes a connection."""


class Registrations(Collection[StoredRegistration]):
    """The clients that registered themselves. They belong to no project, as they ask before anybody has signed in."""

    name = "registrations"

    def register(self, record: Values) -> None:
        """Adds a client."""
        self._collection.insert_one(to_bson(record), session=self._session)

    def count(self, address: str, since: datetime) -> int:
        """Returns how many clients an address has registered since a time."""
        return self._collection.count_documents({"address": address, "createdAt": {"$gt": since}})

    def remove(self, client_id: str) -> None:
        """Drops a client."""
        self._collection.delete_one({"_id": object_id(client_id)}, session=self._session)

    def get(self, client_id: str) -> StoredRegistration | None:
        """Returns a client; None where none has this id."""
        return self.from_bson(self._collection.find_one({"_id": object_id(client_id)}, session=self._session))

    def keep(self, client_id: str) -> None:
        """Keeps a client, which has made a connection."""
        without = {"$unset": {"expiresAt": "", "address": ""}}
        self._collection.update_one({"_id": object_id(client_id)}, without, session=self._session)
