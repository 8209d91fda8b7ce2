"""The server's setting of connections by OAuth (decisions, section 16)."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import Field

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
