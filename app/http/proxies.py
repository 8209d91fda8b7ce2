"""Finds the address of a caller behind trusted proxies, and the client it counts as (decisions, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

Networks = tuple[IPv4Network | IPv6Network, ...]

MOST_HOPS = 20
"""How many addresses of `X-Forwarded-For` are read, from its end: no chain of proxies is longer."""
CLIENT_BITS = 64
"""How much of an IPv6 address tells clients apart: providers give each of theirs all addresses of such a network."""
WITH_PORT = re.compile(r"\[(?P<v6>[^\]]+)\](:\d+)?|(?P<v4>[^:]+):\d+")
"""How some proxies write an address: `192.0.2.7:49152`, `[2001:db8::7]:49152`."""


def is_within(address: str, wanted: Networks) -> bool:
    """Returns whether an address belongs to one of the networks; what is not an address belongs to none."""
    parsed = _parsed(address)
    return parsed is not None and any(parsed in network for network in wanted)


@lru_cache(4096)
def client_of(address: str) -> str:
    """Returns the key under which limits count an address: an IPv4 address, or an IPv6 address's network."""
    parsed = _parsed(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed.packed, CLIENT_BITS), strict=False))
    return str(parsed or address)


class TrustedProxies:
    """WSGI middleware: the address is the last in `X-Forwarded-For` that is not a trusted proxy, without a port."""

    def __init__(self, app: WSGIApplication, trusted: Networks) -> None:
        self._app, self._trusted = app, trusted

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        listed = environ.get("HTTP_X_FORWARDED_FOR", "").rsplit(",", MOST_HOPS)[-MOST_HOPS:]
        hops = [hop.strip() for hop in listed if hop.strip()]
        address = environ.get("REMOTE_ADDR", "")
        while hops and is_within(address, self._trusted):
            address = _without_port(hops.pop())
        environ["REMOTE_ADDR"] = address
        return self._app(environ, start_response)


def _without_port(hop: str) -> str:
    found = WITH_PORT.fullmatch(hop)
    return hop if found is None else found["v6"] or found["v4"]


def _parsed(address: str) -> IPv4Address | IPv6Address | None:
    try:
        parsed = ip_address(address)
    except ValueError:
        return None
    # A socket for both families names an IPv4 address this way: ::ffff:192.0.2.7
    mapped: IPv4Address | None = getattr(parsed, "ipv4_mapped", None)
    return mapped or parsed
