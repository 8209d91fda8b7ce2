"""Requests as bytes to a server process, half of them no longer HTTP."""

import random
import socket
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Flask

from app.core.store.store import Store
from tests.bad_input.campaign import Outcome
from tests.bad_input.console import ConsoleTarget
from tests.bad_input.graphql import GraphqlTarget
from tests.bad_input.mcp import McpTarget
from tests.bad_input.mutations import mutated_bytes
from tests.bad_input.requests import Request, Response
from tests.bad_input.rest import RestTarget

LINES = (
    *(b"Content-Length: 0", b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Content-Length: 1, 2"),
    *(
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: identity",
        b"Expect: 100-continue",
    ),
    *(
        b"Host: a",
        b"Host:",
        b"Host: [::1",
        b": x",
        b"\tfolded",
        b"A" * 20_000,
        b"X: " + b"y" * 70_000,
        b"X: \x00",
        b"\x80: \xff",
    ),
    *(
        *(b"Upgrade: h2c", b"Connection: Upgrade, HTTP2-Settings", b"Connection: keep-alive", b"GET / HTTP/1.1"),
        b"X-Y\x0bz: 1",
    ),
)
SECONDS = 25
"""How long the server may take to answer, or to close a connection that is closed on the other side."""
QUIET_SECONDS = 0.2
"""After how long what is sent is taken for a beginning only."""


@dataclass(frozen=True)
class Sent:
    """What is sent over a connection."""

    target: RestTarget | GraphqlTarget | McpTarget | ConsoleTarget
    request: Request
    data: bytes
    is_http: bool

    def __str__(self) -> str:
        return repr(self.data)


class SocketTarget:
    """A server process."""

    def __init__(self, app: Flask, url: str) -> None:
        self._targets = [RestTarget(app), GraphqlTarget(app), McpTarget(app), ConsoleTarget(app)]
        self._address = (urlsplit(url).hostname, urlsplit(url).port)

    def begin(self, store: Store) -> None:
        """Makes what the requests are about."""
        for target in self._targets:
            target.begin(store)

    def make(self, chance: random.Random) -> Sent:
        """Returns a request that is near to a right one, and perhaps no HTTP."""
        target = chance.choice(self._targets)
        request = target.make(chance)
        data = request.to_bytes()
        is_http = chance.random() < 0.5
        if not is_http:
            head, _, body = data.partition(b"\r\n\r\n")
            lines = head.split(b"\r\n")
            for _ in range(chance.choice((0, 1, 1, 2))):
                lines.insert(chance.randrange(1, len(lines) + 1), chance.choice(LINES))
            data = b"\r\n".join(lines) + b"\r\n\r\n" + body
            for _ in range(chance.choice((0, 1, 1, 3))):
                data = mutated_bytes(chance, data)
        return Sent(target, request, data, is_http)

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return next(filter(None, (target.end() for target in self._targets)), None)

    def run(self, given: Sent) -> Outcome:
        """Sends bytes, and reads what comes; where nothing does, it ends its side, as the server waits for more."""
        received = bytearray()
        with socket.create_connection(self._address, SECONDS) as client, suppress(ConnectionError):
            client.sendall(given.data)
            if not given.is_http:
                client.settimeout(QUIET_SECONDS)
            with suppress(TimeoutError):
                while part := client.recv(65_536):
                    received += part
            if not received:
                client.settimeout(SECONDS)
                client.shutdown(socket.SHUT_WR)
                while part := client.recv(65_536):
                    received += part
        if given.is_http and not received:
            return Outcome(True, "There is no answer.")
        response = read_response(bytes(received))
        if response is None:
            return Outcome(True)
        is_refused = response.status >= 400
        problem = f"It was answered with {bytes(received[:500])!r}" if response.status >= 500 else None
        if given.is_http and (
            response.status < 400 or "x-request-id" in response.headers
        ):  # else it is the server's own
            problem = given.target.problem(given.request, response)
        is_form = isinstance(given.target, ConsoleTarget) and given.request.method == "POST"  # a draft is not lost
        return Outcome(is_refused, problem, may_write=not is_refused or not given.is_http or is_form)


def read_response(received: bytes) -> Response | None:
    """Returns the first response of what a server sent, after those that only tell to go on."""
    head, _, body = received.partition(b"\r\n\r\n")
    if head.startswith(b"HTTP/1.1 100"):
        return read_response(body)
    lines = head.decode("latin-1").split("\r\n")
    parts = lines[0].split(" ", 2)
    if len(parts) < 2 or not parts[0].startswith("HTTP/") or not parts[1].isdigit():
        return None
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    return Response(int(parts[1]), headers, body)
