"""The caller's address, where a proxy that is trusted by name forwards the request (decisions, section 3)."""

from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network
from typing import Any

from app.settings import SettingsError

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]


class TrustedProxies:
    """WSGI middleware: the address is the last in `X-Forwarded-For` that is no trusted proxy."""

    def __init__(self, app: WsgiApp, trusted: Iterable[str]) -> None:
        self._app = app
        try:
            self._trusted = [ip_network(name, strict=False) for name in trusted]
        except ValueError as error:
            raise SettingsError(f"TRUSTED_PROXIES: {error}. Name addresses or networks, like 10.0.0.0/8.") from error

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        hops = [hop.strip() for hop in environ.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        address = environ.get("REMOTE_ADDR", "")
        while hops and self._trusts(address):
            address = hops.pop()
        environ["REMOTE_ADDR"] = address
        return self._app(environ, start_response)

    def _trusts(self, address: str) -> bool:
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        mapped = getattr(parsed, "ipv4_mapped", None)  # how a socket for both families names an IPv4 address
        return any((mapped or parsed) in network for network in self._trusted)
