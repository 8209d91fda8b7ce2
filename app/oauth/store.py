"""The clients that registered themselves, to be connected by OAuth (decisions, section 16)."""

from datetime import datetime
from typing import NotRequired, TypedDict

from app.core.store.collection import Collection, object_id, to_bson
from app.core.store.secrets import Secrets
from app.core.store.types import Values
from app.oauth.rules import StoredCode


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

    def register(self, record: Values) -> None:
        """Adds a client."""
        self._collection.insert_one(to_bson(record), session=self._session)

    def count(self, address: str, since: datetime) -> int:
        """Returns how many clients an address has registered since a time."""
        return self._collection.count_documents({"address": address, "createdAt": {"$gt": since}})

    def remove(self, client_id: str) -> None:
        """Deletes a client."""
        self._collection.delete_one({"_id": object_id(client_id)}, session=self._session)

    def get(self, client_id: str) -> StoredRegistration | None:
        """Returns a client; None where none has this id."""
        return self.from_bson(self._collection.find_one({"_id": object_id(client_id)}, session=self._session))

    def keep(self, client_id: str) -> None:
        """Makes the registration of a client permanent, once it has made a connection."""
        self._collection.update_one({"_id": object_id(client_id)}, {"$unset": {"expiresAt": ""}}, session=self._session)
