"""The size of request bodies: over 20 MB is refused before it is in memory (decisions, section 3).

A length that is stated is judged before anything else. A body sent in chunks states none: it is counted while the door
reads it, which is after it knows who calls, so nobody without a token has a body read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from flask import Flask, request

from app.errors import HttpApiDecodeError, PayloadTooLarge
from app.http.concurrency import ConcurrencyLimit

MAX_BODY = 20 * 1024 * 1024
DRAINED = 64 * 1024 * 1024
"""How much of a refused body is read away, so that a client that is still sending gets to read the answer."""
DRAINS = 2
"""How many refused bodies are read away at once. A client that sends no more holds its thread for as long as it likes,
and the server has few: beyond these a refused client may see its connection close before it reads the answer."""
READS = 12
"""How many bodies are read at once: the threads that are left go on answering everybody else."""
CHUNK = 64 * 1024

_reading = ConcurrencyLimit(READS, "Too many bodies are being sent right now, and slowly: try again in a few seconds.")
_draining = threading.BoundedSemaphore(DRAINS)


def install(app: Flask) -> None:
    """Has the app refuse bodies that are too long, whatever path they are sent to."""
    app.before_request(bound)


def bound() -> None:
    """Refuses a body whose length is stated and too long, and has one that is sent in chunks counted."""
    stream = request.environ["wsgi.input"]
    if (length := request.content_length) is not None:
        if length > MAX_BODY:
            _drain(stream, length)
            raise PayloadTooLarge
    elif "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        if not request.environ.get("wsgi.input_terminated"):
            raise HttpApiDecodeError("This server takes no chunked bodies: send one whose `Content-Length` is stated.")
        request.environ["wsgi.input"] = Counted(stream)


def read() -> bytes:
    """Returns the request's body. Refuses with `ServiceUnavailable` while too many others are still being sent."""
    if not request.content_length and not isinstance(request.environ["wsgi.input"], Counted):
        return b""
    with _reading.turn():
        return request.get_data(cache=False)


def ignore() -> None:
    """Reads away a body that an endpoint takes no notice of; refuses one that is too long all the same."""
    stream = request.environ["wsgi.input"]
    if isinstance(stream, Counted):
        with _reading.turn():
            for _ in stream.chunks():
                pass


class Counted:
    """A body that is sent in chunks; reading it refuses with `PayloadTooLarge` as soon as it is too long."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._count = 0

    def read(self, size: int | None = -1) -> bytes:
        """Returns so many bytes, all by default."""
        if size is not None and size >= 0:
            return self._counted(self._stream.read(size))
        return b"".join(self.chunks())

    def readline(self, size: int = -1) -> bytes:
        """Returns one line."""
        return self._counted(self._stream.readline(size))

    def chunks(self) -> Iterator[bytes]:
        """Yields the body in parts."""
        while chunk := self._counted(self._stream.read(CHUNK)):
            yield chunk

    __iter__ = chunks

    def _counted(self, part: bytes) -> bytes:
        self._count += len(part)
        if self._count > MAX_BODY:
            _drain(self._stream, DRAINED)
            raise PayloadTooLarge
        return part


def _drain(stream: Any, length: int) -> None:
    if not _draining.acquire(blocking=False):
        return
    try:
        left = min(length, DRAINED)
        while left > 0 and (chunk := stream.read(min(CHUNK, left))):
            left -= len(chunk)
    finally:
        _draining.release()
