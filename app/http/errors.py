"""Responds to every error with JSON: refusals, errors of the framework, unknown paths, bugs (decisions, section 3)."""

import logging

import orjson
from flask import Flask, Response, current_app, g, request
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
from app.http.requests import LOGGED_PATH

log = logging.getLogger("content_workflow.errors")

ACCEPT_PATCH = "application/json, application/merge-patch+json"

BY_STATUS: dict[int, type[Refusal]] = {
    404: NotFound,
    405: MethodNotAllowed,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
}


def install(app: Flask) -> None:
    """Registers the error handlers: each responds with `_tag` and `message`, a 415 with `Accept-Patch`."""
    app.register_error_handler(Refusal, refused)
    app.register_error_handler(HTTPException, of_the_framework)
    app.register_error_handler(Exception, unexpected)
    app.after_request(_add_accept_patch)


def refused(refusal: Refusal) -> Response:
    """Returns the response for a refusal."""
    response = Response(orjson.dumps(refusal.body()), refusal.status, content_type="application/json")
    response.headers.update(refusal.headers)
    return response


def of_the_framework(error: HTTPException) -> Response:
    """Returns the response for an error of Flask or werkzeug: with a `_tag`, and with its headers (`Allow`)."""
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
    """Returns the response for a bug: the request's id, and no internals."""
    log.error(
        "bug",
        exc_info=error,
        extra={"requestId": g.request_id, "path": request.path[:LOGGED_PATH], "method": request.method},
    )
    return refused(InternalError(f"Something went wrong on our side. Report it with the request id {g.request_id}."))


def _add_accept_patch(response: Response) -> Response:
    if request.url_rule is not None and (request.method == "OPTIONS" or response.status_code == 415):
        routes = current_app.create_url_adapter(request)
        if routes is not None and "PATCH" in routes.allowed_methods():
            response.headers["Accept-Patch"] = ACCEPT_PATCH
    return response
