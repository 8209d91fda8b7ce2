"""Sends responses: a short one is given to the server whole, a long one in parts, a few at a time and in bounded time.

A client may read as slowly as it likes. Until it has read its response, this process holds at most `IN_MEMORY` bytes
for it, or a place under `SENDING` with a thread and a file. The responses of every interface are sent this way.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from flask import Flask, Response, current_app, request
from werkzeug.wsgi import FileWrapper

from app.errors import ServiceUnavailable
from app.http import in_flight
from app.http.bodies import is_too_slow
from app.http.concurrency import Bound, ConcurrencyLimit, Place

IN_MEMORY = 256 * 1024
"""How many bytes are given to the server whole; it holds them until the client has read them."""
SPOOLED = 1024 * 1024
"""How many bytes of a longer response stay in memory; the whole of one that is longer still is in a file."""
PART = 64 * 1024

PER_TOKEN = 4
SENDING = ConcurrencyLimit(
    Bound(16, waiting=16),
    caller=Bound(PER_TOKEN, waiting=12),
    project=Bound(6, waiting=12),
    address=Bound(8, waiting=12),
    seconds=2,
    busy="Too many long answers are being read, and slowly: try again when those that you asked for are read.",
)
BODY_HEADERS = ("ETag", "Last-Modified", "Content-Disposition", "Content-Encoding", "Accept-Ranges")


def install(app: Flask) -> None:
    """Registers `send` for all responses of the app."""
    app.after_request(send)


def fill(response: Response, parts: Iterable[bytes]) -> None:
    """Writes the whole of a long body to a file before any of it is sent, so that no error truncates the response."""
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(SpooledTemporaryFile(SPOOLED))
        for part in parts:
            for start in range(0, len(part), SPOOLED):  # else a long part would be in memory twice
                file.write(part[start : start + SPOOLED])
        stack.pop_all()
    response.content_length = file.tell()
    file.seek(0)
    response.response = FileWrapper(file, PART)


def send(response: Response) -> Response:
    """Returns the response with a body that can be sent to a client of any speed.

    The response is that of `ServiceUnavailable` instead where too many long answers are being read.
    """
    if response.is_sequence and (response.calculate_content_length() or 0) <= IN_MEMORY:
        return response
    if request.method == "HEAD" or response.status_code == 304:
        return _without_body(response)
    if response.is_sequence or response.content_length is None:
        fill(response, response.iter_encoded())
    response.direct_passthrough = False
    body: Any = response.response
    if (response.content_length or 0) <= IN_MEMORY:
        response.set_data(b"".join(body))
        body.close()
        return response
    this = in_flight.current()
    this.leave()
    try:
        place = SENDING.place(**this.keys)
    except ServiceUnavailable as refusal:
        body.close()
        _replace_by(response, refusal)
    else:
        response.response = _Parts(body, place)
    return response


def _without_body(response: Response) -> Response:
    length = response.content_length
    if hasattr(response.response, "close"):
        response.response.close()
    response.response, response.direct_passthrough = [], False
    if length is not None:
        response.content_length = length
    return response


class _Parts:
    """The parts of a body, for the server to send until a client reads too slowly; with a place under a limit."""

    def __init__(self, body: Any, place: Place) -> None:
        self._body, self._place = body, place

    def __iter__(self) -> Iterator[bytes]:
        began, count = time.monotonic(), 0
        for part in self._body:
            if is_too_slow(count, time.monotonic() - began):
                break
            count += len(part)
            yield part
        self.close()

    def close(self) -> None:
        """Gives back what it holds."""
        self._body.close()
        self._place.release()

    __del__ = close  # by a server that drops an answer without closing it


def _replace_by(response: Response, refusal: ServiceUnavailable) -> None:
    """Writes a refusal into a response, in the form of errors of its surface."""
    error = current_app.make_response(current_app.handle_user_exception(refusal))
    response.status_code = error.status_code
    response.set_data(error.get_data())
    for name in BODY_HEADERS:
        response.headers.pop(name, None)
    response.headers.update({name: error.headers[name] for name in ("Content-Type", "Retry-After")})
    response.headers["Cache-Control"] = "no-store"
