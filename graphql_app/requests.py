"""What a client sends to `/graphql`: a query with its variables, and the media types that it accepts."""

from typing import Any

import orjson
from flask import request
from strawberry.http import GraphQLRequestData
from werkzeug.datastructures import MIMEAccept

from app.http import bodies
from graphql_app.errors import RequestError

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
HTML = "text/html"

MAX_REQUEST = 256 * 1024
"""A query of 20 KB in which everything is escaped, and more variables than any query has use for."""
PARAMETERS = {"query": str, "operationName": str, "variables": dict, "extensions": dict}


def read_request() -> GraphQLRequestData:
    """Returns the query, variables, operation and extensions of the request.

    Raises `RequestError` for what is not a GraphQL request.
    """
    if request.method == "POST":
        sent = _body()
    else:
        sent = request.args.to_dict()
        for name in ("variables", "extensions"):
            sent[name] = _parsed(f"`{name}`", sent.get(name, "null"))
    for name, kind in PARAMETERS.items():
        if not isinstance(sent.get(name), kind | None):
            raise RequestError(f"`{name}` must be a {'string' if kind is str else 'JSON object'}, or null.")
    return GraphQLRequestData(
        query=sent.get("query"),
        variables=sent.get("variables"),
        operation_name=sent.get("operationName") or None,
        extensions=sent.get("extensions"),
    )


def _body() -> dict[str, Any]:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset not in ("utf-8", "utf8"):
        message = "Send the body as JSON in UTF-8, with `Content-Type: application/json`."
        raise RequestError(message, "UNSUPPORTED_MEDIA_TYPE", 415)
    bodies.refuse_compressed(request)
    body = bodies.read()
    if len(body) > MAX_REQUEST:
        raise RequestError(f"A request has at most {MAX_REQUEST:,} bytes.", "REQUEST_TOO_LARGE", 413)
    sent = _parsed("The body", body)
    if isinstance(sent, list):
        raise RequestError("Send one query at a time: batches are not supported.", "BATCH_NOT_SUPPORTED")
    if not isinstance(sent, dict):
        raise RequestError("The body must be a JSON object.")
    return sent


def _parsed(what: str, text: str | bytes) -> Any:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise RequestError(f"{what} is not valid JSON: {error}.") from None


def response_type() -> str | None:
    """Returns the media type to respond in: JSON, GraphQL's own, html for a browser, or None for not acceptable."""
    given = request.accept_mimetypes or [(JSON, 1)]
    accepted = MIMEAccept((name.partition(";")[0].strip(), quality) for name, quality in given)  # without `charset`
    named = {name.lower() for name, _ in accepted}
    return accepted.best_match([one for one in (GRAPHQL_RESPONSE, JSON, HTML) if one == JSON or one in named])
