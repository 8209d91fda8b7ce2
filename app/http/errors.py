"""Every error there is as JSON: ours, the framework's, an unknown path's and a bug's (decisions, section 3)."""

import logging

import orjson
from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException

from app.errors import (
    HttpApiDecodeError,
    InternalError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    Refusal,
    UnsupportedMediaType,
)

log = logging.getLogger("content_workflow.errors")

BY_STATUS: dict[int, type[Refusal]] = {
    404: NotFound,
    405: MethodNotAllowed,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
}


def install(app: Flask) -> None:
    """Has the app answer every error with a body of `_tag` and `message`."""
    app.register_error_handler(Refusal, refused)
    app.register_error_handler(HTTPException, of_the_framework)
    app.register_error_handler(Exception, unexpected)


def refused(refusal: Refusal) -> Response:
    """Returns a refusal as the response that says it."""
    response = Response(orjson.dumps(refusal.body()), refusal.status, content_type="application/json")
    response.headers.update(refusal.headers)
    return response


def of_the_framework(error: HTTPException) -> Response:
    """Returns what Flask and werkzeug raise in our own words, with their headers (`Allow`)."""
    if error.code is not None and error.code < 400:
        return Response(status=error.code, headers=error.get_headers())
    kind = BY_STATUS.get(error.code or 500)
    if kind is None and error.code is not None and error.code < 500:
        refusal: Refusal = HttpApiDecodeError(f"The request can't be read: {error.description}")
    else:
        refusal = kind() if kind else InternalError()
    response = refused(refusal)
    for name, value in error.get_headers():
        if name.lower() not in ("content-type", "content-length"):
            response.headers[name] = value
    return response


def unexpected(error: Exception) -> Response:
    """Returns the answer to a bug of ours: the request's id, and nothing internal."""
    log.error("bug", exc_info=error, extra={"requestId": g.request_id, "path": request.path, "method": request.method})
    return refused(InternalError(f"Something went wrong on our side. Report it with the request id {g.request_id}."))
