"""Request bodies: at most 20 MB, read once the caller is authenticated, JSON strictly parsed (decisions, section 3).

The proxy waits for slow senders: docs/deployment.md.
"""

from typing import Any

import orjson
from flask import Flask, Request, Response, current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.core.errors import HttpApiDecodeError, Issue, PayloadTooLarge, UnsupportedMediaType
from app.core.store.request_time import standing_still
from app.http.callers import hold_large

CSV = "text/csv"
"""The media type of tables."""
MAX_BODY = 20 * 1024 * 1024
MAX_DISCARDED = 64 * 1024 * 1024
MAX_VALUES = 100_000
"""Maximum values in a body. Small values take up to 30 times their length in memory: 20 MB of `[],` take 400 MB."""


def install(app: Flask) -> None:
    """Bounds the bodies of all requests, whatever path they are sent to."""
    app.config["MAX_CONTENT_LENGTH"] = MAX_BODY + 1  # Flask ends a longer body there, so that `read` sees that it is
    app.config["WITH_OWN_LIMITS"] = set()
    app.before_request(_check_length)
    app.after_request(_close_after_unread_body)


def _check_length() -> None:
    """Refuses long bodies, but for blueprints and endpoints with a limit of their own, which say that."""
    if not current_app.config["WITH_OWN_LIMITS"].isdisjoint((request.blueprint, request.endpoint)):
        return
    if (request.content_length or 0) > MAX_BODY:
        raise PayloadTooLarge


def _close_after_unread_body(response: Response) -> Response:
    """Adds `Connection: close` where the body was left unread, as the server then closes the connection.

    Without the header a client may send its next request there, and get no response (RFC 9112, 9.6).
    """
    if (request.content_length or _is_chunked()) and not _is_read():
        response.headers["Connection"] = "close"
    return response


def _is_read() -> bool:
    try:
        return request.stream.tell() > 0
    except RequestEntityTooLarge:
        return False


def read() -> bytes:
    """Returns the request's body.

    Raises `PayloadTooLarge`, `HttpApiDecodeError` for one that does not arrive whole, and `ServiceUnavailable` while
    too many other large ones are processed.
    """
    body = _receive()
    if not body and _is_chunked():
        # The server reads a chunked body whose connection broke like one that ended: JSON that was cut off does not
        # parse, but nothing at all would be taken for the empty object, which clears a brief.
        raise HttpApiDecodeError(
            "The chunked body is empty, or did not arrive: send it again, or `Content-Length: 0` for none."
        )
    return body


def discard_long() -> None:
    """Reads a body that is too long to its end, and raises `PayloadTooLarge`; one of over 64 MB is left unread.

    A client that is still sending when the server closes the connection reads no response.
    """
    length = request.content_length or 0
    left = length if MAX_BODY < length <= MAX_DISCARDED else 0
    while left > 0 and (part := request.environ["wsgi.input"].read(min(left, 65_536))):
        left -= len(part)
    if length > MAX_BODY:
        raise PayloadTooLarge


def ignore() -> None:
    """Reads a body that an endpoint does not take, so that the connection can be used again."""
    _receive()


def _receive() -> bytes:
    length = request.content_length or 0
    if not length and not _is_chunked():
        return b""
    hold_large(length)
    with standing_still():
        body = request.get_data(cache=False)
    if len(body) > MAX_BODY:
        raise PayloadTooLarge
    if len(body) < length:
        raise HttpApiDecodeError(f"The body ended after {len(body):,} of {length:,} bytes.")
    if not length:
        hold_large(len(body))
    return body


def refuse_compressed(request: Request) -> None:
    """Raises `UnsupportedMediaType` for a body that is compressed: a short one may become any length."""
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body as it is, without `Content-Encoding`.")


def _is_chunked() -> bool:
    return "chunked" in request.environ.get("HTTP_TRANSFER_ENCODING", "").lower()


def loads_object(raw: bytes, request: Request, media_types: str | None = None) -> dict[str, Any]:
    """Returns the object of a request's body; no body is an empty one, except in a PUT, which would clear the record.

    Raises `UnsupportedMediaType` where the body is something else than JSON, with `media_types` as its message, and
    `HttpApiDecodeError` where it is no object or not valid: NaN, lone surrogates and nesting over 1,024 levels are not.
    """
    if not raw and request.method == "PUT":
        raise _malformed("There is no body: send a JSON object.")
    if not raw:
        return {}
    if not request.is_json:
        raise UnsupportedMediaType(media_types)
    refuse_compressed(request)
    if too_many_values(raw):
        raise _malformed(f"Must have at most {MAX_VALUES:,} values.")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _malformed(f"Is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise _malformed("Must be a JSON object.")
    return body


def too_many_values(raw: bytes) -> bool:
    """Returns whether JSON has more values than a body may; text inside strings does not count."""
    if _marks(raw) <= MAX_VALUES:
        return False
    text = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # in which each quote begins or ends a string
    if text.count(b'"') > 4 * MAX_VALUES:  # so many strings are too many values
        return True
    return sum(map(_marks, text.split(b'"')[::2])) > MAX_VALUES


def _marks(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _malformed(message: str) -> HttpApiDecodeError:
    return HttpApiDecodeError(issues=[Issue(path="", message=message)])
