"""A request as GraphQL over HTTP puts it: which query, which variables, which operation, and how to answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

import orjson
from flask import request
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from app.http import bodies
from graphql_app.errors import BadRequest

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
HTML = "text/html"
MAX_BODY = 256 * 1024
"""A query of 20 KB in which everything is escaped, and more variables than any query of ours has use for."""

LONGEST_ACCEPT = 1_000
"""How many characters say which answers are wanted; browsers send about a hundred."""
LONGEST_KEPT = 4_000
"""How long an address may be that is remembered with what it asks for."""


@dataclass(frozen=True)
class Asked:
    """What is asked for; `query` is None where its hash stands for it."""

    query: str | None
    variables: Mapping[str, Any] = field(default_factory=dict)
    operation_name: str | None = None
    sha256: str | None = None


def answer_type(accept: str) -> str | None:
    """Returns the media type to answer in: JSON, GraphQL's own, html for a browser, or None where none will do."""
    return _answer_type(accept) if len(accept) <= LONGEST_ACCEPT else None


@lru_cache(maxsize=512)
def _answer_type(accept: str) -> str | None:
    accepted = parse_accept_header(accept, MIMEAccept)
    if not accept.strip():
        return JSON
    named = {name.lower() for name, _ in accepted}
    if HTML in named and all(accepted[HTML] > accepted[name] for name in {JSON, GRAPHQL_RESPONSE} & named):
        return HTML
    if GRAPHQL_RESPONSE in named and accepted[GRAPHQL_RESPONSE] >= max(accepted[JSON], 0.001):
        return GRAPHQL_RESPONSE
    return JSON if accepted[JSON] > 0 else None


def asked() -> Asked:
    """Returns what the request asks for. Refuses what is no GraphQL request."""
    if request.method not in ("GET", "HEAD"):
        return _asked(_from_body())
    address = request.query_string
    return _of_known_url(address) if len(address) <= LONGEST_KEPT else _of_url(address)


@lru_cache(maxsize=512)
def _of_known_url(query_string: bytes) -> Asked:
    """Returns what an address asks for; a site asks the same addresses over and over."""
    return _of_url(query_string)


def _of_url(query_string: bytes) -> Asked:
    parameters: dict[str, Any] = dict(
        parse_qsl(query_string.decode("latin-1"), keep_blank_values=True, errors="replace")
    )
    for name in ("variables", "extensions"):
        if text := parameters.pop(name, ""):
            parameters[name] = _json(text.encode("utf-8", "surrogatepass"), f"`{name}`")
    return _asked(parameters)


def _asked(parameters: Mapping[str, Any]) -> Asked:
    query, name = parameters.get("query"), parameters.get("operationName")
    if not isinstance(query, str | None):
        raise BadRequest("`query` must be a string.")
    if not isinstance(name, str | None):
        raise BadRequest("`operationName` must be a string.")
    sha256 = _hash(_object(parameters, "extensions"))
    if not query and sha256 is None:
        raise BadRequest("Send a GraphQL query as `query`.")
    return Asked(query or None, _object(parameters, "variables"), name or None, sha256)


def _from_body() -> Mapping[str, Any]:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype not in (JSON, GRAPHQL_RESPONSE) or charset not in ("utf-8", "utf8"):
        message = "Send the body as JSON in UTF-8, with `Content-Type: application/json`."
        raise BadRequest(message, "UNSUPPORTED_MEDIA_TYPE", 415)
    body = bodies.read()
    if len(body) > MAX_BODY:
        raise BadRequest(f"A request has at most {MAX_BODY:,} bytes.", "REQUEST_TOO_LARGE", 413)
    parameters = _json(body, "the body")
    if isinstance(parameters, list):
        raise BadRequest("Send one query at a time: batches are not taken.", "BATCH_NOT_SUPPORTED")
    if not isinstance(parameters, dict):
        raise BadRequest("The body must be a JSON object.")
    return parameters


def _json(text: bytes, what: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"This is not valid JSON, in {what}: {error}.") from None


def _object(parameters: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = parameters.get(name)
    if not isinstance(value, dict | None):
        raise BadRequest(f"`{name}` must be an object.")
    return value or {}


def _hash(extensions: Mapping[str, Any]) -> str | None:
    """Returns the hash of a persisted query, the Apollo way."""
    persisted = extensions.get("persistedQuery")
    if persisted is None:
        return None
    if not isinstance(persisted, dict) or persisted.get("version") != 1:
        raise BadRequest("`extensions.persistedQuery` must have version 1.", "PERSISTED_QUERY_NOT_SUPPORTED")
    sha256 = persisted.get("sha256Hash")
    if not isinstance(sha256, str):
        raise BadRequest("`extensions.persistedQuery.sha256Hash` must be a string.")
    return sha256.lower()
