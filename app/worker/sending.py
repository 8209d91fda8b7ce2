"""Sends one request of a webhook, and never to the inside of the network (decisions, section 9).

The name is looked up once, every address it has is judged, and the connection goes to an address that was judged: a
name that changes its address in between changes nothing. Redirects are not followed, and all together takes no longer
than `TOTAL_SECONDS`, however slowly the receiver answers.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from app.rules.webhooks import may_reach

TOTAL_SECONDS = 15.0
MOST_READ = 64 * 1024
"""How much of an answer is read away, so that the receiver is not cut off; nothing is kept of it."""

PORTS = {"http": 80, "https": 443}

Resolve = Callable[[str, int], list[str]]


@dataclass(frozen=True)
class Outcome:
    """How an attempt went."""

    status_code: int | None
    error: str | None
    seconds: float

    @property
    def succeeded(self) -> bool:
        return self.error is None


class NotSent(Exception):
    """The request was not made; the message says why, and nothing of what the name led to."""


def addresses_of(host: str, port: int) -> list[str]:
    """Returns the addresses that a host name has now."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class Sender:
    """Sends signed messages."""

    def __init__(
        self,
        *,
        allow_local: bool,
        resolve: Resolve = addresses_of,
        tls: ssl.SSLContext | None = None,
        total_seconds: float = TOTAL_SECONDS,
    ) -> None:
        self._allow_local = allow_local
        self._resolve = resolve
        self._tls = tls or ssl.create_default_context()
        self._total_seconds = total_seconds

    def send(self, url: str, headers: Mapping[str, str], body: bytes) -> Outcome:
        """Returns how a POST of a body went; nothing that a receiver does raises."""
        began = time.monotonic()
        status, error = None, None
        try:
            status = self._post(urlsplit(url), headers, body, began + self._total_seconds)
            error = None if 200 <= status < 300 else f"The answer was {status}."
        except TimeoutError:
            error = f"There was no answer within {self._total_seconds:g} seconds."
        except NotSent as reason:
            error = str(reason)
        except ssl.SSLError as problem:
            error = f"TLS failed: {problem.reason or 'the certificate is not valid'}."
        except ConnectionRefusedError:
            error = "The connection was refused."
        except (OSError, HTTPException):
            error = "The connection broke off, or the answer was no HTTP."
        return Outcome(status, error, time.monotonic() - began)

    def _post(self, url: SplitResult, headers: Mapping[str, str], body: bytes, deadline: float) -> int:
        host = (url.hostname or "").encode("idna").decode()
        port = url.port or PORTS[url.scheme]
        connection = HTTPConnection(host, port)
        connection.sock = self._connected(url.scheme, host, port, deadline)
        try:
            path = quote(url.path or "/", safe="/%:@!$&'()*+,;=~-._") + (f"?{_query(url)}" if url.query else "")
            connection.request("POST", path, body, {"Host": _host_header(url, host), **headers})
            response = connection.getresponse()
            _read_away(response)
            return response.status
        finally:
            connection.close()

    def _connected(self, scheme: str, host: str, port: int, deadline: float) -> Any:
        """Returns a connection to one of the host's addresses, all of which may be reached."""
        addresses = self._look_up(host, port)
        if not all(may_reach(address, scheme, self._allow_local) for address in addresses):
            raise NotSent("The host leads to an address that webhooks may not reach.")
        for place, address in enumerate(addresses, 1):
            try:
                plain = socket.create_connection((address, port), timeout=_left(deadline))
                break
            except OSError:
                if place == len(addresses):
                    raise
        try:
            secured = self._tls.wrap_socket(plain, server_hostname=host.rstrip(".")) if scheme == "https" else plain
        except BaseException:
            plain.close()
            raise
        return _InTime(secured, deadline)

    def _look_up(self, host: str, port: int) -> list[str]:
        try:
            addresses = self._resolve(host, port)
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise NotSent("The host name can't be looked up.")
        return addresses


class _InTime:
    """A socket as http.client uses it, every step of which ends by a deadline."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._socket.settimeout(_left(self._deadline))
        self._socket.sendall(data)

    def receive_into(self, buffer: Any) -> int:
        self._socket.settimeout(_left(self._deadline))
        return self._socket.recv_into(buffer)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def close(self) -> None:
        self._socket.close()


class _Reader(io.RawIOBase):
    """What arrives on a socket, as a file."""

    def __init__(self, source: _InTime) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._source.receive_into(buffer)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _read_away(response: HTTPResponse) -> None:
    """Reads an answer's body as far as is polite: that it was accepted is known by then, however it ends."""
    try:
        response.read(MOST_READ)
    except (OSError, HTTPException):
        return


def _host_header(url: SplitResult, host: str) -> str:
    named = f"[{host}]" if ":" in host else host
    return named if url.port in (None, PORTS[url.scheme]) else f"{named}:{url.port}"


def _query(url: SplitResult) -> str:
    return quote(url.query, safe="/%:@!$&'()*+,;=~-._?")
