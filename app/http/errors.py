"""Responds to every error with JSON: refusals, errors of the framework, unknown paths, bugs (decisions, section 3)."""

import errno
import logging

import orjson
from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from app.core.errors import (
    HttpApiDecodeError,
    InternalError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    Refusal,
    ServiceUnavailable,
    UnsupportedMediaType,
)
from app.core.vocabulary import Kind
from app.http.requests import current_request_id, logged_path, note_refusal

log = logging.getLogger("content_workflow.errors")

DISK_FULL = "The server's disk is full: try again later, with the same idempotency key."
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

DOCS = "reference"
"""The blueprint that serves the documentation of the API, unless the settings disable it."""

BY_STATUS: dict[int, type[Refusal]] = {
    404: NotFound,
    405: MethodNotAllowed,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
}

DRAFTS = {"documents": Kind.DOCUMENT, "clusters": Kind.CLUSTER, "categories": Kind.CATEGORY}
"""The kind of draft that creates a record, by the last word of a path that takes no POST, such as `/documents`."""


def install(app: Flask) -> None:
    """Registers the error handlers: each responds with `_tag` and `message`."""
    app.register_error_handler(Refusal, refused)
    app.register_error_handler(HTTPException, lambda error: refused(refusal_of(error)))
    app.register_error_handler(Exception, lambda error: refused(unexpected(error)))


def refused(refusal: Refusal) -> Response:
    """Returns the response for a refusal; logs why MongoDB can't be used, which a client need not know."""
    note_refusal(refusal)
    if isinstance(refusal, ServiceUnavailable):
        refusal.report(log, requestId=current_request_id())
    return response_to(refusal)


def response_to(refusal: Refusal) -> Response:
    """Returns a refusal as a response, also where Flask serves no request."""
    response = Response(orjson.dumps(refusal.body()), refusal.status, content_type="application/json")
    response.headers.update(refusal.headers)
    return response


def refusal_of(error: HTTPException) -> Refusal:
    """Returns an error of Flask or werkzeug as a refusal, with its headers (`Allow`)."""
    code = error.code or 500
    if code == 404 and DOCS in current_app.blueprints:
        refusal: Refusal = NotFound(f"{NotFound.message} `/docs` and `/openapi.json` describe every route.")
    elif code == 405 and request.method == "POST" and (kind := DRAFTS.get(request.path.rpartition("/")[2])):
        refusal = MethodNotAllowed(
            f"A {kind} is created by a draft: `POST /{kind}-intents`, then `POST /{kind}-intents/:id/confirm`."
        )
    elif code == 413 and request.max_content_length != current_app.config["MAX_CONTENT_LENGTH"]:
        refusal = PayloadTooLarge(f"The body is over {request.max_content_length:,} bytes, the most for this address.")
    elif code < 500 and code not in BY_STATUS:
        refusal = HttpApiDecodeError(f"The request can't be read: {error.description}")
    else:
        refusal = BY_STATUS.get(code, InternalError)()
    of_the_page = ("content-type", "content-length")
    refusal.headers = {name: value for name, value in error.get_headers() if name.lower() not in of_the_page}
    return refusal


def unexpected(error: Exception) -> Refusal:
    """Returns the refusal for an exception that no code raises on purpose: a full disk, or a bug."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return ServiceUnavailable(DISK_FULL, reason=str(error))
    return bug(error)


def bug(error: Exception) -> InternalError:
    """Logs an unexpected exception, and returns what a client may know of it: the request's id."""
    request_id = current_request_id()
    extra = {"requestId": request_id, "path": logged_path(request.environ), "method": request.method}
    log.error("bug", exc_info=error, extra=extra)
    return InternalError(request_id)
