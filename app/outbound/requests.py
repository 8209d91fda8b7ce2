"""Sends one request to somebody else's server, never to an internal address, in bounded time and size.

(decisions, sections 9 and 16)

The host name is resolved once, each of its addresses is checked, and the connection goes to a checked address, so that
DNS rebinding changes nothing. Redirects are not followed. The time limit covers everything from resolving the name to
the end of the response.

`h11` does HTTP on a socket of ours. The clients that are built on it (httpx, httpcore) and urllib3 bound each read, not
the whole exchange, and read informational responses without end.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import h11
from werkzeug.urls import iri_to_uri

from app.outbound.ip_addresses import known_addresses, may_reach

if TYPE_CHECKING:
    from dns.resolver import Resolver

RESOLVE_SECONDS = 4.0

PORTS = {"http": 80, "https": 443}

Resolve = Callable[[str, float], list[str]]
Exchange = tuple[h11.Response, bytes | None]
"""A response, and its body; None where that is too long or did not arrive."""


class NoAddress(OSError):
    """The host name does not resolve, or to an address that may not be reached."""


class ResponseTooLarge(OSError):
    """The response is longer than it may be."""


def resolve_host(host: str, seconds: float, resolver: Resolver | None = None) -> list[str]:
    """Returns the addresses that DNS returns for a host name within some seconds."""
    addresses = known_addresses(host)
    if addresses:
        return addresses
    import dns.resolver  # takes 3 MB, and a process that serves resolves names for OAuth alone

    with suppress(dns.exception.DNSException):  # no configuration for DNS
        resolver = resolver or dns.resolver.Resolver()
        for kind in ("A", "AAAA"):
            with suppress(dns.exception.DNSException):
                addresses += [row.address for row in resolver.resolve(host, kind, lifetime=seconds / 2)]
    return addresses


class OutboundClient:
    """Sends requests to public addresses over https, and to loopback where that is allowed."""

    def __init__(
        self,
        *,
        allow_local: bool,
        seconds: float,
        max_bytes: int,
        resolve: Resolve = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`seconds` and `max_bytes` bound a whole exchange, and how much of a response is read, headers included."""
        self.seconds = seconds
        self.max_bytes = max_bytes
        self._allow_local = allow_local
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Exchange:
        """Sends a request and returns the response, with its body where that arrived whole.

        Raises `NoAddress`, `ResponseTooLarge`, `TimeoutError`, other kinds of `OSError`, and `h11.ProtocolError`.
        """
        deadline = time.monotonic() + self.seconds
        try:
            parts = urlsplit(iri_to_uri(url))
        except UnicodeError:  # no DNS can hold the host
            raise NoAddress from None
        host = parts.hostname or ""
        addresses = self._addresses(parts.scheme, host)
        if not addresses:
            raise NoAddress
        request = h11.Request(
            method=method,
            target=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
            headers=[
                ("Host", parts.netloc.rpartition("@")[2]),
                *([("Content-Length", str(len(body)))] if body else []),
                ("Connection", "close"),
                *headers.items(),
            ],
        )
        with _connected(addresses, parts.port or PORTS[parts.scheme], deadline) as plain:
            if parts.scheme == "http":
                return self._talk(plain, request, body, deadline)
            plain.settimeout(seconds_left(deadline))
            with self._tls.wrap_socket(plain, server_hostname=host.rstrip(".")) as secured:
                return self._talk(secured, request, body, deadline)

    def _addresses(self, scheme: str, host: str) -> list[str]:
        """Returns the addresses of a host; none where one of them may not be reached."""
        addresses = self._resolve(host, min(RESOLVE_SECONDS, self.seconds)) if host else []
        allowed = all(may_reach(address, scheme, self._allow_local) for address in addresses)
        return addresses if allowed else []

    def _talk(self, connection: socket.socket, request: h11.Request, body: bytes, deadline: float) -> Exchange:
        http = h11.Connection(h11.CLIENT, max_incomplete_event_size=self.max_bytes)
        sent = [http.send(event) for event in (request, h11.Data(data=body), h11.EndOfMessage())]
        connection.settimeout(seconds_left(deadline))
        connection.sendall(b"".join(part or b"" for part in sent))
        events = _events(http, connection, deadline, self.max_bytes)
        response = next(event for event in events if isinstance(event, h11.Response))
        with suppress(OSError, h11.ProtocolError):
            return response, b"".join(event.data for event in events if isinstance(event, h11.Data))
        return response, None


def _connected(addresses: list[str], port: int, deadline: float) -> socket.socket:
    """Returns a connection to the first address that accepts one."""
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout=seconds_left(deadline) / 2)
    return socket.create_connection((addresses[-1], port), timeout=seconds_left(deadline))


def _events(http: h11.Connection, connection: socket.socket, deadline: float, max_bytes: int) -> Iterator[h11.Event]:
    """Yields the parts of a response until it ends; raises when the deadline passes or the response gets too large."""
    received = 0
    while True:
        event = http.next_event()
        if isinstance(event, h11.Event):
            yield event
            if isinstance(event, h11.EndOfMessage):
                return
            continue
        if received > max_bytes:
            raise ResponseTooLarge
        connection.settimeout(seconds_left(deadline))
        data = connection.recv(16_384)
        received += len(data)
        http.receive_data(data)


def seconds_left(deadline: float) -> float:
    """Returns how long it is until an instant of the monotonic clock; raises `TimeoutError` when that has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
