"""Clients that open connections: silent ones, thousands of them, clear-text HTTP/2, and those that load files."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.abuse.service import Service
from tests.abuse.sockets import connect, head, is_closed, stalled

HTTP2 = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"


@contextmanager
def silent(service: Service, count: int) -> Iterator[list[socket.socket]]:
    """Opens so many connections and sends nothing."""
    clients: list[socket.socket] = []
    try:
        for _ in range(count):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(("127.0.0.1", service.port))
            clients.append(client)
        yield clients
    finally:
        for client in clients:
            client.close()


@pytest.mark.timeout(180)
def test_ten_thousand_silent_connections_delay_no_other_caller(service: Service) -> None:
    with service.holds() as others, silent(service, 10_150):
        time.sleep(4)
    assert len(others.fresh) > 10


def test_http2_in_clear_text_is_refused(service: Service) -> None:
    with connect(service) as client:
        client.sendall(HTTP2)
        assert b"HTTP/1.1 4" in client.recv(1024) or is_closed(client, 2)


@pytest.mark.parametrize("path", ["/docs/swagger-ui-bundle.js", "/openapi.json", "/graphql/explorer/graphiql.min.js"])
def test_clients_that_load_files_and_do_not_read_them_take_no_memory(service: Service, path: str) -> None:
    with service.holds(), stalled(service, [head("GET", path)] * 300):
        time.sleep(3)
