"""The size of request bodies: over 20 MB is refused before it is in memory (decisions, section 3)."""

from io import BytesIO
from typing import Any

from flask import Flask, request

from app.errors import PayloadTooLarge

MAX_BODY = 20 * 1024 * 1024
DRAINED = 64 * 1024 * 1024
"""How much of a refused body is read away, so that a client that is still sending gets to read the answer."""
CHUNK = 64 * 1024


def install(app: Flask) -> None:
    """Has the app refuse bodies that are too long, whatever path they are sent to."""
    app.before_request(refuse_long_body)


def refuse_long_body() -> None:
    """Refuses with `PayloadTooLarge`; a body sent in chunks is counted while it is read."""
    stream = request.environ["wsgi.input"]
    if (length := request.content_length) is not None:
        if length > MAX_BODY:
            _drain(stream, length)
            raise PayloadTooLarge
    elif "chunked" in request.headers.get("Transfer-Encoding", "").lower():
        body = _read(stream)
        request.environ["wsgi.input"] = BytesIO(body)
        request.environ["CONTENT_LENGTH"] = str(len(body))


def _read(stream: Any) -> bytes:
    body = bytearray()
    while chunk := stream.read(CHUNK):
        body += chunk
        if len(body) > MAX_BODY:
            _drain(stream, DRAINED)
            raise PayloadTooLarge
    return bytes(body)


def _drain(stream: Any, length: int) -> None:
    left = min(length, DRAINED)
    while left > 0 and (chunk := stream.read(min(CHUNK, left))):
        left -= len(chunk)
