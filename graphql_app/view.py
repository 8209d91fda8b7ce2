"""GraphQL over HTTP at `/graphql`, for GET and POST (decisions, section 7).

Strawberry's view executes the query. Before that, this view looks for a cached response, which is valid as long as the
project's delivery revision stays the same. It also adds the headers with which clients cache responses.
"""

import gzip
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, ClassVar

import orjson
from flask import Response, render_template, request
from graphql import GraphQLError
from strawberry.flask.views import GraphQLView
from strawberry.http import GraphQLRequestData
from strawberry.http.types import HTTPMethod
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import quote_etag

from app.core.context import Context
from app.core.errors import InternalError, ResponseTooLarge, ServiceUnavailable, UnsupportedMediaType, WriteConflict
from app.core.features import Features
from app.core.store.caches import SharedCache
from app.core.store.delivery_revisions import Revision
from app.core.vocabulary import Channel
from app.delivery.caches import delivery_revision, read_delivered
from app.delivery.queries import DeliveryQuery
from app.http import bodies
from app.http.callers import callers, hold_large
from app.settings import Settings
from graphql_app.errors import INTERNAL, UNAVAILABLE, RequestError, code_of, format_error, query_error
from graphql_app.limits import delivery_schema
from graphql_app.types import DeliveryContext

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
HTML = "text/html"

MAX_REQUEST = 256 * 1024
"""A query of 20 KB in which everything is escaped, and more variables than any query has use for."""
PARAMETERS = {"query": str, "operationName": str, "variables": dict, "extensions": dict}

VARY = "Authorization, Accept, Accept-Encoding"
EXPLORER_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MAX_RESPONSE = 16 * 1024 * 1024
PERSISTED_CHARACTERS = 300_000
"""How many characters of queries are found by their hash."""
READ_AGAIN = 3
"""How often a query is executed whose texts were replaced before they could be read."""
CACHE_BYTES = 32 * 1024 * 1024
COMPRESSION = 3
"""The level of gzip: 110 KB become a fifth in 1 ms; the default takes three times as long for 5 % less."""
ENTRY_BYTES = 500
"""The bytes that a cached response takes in addition to its own."""


class DeliveryView(GraphQLView[DeliveryContext, None]):
    """The view of one process, with its caches."""

    init_every_request: ClassVar[bool] = False

    def __init__(self, settings: Settings, features: Features) -> None:
        super().__init__(schema=delivery_schema(features, settings.graphql_introspection), graphql_ide=None)
        self._persisted: SharedCache[str] = SharedCache(PERSISTED_CHARACTERS, size_of=len)
        """Queries by project and SHA-256; a project finds those that it sent itself."""
        self._responses: SharedCache[tuple[int, bytes]] = SharedCache(
            CACHE_BYTES, size_of=lambda kept: len(kept[1]) + ENTRY_BYTES
        )
        """Responses, each with the revision that it is of: that of a later one takes its place."""
        self._cache_control = settings.delivery_cache_control

    def dispatch_request(self) -> Response:
        """Responds to one request."""
        media_type = response_type()
        is_get = request.method != "POST"
        if media_type == HTML and is_get:
            return explorer()
        if media_type in (None, HTML):
            raise RequestError(f"Responses are {JSON} or {GRAPHQL_RESPONSE}.", "NOT_ACCEPTABLE", 406)
        ctx = callers().context(Channel.GRAPHQL)
        data = self._request_data(ctx)
        revision = delivery_revision(ctx)
        key = _cache_key(ctx, data)
        encoding = "gzip" if request.accept_encodings.quality("gzip") > 0 else ""
        tag = sha256_of(repr((key, revision.number, media_type, encoding)))
        caching = {"Cache-Control": self._cache_control, "ETag": quote_etag(tag)} if is_get else {}
        if is_get and request.if_none_match.contains_weak(tag):
            return Response(status=304, headers={"Vary": VARY, **caching})
        if encoding:
            caching["Content-Encoding"] = encoding
        number, body = self._responses.get((key, encoding)) or (None, b"")
        if number == revision.number:
            return _response(body, media_type, caching)
        result, shows_drafts = read_delivered(ctx, revision, lambda ctx: self._execute(ctx, revision, data))
        if result.errors and result.errors[0].path is None:  # the query was not executed
            return respond_to_error(result.errors[0])
        body = encode(result)
        if data.query:
            self._persisted.put((ctx.project_id, sha256_of(data.query)), data.query)
        if result.errors or shows_drafts:
            return _response(body, media_type, {"Cache-Control": "private, no-store" if shows_drafts else "no-store"})
        if encoding:
            body = gzip.compress(body, COMPRESSION, mtime=0)
        self._responses.put((key, encoding), (revision.number, body))
        return _response(body, media_type, caching)

    def _request_data(self, ctx: Context) -> GraphQLRequestData:
        """Returns what the request asks for, with the text of a query that is sent by its hash as Apollo clients do."""
        data = read_request()
        persisted = (data.extensions or {}).get("persistedQuery")
        if persisted is not None:
            sha256 = _sha256(persisted)
            if data.query and sha256 != sha256_of(data.query):
                raise RequestError("The hash is not that of the query.", "PERSISTED_QUERY_HASH_MISMATCH")
            data.query = data.query or self._persisted.get((ctx.project_id, sha256))
            if data.query is None:
                raise query_error("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")
        if not data.query:
            raise RequestError("Send a GraphQL query as `query`.")
        return data

    def _execute(self, ctx: Context, revision: Revision, data: GraphQLRequestData) -> tuple[ExecutionResult, bool]:
        """Returns the result of the query, and whether it shows drafts.

        Executes it again where a text of its response was replaced before it was read.
        """
        for _ in range(READ_AGAIN):
            query = DeliveryQuery(ctx, revision)
            with suppress(WriteConflict):
                result = self._executed(data, query)
                if result.data is not None:
                    query.texts.read(hold_large)
                return result, query.shows_drafts
        raise ServiceUnavailable("What the query selects is being published over and over: try again in a moment.")

    def _executed(self, data: GraphQLRequestData, query: DeliveryQuery) -> ExecutionResult:
        """Returns the result of the query with the errors that are the caller's; raises any other."""
        method: HTTPMethod = "POST" if request.method == "POST" else "GET"
        try:
            result = self.schema.execute_sync(
                data.query,
                data.variables,
                context_value=DeliveryContext(query, data.operation_name),
                operation_name=data.operation_name,
                allowed_operation_types=OperationType.from_http(method),
            )
        except CannotGetOperationTypeError as error:
            raise query_error("OPERATION_RESOLUTION_FAILURE", error.as_http_error_reason()) from None
        except InvalidOperationTypeError as error:  # a mutation by GET
            reason = error.as_http_error_reason(method)
            raise RequestError(reason, "GRAPHQL_VALIDATION_FAILED", 405, Allow="POST") from None
        for one in result.errors or ():
            if code_of(one) in (INTERNAL, UNAVAILABLE):
                raise one.original_error or InternalError
        return result


