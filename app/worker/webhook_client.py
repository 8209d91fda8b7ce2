"""Sends one request of a webhook, never to an internal address, in bounded time and size (decisions, section 9).

The host name is resolved once, each of its addresses is checked, and the connection goes to a checked address, so that
DNS rebinding changes nothing. Redirects are not followed. The time limit covers everything from resolving the name to
the end of the response.

`h11` does HTTP on a socket of ours. The clients that are built on it (httpx, httpcore) and urllib3 bound each read, not
the whole exchange, and read informational responses without end.
"""

import socket
import ssl
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

import dns.exception
import dns.resolver
import h11

from app.rules.webhooks import known_addresses, may_reach

ATTEMPT_SECONDS = 15.0
RESOLVE_SECONDS = 4.0
MAX_RESPONSE_BYTES = 64 * 1024
"""How much of a response is read, headers included; nothing but its status is used."""

PORTS = {"http": 80, "https": 443}
SAFE_IN_PATH = "/%:@!$&'()*+,;=~-._"
SAFE_IN_QUERY = SAFE_IN_PATH + "?"

NO_ADDRESS = "The host name does not resolve to addresses that webhooks may reach."
"""The same for a name that does not resolve and for one that is internal, so that the log reveals no internal names."""

Resolve = Callable[[str, float], list[str]]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an attempt. `seconds` is 0 when no connection was tried."""

    status_code: int | None
    error: str | None
    seconds: float

    @property
    def succeeded(self) -> bool:
        return self.error is None


class ResponseTooLarge(Exception):
    """The response is longer than `MAX_RESPONSE_BYTES`."""


def resolve_host(host: str, seconds: float, resolver: dns.resolver.Resolver | None = None) -> list[str]:
    """Returns the addresses that the DNS has for a host name, those that it gives within some seconds."""
    addresses = known_addresses(host)
    if addresses:
        return addresses
    with suppress(dns.exception.DNSException):  # no configuration for DNS
        resolver = resolver or dns.resolver.Resolver()
        for kind in ("A", "AAAA"):
            with suppress(dns.exception.DNSException):
                addresses += [row.address for row in resolver.resolve(host, kind, lifetime=seconds / 2)]
    return addresses


class WebhookClient:
    """Sends signed messages."""

    def __init__(
        self,
        *,
        allow_local: bool,
        resolve: Resolve = resolve_host,
        tls: ssl.SSLContext | None = None,
        attempt_seconds: float = ATTEMPT_SECONDS,
    ) -> None:
        self._allow_local = allow_local
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()
        self._attempt_seconds = attempt_seconds

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Posts a body and returns the outcome; nothing that a receiver does raises an error."""
        began = time.monotonic()
        parts = urlsplit(url)
        host = _ascii_host(parts)
        addresses = self._addresses(parts.scheme, host)
        if not addresses:
            return Outcome(None, NO_ADDRESS, 0)
        status, error = None, None
        try:
            status = self._post(parts, host, addresses, headers, body, began + self._attempt_seconds)
            error = None if 200 <= status < 300 else f"The response had status {status}."
        except TimeoutError:
            error = f"The receiver did not respond within {self._attempt_seconds:g} seconds."
        except ssl.SSLError as problem:
            error = f"TLS failed: {problem.reason or 'the certificate is not valid'}."
        except ConnectionRefusedError:
            error = "The connection was refused."
        except ResponseTooLarge:
            error = f"The response had no status within {MAX_RESPONSE_BYTES // 1024} KiB."
        except (OSError, h11.ProtocolError):
            error = "The connection was closed early, or the response was not valid HTTP."
        return Outcome(status, error, time.monotonic() - began)

    def _addresses(self, scheme: str, host: str) -> list[str]:
        """Returns the addresses of a host; none where one of them may not be reached."""
        addresses = self._resolve(host, min(RESOLVE_SECONDS, self._attempt_seconds)) if host else []
        allowed = all(may_reach(address, scheme, self._allow_local) for address in addresses)
        return addresses if allowed else []

    def _post(
        self,
        url: SplitResult,
        host: str,
        addresses: list[str],
        headers: Mapping[str, str],
        body: bytes,
        deadline: float,
    ) -> int:
        """Returns the status of the response to a POST."""
        request = h11.Request(
            method="POST",
            target=_target(url),
            headers=[
                ("Host", _host_header(url, host)),
                ("Content-Length", str(len(body))),
                ("Connection", "close"),
                *headers.items(),
            ],
        )
        with _connected(addresses, url.port or PORTS[url.scheme], deadline) as plain:
            if url.scheme == "http":
                return _exchange(plain, request, body, deadline)
            plain.settimeout(_left(deadline))
            with self._tls.wrap_socket(plain, server_hostname=host.rstrip(".")) as secured:
                return _exchange(secured, request, body, deadline)


def _connected(addresses: list[str], port: int, deadline: float) -> socket.socket:
    """Returns a connection to the first address that accepts one."""
    for address in addresses[:-1]:
        with suppress(OSError):
            return socket.create_connection((address, port), timeout=_left(deadline) / 2)
    return socket.create_connection((addresses[-1], port), timeout=_left(deadline))


def _exchange(connection: socket.socket, request: h11.Request, body: bytes, deadline: float) -> int:
    """Sends a request and returns the status of the response."""
    http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_RESPONSE_BYTES)
    sent = [http.send(event) for event in (request, h11.Data(data=body), h11.EndOfMessage())]
    connection.settimeout(_left(deadline))
    connection.sendall(b"".join(part or b"" for part in sent))
    events = _events(http, connection, deadline)
    status = next(event.status_code for event in events if isinstance(event, h11.Response))
    # The status decides. The body is only read so that the receiver can send it.
    with suppress(OSError, h11.ProtocolError, ResponseTooLarge):
        deque(events, maxlen=0)
    return status


def _events(http: h11.Connection, connection: socket.socket, deadline: float) -> Iterator[h11.Event]:
    """Yields the parts of a response until it ends; raises when the deadline passes or the response gets too large."""
    received = 0
    while True:
        event = http.next_event()
        if isinstance(event, h11.Event):
            yield event
            if isinstance(event, h11.EndOfMessage):
                return
            continue
        if received > MAX_RESPONSE_BYTES:
            raise ResponseTooLarge
        connection.settimeout(_left(deadline))
        data = connection.recv(16_384)
        received += len(data)
        http.receive_data(data)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _ascii_host(url: SplitResult) -> str:
    """Returns the host as DNS and TLS write it, empty when it has no such form."""
    try:
        return (url.hostname or "").encode("idna").decode()
    except UnicodeError:
        return ""


def _host_header(url: SplitResult, host: str) -> str:
    named = f"[{host}]" if ":" in host else host
    return named if url.port in (None, PORTS[url.scheme]) else f"{named}:{url.port}"


def _target(url: SplitResult) -> str:
    """Returns the path and the query as a request line takes them."""
    query = f"?{quote(url.query, safe=SAFE_IN_QUERY)}" if url.query else ""
    return quote(url.path or "/", safe=SAFE_IN_PATH) + query
