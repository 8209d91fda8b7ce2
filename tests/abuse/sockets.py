"""Requests as an attacker sends them: begun and not ended, or sent and not read."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle

from tests.abuse.service import Service


def head(method: str, path: str, secret: str = "", **headers: str) -> bytes:
    """Returns the head of a request; a header `Content_Length` is `Content-Length`."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"Authorization: Bearer {secret}"] if secret else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def connect(service: Service, receive_buffer: int | None = None, address: str = "") -> socket.socket:
    """Returns a connection to the service, from an address of its own where one is named (any of 127.0.0.0/8)."""
    client = socket.socket()
    if address:
        client.bind((address, 0))
    if receive_buffer is not None:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    client.settimeout(30)
    client.connect(("127.0.0.1", service.port))
    return client


@contextmanager
def stalled(service: Service, requests: list[bytes], addresses: Sequence[str] = ("",)) -> Iterator[list[socket.socket]]:
    """Sends each on a connection of its own, from the addresses in turn, and then neither sends nor reads anything
    until the block ends."""
    clients: list[socket.socket] = []
    try:
        for request, address in zip(requests, cycle(addresses), strict=False):
            clients.append(connect(service, receive_buffer=4096, address=address))
            clients[-1].sendall(request)
        yield clients
    finally:
        for client in clients:
            client.close()


def status_of(client: socket.socket) -> int:
    """Returns the status of the answer that comes next."""
    return int(client.recv(64).split(b" ", 2)[1])


def is_closed(client: socket.socket, seconds: float) -> bool:
    """Returns whether the server closes the connection in time; what it sends until then is dropped."""
    client.settimeout(seconds)
    with suppress(ConnectionError):
        try:
            while client.recv(65_536):
                pass
        except (TimeoutError, BlockingIOError):
            return False
    return True
