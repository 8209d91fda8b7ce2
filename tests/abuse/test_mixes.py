"""Requests that are legal and unusual: pipelined, half-closed, announced, chunked byte by byte, with heads of 64 KB."""

import gzip
import socket
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from tests.abuse.flood import flood
from tests.abuse.service import Service
from tests.abuse.sockets import head, stalled
from tests.graphql_app.client import delivery_token

ADDRESSES = [f"127.0.0.{number}" for number in range(10, 18)]
CHUNKED = {"Transfer_Encoding": "chunked", "Content_Type": "application/json"}
ANNOUNCED = {"Expect": "100-continue", "Content_Length": "100000"}

REQUESTS: dict[str, Callable[[str], bytes]] = {
    "300 pipelined requests, their answers not read": lambda secret: head("GET", "/briefs", secret) * 300,
    "bodies that wait for 100 Continue": lambda secret: head("POST", "/document-intents", secret, **ANNOUNCED),
    "the same without a token": lambda _: head("POST", "/console/sign-in", **ANNOUNCED) + b"a",
    "chunks of one byte": lambda secret: head("POST", "/cluster-intents", secret, **CHUNKED) + b"1\r\n{\r\n" * 2_000,
    "chunks with long extensions": lambda secret: (
        head("POST", "/cluster-intents", secret, **CHUNKED) + b"1;" + b"a" * 60_000 + b"\r\n{\r\n"
    ),
    "heads of 60 KB without an end": lambda _: b"GET / HTTP/1.1\r\nX: " + b"a" * 60_000,
    "headers that are slow to parse": lambda secret: head("GET", "/briefs", secret, Prefer='a="b;' * 12_000) * 5,
    "clients that wait for events": lambda secret: head("GET", "/events?wait=20", secret),
    "SSE streams of MCP": lambda secret: head("GET", "/mcp", secret, Accept="text/event-stream"),
}


@pytest.mark.parametrize("what", REQUESTS)
def test_unusual_requests_delay_no_other_caller(service: Service, what: str) -> None:
    requests = [REQUESTS[what](service.project.token().secret) for _ in range(8)]
    with service.holds(), stalled(service, requests * 10, ADDRESSES) as clients:
        for client in clients[::2]:
            with suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        time.sleep(1)


def test_bodies_that_grow_when_they_are_unpacked_are_not_unpacked(service: Service) -> None:
    body = gzip.compress(b"[" * 20_000_000)
    packed = {"Content_Type": "application/json", "Content_Encoding": "gzip", "Content_Length": str(len(body))}
    secret = service.project.token().secret
    requests = [head("POST", path, secret, Accept="*/*", **packed) + body for path in ("/document-intents", "/mcp")]
    with service.holds():
        statuses = flood(service.port, requests, clients=16, seconds=2, addresses=ADDRESSES)
    assert set(statuses) <= {"400", "415", "429", "503", "closed"}  # after a body that is left unread


def test_ten_times_the_connections_of_an_address_all_with_requests(service: Service) -> None:
    secret, delivery = service.project.token().secret, delivery_token(service.project).secret
    requests = [
        head("GET", "/briefs", secret),
        head("GET", "/graphql?query={documents{id}}", delivery),
        head("GET", "/delivery/feed.xml", delivery),
        head("GET", "/console/board", Accept="text/html"),
    ]
    with service.holds():
        flood(service.port, requests, clients=5_000, seconds=3, addresses=["127.0.0.10"])
