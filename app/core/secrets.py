"""The stored form of a secret that expires; only its hash is stored."""

from datetime import datetime

from typing_extensions import TypedDict


class StoredSecret(TypedDict):
    """Stored form of a secret that expires."""

    id: str
    projectId: str
    hash: str
    """The hash of the secret."""
    createdAt: datetime
    expiresAt: datetime
