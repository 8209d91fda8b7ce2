"""Errors as GraphQL says them: a message, a place, and a code for programs (decisions, section 7)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from flask import g
from graphql import GraphQLError, GraphQLSyntaxError, ValueNode

from app import errors
from app.errors import Refusal

log = logging.getLogger("content_workflow.errors")

CODES: dict[type[Refusal], str] = {
    errors.Unauthorized: "UNAUTHENTICATED",
    errors.Forbidden: "FORBIDDEN",
    errors.HttpApiDecodeError: "BAD_USER_INPUT",
    errors.ResponseTooLarge: "RESPONSE_TOO_LARGE",
    errors.PayloadTooLarge: "REQUEST_TOO_LARGE",
    errors.UnsupportedMediaType: "UNSUPPORTED_MEDIA_TYPE",
    errors.RateLimited: "RATE_LIMITED",
    errors.ServiceUnavailable: "SERVICE_UNAVAILABLE",
}
BUG = "INTERNAL_SERVER_ERROR"


class QueryRefused(Exception):
    """A query that is not executed: its errors, and the status where the media type lets the status say it."""

    def __init__(self, found: Sequence[GraphQLError], status: int = 400) -> None:
        self.errors = found
        self.status = status


class NotAQuery(QueryRefused):
    """A mutation or a subscription, which nothing here could run."""


class BadRequest(QueryRefused):
    """A request that is no well-formed GraphQL request, so that its status says so whatever the media type."""

    def __init__(self, message: str, code: str = "BAD_REQUEST", status: int = 400) -> None:
        super().__init__([coded(message, code)], status)


def coded(message: str, code: str, nodes: Any = None) -> GraphQLError:
    """Returns an error with a code of ours."""
    return GraphQLError(message, nodes=nodes, extensions={"code": code})


def refused(code: str, message: str, nodes: Any = None) -> QueryRefused:
    """Returns the refusal of a query, for one reason."""
    return QueryRefused([coded(message, code, nodes)])


def written(error: GraphQLError) -> dict[str, Any]:
    """Returns an error as callers get it; of a bug of ours, the request's id and nothing internal."""
    formatted: dict[str, Any] = dict(error.formatted)
    code, cause = _code(error), error.original_error
    if isinstance(cause, Refusal):
        issues = [f"{issue['path']}: {issue['message']}" for issue in cause.extra.get("issues", ())]
        formatted["message"] = " ".join(issues) or cause.message
    elif code == BUG:
        log.error("bug", exc_info=cause, extra={"requestId": g.request_id, "path": "/graphql", "method": "POST"})
        formatted["message"] = f"Something went wrong on our side. Report it with the request id {g.request_id}."
    formatted["extensions"] = {"code": code}
    return formatted


def of_refusal(refusal: Refusal) -> dict[str, Any]:
    """Returns the refusal of a whole request as callers get it."""
    code = CODES.get(type(refusal), "BAD_REQUEST" if refusal.status < 500 else BUG)
    return {"message": refusal.message, "extensions": {"code": code}}


def _code(error: GraphQLError) -> str:
    """Returns an error's code. One with a path happened while the query was run, any other before."""
    if error.extensions and "code" in error.extensions:
        return str(error.extensions["code"])
    cause = error.original_error
    if isinstance(cause, Refusal):
        return CODES.get(type(cause), BUG)
    if isinstance(error, GraphQLSyntaxError):
        return "GRAPHQL_PARSE_FAILED"
    if error.path is not None and cause is not None:
        return BUG
    if error.path is not None or any(isinstance(node, ValueNode) for node in error.nodes or ()):
        return "BAD_USER_INPUT"  # a value that does not fit its argument
    return "GRAPHQL_VALIDATION_FAILED"
