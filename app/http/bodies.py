"""Request bodies: at most 20 MB, received whole before a view reads them, a few at a time and in bounded time.

`Content-Length` is checked before anything else. A body is received when the view first reads it, after the caller is
authenticated, so that nothing is received from a client without a token. The bytes are counted as they arrive, and a
long body is held in a file. (decisions, section 3)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from tempfile import SpooledTemporaryFile
from typing import IO

from flask import Flask, Request, Response, after_this_request, g, request

from app.errors import HttpApiDecodeError, PayloadTooLarge, ServiceUnavailable, UnsupportedMediaType
from app.http import in_flight
from app.http.concurrency import Bound, ConcurrencyLimit, Place
from app.http.requests import CALLER

MAX_BODY = 20 * 1024 * 1024
IN_MEMORY = 256 * 1024
"""How many bytes of a body are held in memory while it is received; a longer one is large (`in_flight.LARGE`)."""
CHUNK = 64 * 1024

SECONDS = 30
"""How long a body may take to arrive at any speed; after that, `BYTES_A_SECOND` on average are required."""
BYTES_A_SECOND = 16 * 1024

RECEIVING = ConcurrencyLimit(
    Bound(32, waiting=16),
    caller=Bound(8, waiting=12),
    project=Bound(12, waiting=12),
    address=Bound(16, waiting=12),
    seconds=0.2,
    busy="Too many bodies are being sent, and slowly: try again in a few seconds.",
)

DRAINED = 64 * 1024 * 1024
"""How much of a refused body is read after the response, so that a client that is still sending can read that."""
DRAIN_SECONDS = 10
DRAINING = ConcurrencyLimit(Bound(8, waiting=8), address=Bound(2, waiting=2), seconds=2)
"""How many refused bodies are read at the same time; other refused clients may see their connection close instead.

A thread that was held up has its place for some time after the last byte. Meanwhile the client may send its next
requests, whose bodies wait: without a place the server would close their connection.
"""


def install(app: Flask) -> None:
    """Bounds the bodies of all requests, whatever path they are sent to."""
    app.before_request(bound)
    app.teardown_request(_close)


def bound() -> None:
    """Refuses a body whose stated length is too long, and has any other received through `Body`."""
    environ = request.environ
    chunked = is_chunked()
    if not chunked and not environ.get("CONTENT_LENGTH"):
        return
    after_this_request(_drain_after)
    length = request.content_length
    if length is not None and length > MAX_BODY:
        g.undrained = environ["wsgi.input"]
        raise PayloadTooLarge
    if chunked and not environ.get("wsgi.input_terminated"):
        raise HttpApiDecodeError("This server does not accept chunked bodies: send `Content-Length`.")
    if length or chunked:
        environ["wsgi.input"] = Body(environ["wsgi.input"], length)


def read() -> bytes:
    """Returns the request's body.

    Raises `PayloadTooLarge`, `HttpApiDecodeError` for one that does not arrive whole or in time, and
    `ServiceUnavailable` while too many others are being sent.
    """
    body = request.get_data(cache=False)
    if not body and is_chunked():
        # The server reads a chunked body whose connection broke like one that ended: JSON that was cut off does not
        # parse, but nothing at all would be taken for the empty object, which clears a brief.
        raise HttpApiDecodeError(
            "The chunked body is empty, or did not arrive: send it again, or `Content-Length: 0` for none."
        )
    return body


def is_chunked() -> bool:
    """Returns whether the body is sent in chunks, so that nothing tells its length."""
    return "chunked" in request.headers.get("Transfer-Encoding", "").lower()


def refuse_compressed(request: Request) -> None:
    """Raises `UnsupportedMediaType` for a body that is compressed: a short one may become any length."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body as it is, without `Content-Encoding`.")


def ignore() -> None:
    """Receives a body that an endpoint does not take; still refuses one that is too long."""
    stream = request.environ["wsgi.input"]
    if isinstance(stream, Body) and request.content_length is None:
        stream.receive()


class Body:
    """The stream of a request's body (`wsgi.input`): the first read receives the whole of it."""

    def __init__(self, stream: IO[bytes], length: int | None) -> None:
        self._stream, self._length = stream, length
        self._file: IO[bytes] | None = None

    @property
    def unread(self) -> IO[bytes] | None:
        """The server's own stream, if nothing of the body was received."""
        return self._stream if self._file is None else None

    def read(self, size: int | None = -1) -> bytes:
        """Returns up to `size` bytes, all of them by default."""
        return self.receive().read(-1 if size is None else size)

    def readline(self, size: int = -1) -> bytes:
        """Returns one line."""
        return self.receive().readline(size)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.receive())

    def receive(self) -> IO[bytes]:
        """Returns the file with the body, once all of it has been received."""
        if self._file is None:
            # Not a cached_property: in Python 3.11 one that takes long holds up those of all other requests.
            self._file = g.received = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115  # closed with the request
            # It waits with its place in flight, so that the others of its caller wait in that longer queue.
            this = in_flight.current()
            place = RECEIVING.place(**this.keys)
            with this.absent(), place:
                self._copy_to(self._file)
            if self._file.tell() > IN_MEMORY:
                this.take_large()
            self._file.seek(0)
        return self._file

    def _copy_to(self, file: IO[bytes]) -> None:
        began, count = time.monotonic(), 0
        while part := self._stream.read(CHUNK if self._length is None else min(CHUNK, self._length - count)):
            count += len(part)
            if count > MAX_BODY:
                g.undrained = self._stream
                raise PayloadTooLarge
            if is_too_slow(count, time.monotonic() - began):
                raise HttpApiDecodeError(
                    f"The body arrived too slowly: send {BYTES_A_SECOND:,} bytes a second or more."
                )
            file.write(part)
        if self._length is not None and count < self._length:
            raise HttpApiDecodeError(f"The body ended after {count:,} of {self._length:,} bytes.")


def is_too_slow(count: int, seconds: float) -> bool:
    """Returns whether a body or a response, of which `count` bytes were sent in `seconds`, takes too long."""
    return seconds > SECONDS and count < seconds * BYTES_A_SECOND


def _close(_error: BaseException | None) -> None:
    file: IO[bytes] | None = g.pop("received", None)
    if file is not None:
        file.close()


def _drain_after(response: Response) -> Response:
    """Reads what is left of a body after the response is sent, whether the body was too long or the view ignored it.

    Otherwise the server would close the connection while the client sends the rest of the body or its next request.
    """
    body = request.environ.get("wsgi.input")
    stream = g.pop("undrained", None) or (body.unread if isinstance(body, Body) else None)
    if stream is not None:
        keys = in_flight.current().keys
        known = CALLER in request.environ
        place = partial(RECEIVING.place, **keys) if known else partial(DRAINING.place, address=keys["address"])
        response.call_on_close(lambda: _drain(stream, place))
    return response


def _drain(stream: IO[bytes], place: Callable[[], Place]) -> None:
    with suppress(ServiceUnavailable), place():
        left, end = DRAINED, time.monotonic() + DRAIN_SECONDS
        while left > 0 and time.monotonic() < end and (chunk := stream.read(CHUNK)):
            left -= len(chunk)