def _sha256(persisted: object) -> str:
    if not isinstance(persisted, dict) or persisted.get("version") != 1:
        raise RequestError("`extensions.persistedQuery` must have version 1.", "PERSISTED_QUERY_NOT_SUPPORTED")
    if not isinstance(sha256 := persisted.get("sha256Hash"), str):
        raise RequestError("`extensions.persistedQuery.sha256Hash` must be a string.")
    return sha256.lower()


def encode(result: ExecutionResult) -> bytes:
    """Returns the response as JSON, with the contents of its texts. Refuses with `ResponseTooLarge` over 16 MB."""
    response: dict[str, Any] = {"data": result.data}
    if result.errors:
        response["errors"] = [format_error(error) for error in result.errors]
    body = orjson.dumps(response, default=attrgetter("content"), option=orjson.OPT_PASSTHROUGH_SUBCLASS)
    if len(body) > MAX_RESPONSE:
        raise ResponseTooLarge("The response is over 16 MB: select less at once.")
    return body


def sha256_of(query: str) -> str:
    """Returns the SHA-256 of a query's text in hex digits."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _response(body: bytes, media_type: str | None, headers: Mapping[str, str], status: int = 200) -> Response:
    return Response(body, status, {"Vary": VARY, **headers}, content_type=f"{media_type}; charset=utf-8")


def _cache_key(ctx: Context, data: GraphQLRequestData) -> str:
    try:
        variables = orjson.dumps(data.variables or {}, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        raise RequestError("`variables` are nested too deep.") from None
    return sha256_of(repr((ctx.project_id, ctx.caller.drafts, data.query, data.operation_name, variables)))


def respond_to_error(error: GraphQLError) -> Response:
    """Returns the response to a request or a query that is refused as a whole.

    The status of such a query is 200 for plain JSON, as older clients expect it.
    """
    media_type = GRAPHQL_RESPONSE if response_type() == GRAPHQL_RESPONSE else JSON
    status, headers = 400 if media_type == GRAPHQL_RESPONSE else 200, {"Cache-Control": "no-store"}
    if isinstance(error, RequestError):
        status, headers = error.status, headers | error.headers
    return _response(orjson.dumps({"errors": [format_error(error)]}), media_type, headers, status)


def explorer() -> Response:
    """Returns the page on which a browser tries the delivery API. It has no token: its user pastes one."""
    headers = {"Content-Security-Policy": EXPLORER_POLICY, "Cache-Control": "no-store"}
    return _response(render_template("delivery/explorer.html").encode(), HTML, headers)


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
    return bodies.loads_object(body, request)


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
