"""Errors in the format of GraphQL: a message, locations, and `extensions.code` for programs (decisions, section 7)."""

from typing import Any

from graphql import GraphQLError, GraphQLSyntaxError, ValueNode

from app.core.errors import InternalError, Refusal, ResponseTooLarge
from app.http.requests import current_request_id, note_refusal

BAD_INPUT = "BAD_USER_INPUT"
CODES = {
    "Unauthorized": "UNAUTHENTICATED",
    "Forbidden": "FORBIDDEN",
    "PayloadTooLarge": "REQUEST_TOO_LARGE",
    "UnsupportedMediaType": "UNSUPPORTED_MEDIA_TYPE",
    "RateLimited": "RATE_LIMITED",
    "CursorExpired": "CURSOR_EXPIRED",
    "ServiceUnavailable": "SERVICE_UNAVAILABLE",
}
"""The codes of refusals, by their tag."""
PARSE_CODES = {
    " tokens. Parsing aborted": "TOO_MANY_TOKENS",
    "nested too deeply": "QUERY_TOO_DEEP",
    "": "GRAPHQL_PARSE_FAILED",
}
"""The codes of what graphql-core's parser refuses, by words of its message: it has no other sign of it."""
UNAVAILABLE = "SERVICE_UNAVAILABLE"
INTERNAL = "INTERNAL_SERVER_ERROR"


class RequestError(GraphQLError):
    """A request that is refused as a whole; its status is the same for both media types."""

    def __init__(self, message: str, code: str = "BAD_REQUEST", status: int = 400, **headers: str) -> None:
        super().__init__(message, extensions={"code": code})
        self.status, self.headers = status, headers


def query_error(code: str, message: str) -> GraphQLError:
    """Returns the error of a query that is refused as a whole."""
    return GraphQLError(message, extensions={"code": code})


def refused(refusal: Refusal) -> GraphQLError:
    """Returns a refusal outside of resolvers; that of a response that is too large is a query's, not a request's."""
    note_refusal(refusal)
    if isinstance(refusal, ResponseTooLarge):
        return query_error("RESPONSE_TOO_LARGE", refusal.message)
    code = CODES.get(refusal.tag, "BAD_REQUEST" if refusal.status < 500 else INTERNAL)
    return RequestError(" ".join(refusal.lines), code, refusal.status, **refusal.headers)


def format_error(error: GraphQLError) -> dict[str, Any]:
    """Returns an error as clients get it; of an internal error only the request's id."""
    result: dict[str, Any] = dict(error.formatted)
    code, cause = code_of(error), error.original_error
    if isinstance(cause, Refusal):
        note_refusal(cause)
        result["message"] = " ".join(cause.lines)
    elif code == INTERNAL:
        result["message"] = InternalError(current_request_id()).message
    result["extensions"] = {"code": code}
    return result


def code_of(error: GraphQLError) -> str:
    """Returns the code of an error. One with a path occurred during execution, any other before."""
    if error.extensions and "code" in error.extensions:
        return str(error.extensions["code"])
    cause = error.original_error
    if isinstance(cause, Refusal):
        return CODES.get(cause.tag, BAD_INPUT if cause.status < 500 else INTERNAL)
    if isinstance(error, GraphQLSyntaxError):
        return next(code for words, code in PARSE_CODES.items() if words in error.message)
    if cause is not None and (error.path is not None or not error.nodes):
        return INTERNAL
    if error.path is not None or any(isinstance(node, ValueNode) for node in error.nodes or ()):
        return BAD_INPUT  # a value of the wrong type for its argument
    return "GRAPHQL_VALIDATION_FAILED"
