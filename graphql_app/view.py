"""The door: GraphQL over HTTP at `/graphql`, for `GET` and `POST` (decisions, section 7).

In order: how to answer, who calls, what is asked, is the query valid, does the caller have the answer already, do we.
Only then the query is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
from flask import Response, request
from werkzeug.exceptions import HTTPException
from werkzeug.http import quote_etag

from app.errors import Refusal
from app.http.callers import callers
from app.http.errors import of_the_framework, unexpected
from app.operations.context import Context
from app.operations.delivery import DeliveryReader
from app.operations.revision_cache import RevisionCache
from app.settings import Settings
from app.vocabulary import Channel, TokenKind
from graphql_app.errors import BUG, BadRequest, NotAQuery, QueryRefused, coded, of_refusal, written
from graphql_app.explorer import page
from graphql_app.queries import Queries, Query
from graphql_app.requests import GRAPHQL_RESPONSE, HTML, JSON, Asked, answer_type, asked
from graphql_app.running import run

ROOM = 64 * 1024 * 1024
"""How many bytes of answers a process keeps."""
OVERHEAD = 500
"""What keeping an answer takes beside its bytes."""

VARY = "Authorization, Accept"
READS = ("GET", "HEAD")


class GraphQL:
    """The view, with what a process keeps: queries that are valid, answers that still hold."""

    def __init__(self, settings: Settings, reader: DeliveryReader) -> None:
        self._reader = reader
        self._queries = Queries(settings.graphql_introspection)
        self._answers: RevisionCache[bytes] = RevisionCache(ROOM, size_of=lambda body: len(body) + OVERHEAD)
        self._cache_control = settings.delivery_cache_control

    def view(self) -> Response:
        """Answers one request."""
        media_type = answer_type(request.headers.get("Accept", ""))
        if media_type == HTML and request.method in READS:
            return page()
        if media_type in (None, HTML):
            raise BadRequest(f"Answers are {JSON} or {GRAPHQL_RESPONSE}.", "NOT_ACCEPTABLE", 406)
        ctx = callers().context(TokenKind.DELIVERY, Channel.GRAPHQL)
        try:
            wanted = asked()
            return self._answer(ctx, wanted, self._query(wanted), str(media_type))
        except BadRequest:
            raise
        except NotAQuery as refusal:
            response = failed(refusal, 405 if request.method in READS else _status(refusal, media_type))
            response.headers["Allow"] = "POST"
            return response
        except QueryRefused as refusal:
            return failed(refusal, _status(refusal, media_type))

    def _query(self, wanted: Asked) -> Query:
        """Returns the query itself, by its text or by its hash alone."""
        if wanted.query is None:
            known = self._queries.by_hash(wanted.sha256 or "")
            if known is None:
                raise QueryRefused([coded("PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND")])
            return known
        if wanted.sha256 not in (None, hashlib.sha256(wanted.query.encode()).hexdigest()):
            raise BadRequest("The hash is not that of the query.", "PERSISTED_QUERY_HASH_MISMATCH")
        return self._queries.by_text(wanted.query)

    def _answer(self, ctx: Context, wanted: Asked, query: Query, media_type: str) -> Response:
        revision = self._reader.revision(ctx)
        question = (ctx.project_id, ctx.caller.drafts, query.sha256, wanted.operation_name, _written(wanted.variables))
        key = _hash(question)
        tag = _hash((key, revision, media_type))
        if request.method in READS and _has(tag):
            return Response(status=304, headers=self._to_keep(tag))
        body = self._answers.get(key, revision)
        if body is None:
            result = run(ctx, self._reader, query, wanted.operation_name, wanted.variables, revision)
            if not result.whole or result.drafts:
                cache_control = "private, no-store" if result.drafts else "no-store"
                headers = {"Cache-Control": cache_control, "Vary": VARY}
                return Response(result.body, content_type=_with_charset(media_type), headers=headers)
            body = result.body
            self._answers.put(key, revision, body)
        return Response(body, content_type=_with_charset(media_type), headers=self._to_keep(tag))

    def _to_keep(self, tag: str) -> dict[str, str]:
        """Returns what caches have to know of an answer; one to a `POST` is nobody's to keep."""
        if request.method not in READS:
            return {"Vary": VARY}
        return {"Vary": VARY, "Cache-Control": self._cache_control, "ETag": quote_etag(tag)}


def _has(tag: str) -> bool:
    """Tells whether the caller has the answer already; `*` is no answer, and nothing was judged yet."""
    return (
        "If-None-Match" in request.headers
        and not request.if_none_match.star_tag
        and request.if_none_match.contains_weak(tag)
    )


def _written(variables: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(variables, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        raise BadRequest("`variables` are nested too deep.") from None


def _hash(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _status(refusal: QueryRefused, media_type: str | None) -> int:
    """Returns the status of a refusal: plain JSON is from before statuses said anything of the query itself."""
    return refusal.status if media_type == GRAPHQL_RESPONSE else 200


def failed(refusal: QueryRefused, status: int | None = None) -> Response:
    """Returns a request's refusal as GraphQL says it."""
    return _errors([written(error) for error in refusal.errors], refusal.status if status is None else status)


def refused(refusal: Refusal) -> Response:
    """Returns a refusal that is the same at every door, as GraphQL says it: no valid token, too many requests."""
    response = _errors([of_refusal(refusal)], refusal.status)
    response.headers.update(refusal.headers)
    return response


def of_framework(error: HTTPException) -> Response:
    """Returns what Flask and werkzeug raise, as GraphQL says it."""
    response = of_the_framework(error)
    return told(_message(response), "BAD_REQUEST", response.status_code)


def of_bug(error: Exception) -> Response:
    """Returns the answer to a bug of ours, as GraphQL says it."""
    return told(_message(unexpected(error)), BUG, 500)


def _message(response: Response) -> str:
    return str(orjson.loads(response.get_data())["message"])


def told(message: str, code: str, status: int) -> Response:
    """Returns one error without a place in a query."""
    return _errors([{"message": message, "extensions": {"code": code}}], status)


def _errors(errors: list[dict[str, Any]], status: int) -> Response:
    media_type = answer_type(request.headers.get("Accept", ""))
    content_type = _with_charset(GRAPHQL_RESPONSE if media_type == GRAPHQL_RESPONSE else JSON)
    headers = {"Cache-Control": "no-store", "Vary": VARY}
    return Response(orjson.dumps({"errors": errors}), status, content_type=content_type, headers=headers)


def _with_charset(media_type: str) -> str:
    return f"{media_type}; charset=utf-8"
