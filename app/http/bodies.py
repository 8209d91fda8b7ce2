"""Request bodies: at most 20 MB, read once the caller is authenticated (decisions, section 3).

The proxy waits for slow senders: docs/deployment.md.
"""

from flask import Flask, Request, Response, current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from app.core.errors import HttpApiDecodeError, PayloadTooLarge, UnsupportedMediaType
from app.core.store.request_time import standing_still
from app.http.callers import hold_large

CSV = "text/csv"
"""The media type of tables."""
MAX_BODY = 20 * 1024 * 1024


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
