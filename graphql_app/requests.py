"""Requests to `/graphql`: a query with its variables, and the media types that the client accepts."""

from typing import Any

import orjson
from flask import request
from strawberry.http import GraphQLRequestData
from werkzeug.datastructures import MIMEAccept

from app.core.errors import UnsupportedMediaType
from app.http import bodies
from app.http.json import loads_object
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
            sent[name] = _parsed(name, sent.get(name, "null"))
    for name, kind in PARAMETERS.items():
        if not isinstance(sent.get(name), kind | None):
            raise RequestError(f"`{name}` must be a {'string' if kind is str else 'JSON object'}, or null.")
    operation = sent.get("operationName") or None
    return GraphQLRequestData(sent.get("query"), sent.get("variables"), operation, sent.get("extensions"))


def _body() -> dict[str, Any]:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("Send the body as JSON in UTF-8, with `Content-Type: application/json`.")
    body = bodies.read()
    if len(body) > MAX_REQUEST:
        raise RequestError(f"A request has at most {MAX_REQUEST:,} bytes.", "REQUEST_TOO_LARGE", 413)
    if body.lstrip().startswith(b"["):
        raise RequestError("Send one query at a time: batches are not supported.", "BATCH_NOT_SUPPORTED")
    return loads_object(body, request)


def _parsed(name: str, text: str) -> Any:
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        raise RequestError(f"`{name}` is not valid JSON: {error}.") from None


def response_type() -> str | None:
    """Returns the media type to respond in: JSON, GraphQL's own, html for a browser, or None for not acceptable."""
    given = request.accept_mimetypes or [(JSON, 1)]
    accepted = MIMEAccept((name.partition(";")[0].strip(), quality) for name, quality in given)  # without `charset`
    named = {name.lower() for name, _ in accepted}
    return accepted.best_match([one for one in (GRAPHQL_RESPONSE, JSON, HTML) if one == JSON or one in named])
