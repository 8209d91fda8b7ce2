"""Idle connections are closed, and those of an address that has too many."""

from __future__ import annotations

import select
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from app.http import connections
from app.http.connections import PER_ADDRESS, STILL_SECONDS, UNANSWERED_SECONDS, Connection, surplus
from app.http.proxies import networks
from tests.live import until

DEADLINE = 10
ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells of its connections")

TIMES = [
    ("idle between two requests", 29, 29, False),
    ("an answer under way, read at once", 0, 60, False),
    ("a body under way", 100, 0, False),
    ("a body that stopped", STILL_SECONDS + DEADLINE + 1, STILL_SECONDS + DEADLINE + 1, True),
    ("an answer that nobody reads", STILL_SECONDS + DEADLINE + 1, 3600, True),
    ("a body of a byte now and then", UNANSWERED_SECONDS + DEADLINE + 1, 0, True),
]


@pytest.mark.parametrize(("sent", "received", "is_closed"), [times[1:] for times in TIMES], ids=[t[0] for t in TIMES])
def test_an_idle_connection_is_closed(sent: float, received: float, is_closed: bool) -> None:
    connection = Connection(7, ("192.0.2.1", 1), sent, received)

    assert surplus([connection], (), DEADLINE) == ([connection] if is_closed else [])


def test_of_an_address_with_too_many_those_that_stood_still_for_longest_are_closed() -> None:
    crowd = [Connection(number, ("192.0.2.1", number), number / 100, 5) for number in range(PER_ADDRESS + 3)]
    other = Connection(9999, ("192.0.2.2", 1), 20, 20)

    assert {connection.descriptor for connection in surplus([*crowd, other], (), DEADLINE)} == {
        connection.descriptor for connection in sorted(crowd, key=lambda one: one.still_seconds)[PER_ADDRESS:]
    }
    assert surplus([*crowd, other], networks(["192.0.2.0/24"]), DEADLINE) == []


def test_connections_of_one_ipv6_network_count_together_and_those_of_a_proxy_within_do_not() -> None:
    crowd = [Connection(number, (f"2001:db8::{number:x}", 1), number, number) for number in range(1, PER_ADDRESS + 3)]
    proxy = Connection(9999, ("2001:db8::ffff", 1), 30, 30)

    closed = surplus([*crowd, proxy], networks(["2001:db8::ffff"]), 10_000)

    assert {connection.descriptor for connection in closed} == {PER_ADDRESS + 1, PER_ADDRESS + 2}


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[socket.socket, socket.socket]]]:
    """Three connections of an address that may have two, the oldest first, as the client and the server have it."""
    monkeypatch.setattr(connections, "PER_ADDRESS", 2)
    with socket.create_server(("127.0.0.1", 0)) as server, ExitStack() as opened:
        pairs = []
        for _ in range(3):
            client = opened.enter_context(socket.create_connection(server.getsockname(), timeout=10))
            pairs.append((client, opened.enter_context(server.accept()[0])))
            time.sleep(0.02)
        yield pairs


@ON_LINUX
def test_the_connections_of_a_port_are_found_and_watched(
    clients: list[tuple[socket.socket, socket.socket]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "EVERY_SECONDS", 0.02)
    port = clients[0][0].getpeername()[1]
    found = connections.connections(port)
    assert {connection.peer for connection in found} == {client.getsockname() for client, _ in clients}
    assert all(connection.still_seconds < 5 for connection in found)

    connections.watch(port, (), DEADLINE)

    assert clients[0][0].recv(1) == b"", "the oldest of the three is closed"
    clients[2][0].sendall(b"still open")
    assert clients[2][1].recv(16) == b"still open"


@ON_LINUX
def test_the_connections_are_looked_at_as_soon_as_a_caller_has_too_many_requests(
    clients: list[tuple[socket.socket, socket.socket]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "EVERY_SECONDS", 3600)
    connections.watch(clients[0][0].getpeername()[1], (), DEADLINE)

    def is_closed() -> bool:
        connections.look_often()  # again where another test's watch took it
        return bool(select.select([clients[0][0]], [], [], 0)[0])

    until(is_closed)
    assert clients[0][0].recv(1) == b""
