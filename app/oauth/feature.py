"""Connections: the setting of the server, the fields of tokens and the storage that OAuth adds."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import Field

from app.core.features import Feature
from app.core.store.indexes import Storage, index, key_index
from app.oauth.rules import ConnectionKeys, refuse_rotation
from app.oauth.store import access_ends
from app.projects.token_responses import Token
from app.settings import Settings


def _is_loopback(host: str) -> bool:
    """Returns whether a host is 127.0.0.0/8, ::1 or localhost."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class ConnectionSettings(Settings):
    """Who issues connections."""

    oauth: bool = Field(
        True, description="let people connect clients at /oauth/authorize, where PUBLIC_URL is https or on loopback"
    )

    @property
    def issuer(self) -> str:
        parts = urlsplit(self.public_url)
        is_safe = self.is_https or _is_loopback(parts.hostname or "")
        served = self.oauth and self.serve_console and self.serve_mcp
        return self.public_url.rstrip("/") if served and is_safe and parts.path in ("", "/") else ""


FEATURE = Feature(
    "oauth",
    responses={Token: ConnectionKeys},
    settings=ConnectionSettings,
    secret_ends=access_ends,
    refuse_rotation=refuse_rotation,
    storage=Storage(
        indexes=(
            index("tokens", "projectId connection.code", "what a code made", {"connection.code": {"$gt": ""}}),
            index(
                "tokens", "projectId connection.family", "whose a refresh token is", {"connection.family": {"$gt": ""}}
            ),
            index("codes", "projectId hash", "finds what somebody agreed to", unique=True),
            index("codes", "expiresAt", "codes expire", expireAfterSeconds=0),
            index("registrations", "address createdAt", "how many clients an address registered"),
            index("registrations", "expiresAt", "registrations without a connection are dropped", expireAfterSeconds=0),
            key_index("registrations"),
        ),
        shard_keys={"codes": "projectId", "registrations": "projectId _id"},
    ),
)
