"""Errors in the format of GraphQL: a message, locations, and `extensions.code` for programs (decisions, section 7)."""

from typing import Any

from flask import g
from graphql import GraphQLError, GraphQLSyntaxError, Node, ValueNode

from app.errors import InternalError, Refusal, ResponseTooLarge

CODES = {
    "Unauthorized": "UNAUTHENTICATED",
    "Forbidden": "FORBIDDEN",
    "HttpApiDecodeError": "BAD_USER_INPUT",
    "PayloadTooLarge": "REQUEST_TOO_LARGE",
    "UnsupportedMediaType": "UNSUPPORTED_MEDIA_TYPE",
    "RateLimited": "RATE_LIMITED",
    "ServiceUnavailable": "SERVICE_UNAVAILABLE",
}
"""The codes of refusals, by their tag."""
PARSE_FAILED = "GRAPHQL_PARSE_FAILED"
TOO_MUCH_TO_PARSE = {" tokens. Parsing aborted": "TOO_MANY_TOKENS", "nested too deeply": "QUERY_TOO_DEEP"}
"""The codes of what graphql-core's parser gives up, by its message: it has no other sign of it."""
UNAVAILABLE = "SERVICE_UNAVAILABLE"
INTERNAL = "INTERNAL_SERVER_ERROR"


class RequestError(Exception):
    """A request that is not a well-formed GraphQL request; its status is the same for both media types."""

    def __init__(self, message: str, code: str = "BAD_REQUEST", status: int = 400, **headers: str) -> None:
        super().__init__(message)
        self.message, self.code, self.status, self.headers = message, code, status, headers


def query_error(code: str, message: str, node: Node | None = None) -> GraphQLError:
    """Returns the error of a query that is refused as a whole."""
    return GraphQLError(message, node, extensions={"code": code})


def too_large(refusal: ResponseTooLarge) -> GraphQLError:
    """Returns the error of a query whose response is too large: the request is right, so its status is a query's."""
    return query_error("RESPONSE_TOO_LARGE", refusal.message)


def format_refusal(refusal: Refusal | RequestError) -> dict[str, Any]:
    """Returns the error of a request that is refused as a whole, without a location in a query."""
    if isinstance(refusal, RequestError):
        code = refusal.code
    else:
        code = CODES.get(refusal.tag, "BAD_REQUEST" if refusal.status < 500 else INTERNAL)
    return {"message": refusal.message, "extensions": {"code": code}}


def format_error(error: GraphQLError) -> dict[str, Any]:
    """Returns an error of a query; for an internal error it shows only the request's id."""
    result: dict[str, Any] = dict(error.formatted)
    code, cause = code_of(error), error.original_error
    if isinstance(cause, Refusal):
        result["message"] = " ".join(cause.lines)
    elif code == INTERNAL:
        result["message"] = InternalError(g.request_id).message
    result["extensions"] = {"code": code}
    return result


def code_of(error: GraphQLError) -> str:
    """Returns the code of an error. One with a path occurred during execution, any other before."""
    if error.extensions and "code" in error.extensions:
        return str(error.extensions["code"])
    cause = error.original_error
    if isinstance(cause, Refusal):
        return CODES.get(cause.tag, INTERNAL)
    if isinstance(error, GraphQLSyntaxError):
        return next((code for words, code in TOO_MUCH_TO_PARSE.items() if words in error.message), PARSE_FAILED)
    if cause is not None and (error.path is not None or not error.nodes):
        return INTERNAL
    if error.path is not None or any(isinstance(node, ValueNode) for node in error.nodes or ()):
        return "BAD_USER_INPUT"  # a value of the wrong type for its argument
    return "GRAPHQL_VALIDATION_FAILED"
