"""GraphQL over HTTP at `/graphql`, for GET and POST (decisions, section 7).

Strawberry's view parses the request and executes the query. In front of it are the cache of responses, which are valid
as long as the project's delivery revision stays the same, and what makes them cacheable for clients.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from threading import Lock
from typing import Any, ClassVar

import orjson
from cachetools import LRUCache
from cross_web import FlaskHTTPRequestAdapter, SyncHTTPRequestAdapter
from cross_web import HTTPException as StrawberryHTTPException
from flask import Response, request
from graphql import GraphQLError
from strawberry.flask.views import GraphQLView
from strawberry.http import GraphQLRequestData
from strawberry.http.types import HTTPMethod
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header, quote_etag

from app.errors import InternalError, Refusal, ResponseTooLarge, ServiceUnavailable, WriteConflict
from app.http import bodies
from app.http.callers import callers, hold_large
from app.http.requests import CALLER
from app.operations.context import Caller, Context
from app.operations.delivered_texts import Text, TextCache
from app.operations.delivery import DeliveryQuery
from app.operations.delivery_caches import DeliveryCaches, read_delivered
from app.operations.revision_cache import RevisionCache
from app.settings import Settings
from app.vocabulary import Channel
from graphql_app.context import DeliveryContext
from graphql_app.errors import (
    INTERNAL,
    TOO_LARGE,
    UNAVAILABLE,
    RequestError,
    code_of,
    format_error,
    format_refusal,
    query_error,
)
from graphql_app.explorer import page
from graphql_app.limits import delivery_schema

JSON = "application/json"
GRAPHQL_RESPONSE = "application/graphql-response+json"
HTML = "text/html"
VARY = "Authorization, Accept"

MAX_REQUEST = 256 * 1024
"""A query of 20 KB in which everything is escaped, and more variables than any query has use for."""
MAX_ACCEPT = 1_000
"""How many characters of an `Accept` header are read; browsers send about a hundred."""
MAX_RESPONSE = 16 * 1024 * 1024
RECORD_DEPTH = 2
"""How deep the lists of records are in a response: in `data`, in a field of `Query`."""
PERSISTED_CHARACTERS = 300_000
"""How many characters of queries are found by their hash."""
READ_AGAIN = 3
"""How often a query is executed whose texts were replaced before they could be read."""
CACHE_BYTES = 32 * 1024 * 1024
ENTRY_BYTES = 500
"""What a cached response takes beside its bytes."""


class RequestAdapter(FlaskHTTPRequestAdapter):
    """The request, as an adapter for Strawberry's view."""

    @property
    def method(self) -> HTTPMethod:
        """GET for HEAD too, which Flask answers like a GET without its body."""
        return "POST" if self.request.method == "POST" else "GET"

    @property
    def content_type(self) -> str:
        """The type of the body without parameters, which Strawberry compares with regard to case."""
        return self.request.mimetype

    @property
    def body(self) -> bytes:
        """The body; `RequestError` for a longer one than any query needs."""
        body = bodies.read()
        if len(body) > MAX_REQUEST:
            raise RequestError(f"A request has at most {MAX_REQUEST:,} bytes.", "REQUEST_TOO_LARGE", 413)
        return body


class DeliveryView(GraphQLView[DeliveryContext, None]):
    """The view of one process, with its caches."""

    init_every_request: ClassVar[bool] = False
    request_adapter_class = RequestAdapter

    def __init__(self, settings: Settings, caches: DeliveryCaches) -> None:
        super().__init__(schema=delivery_schema(settings.graphql_introspection), graphql_ide=None)
        self._caches, self._texts = caches, TextCache()
        self._persisted: LRUCache[tuple[str, str], str] = LRUCache(PERSISTED_CHARACTERS, getsizeof=len)
        """Queries by project and SHA-256; a project finds those that it sent itself."""
        self._persisted_lock = Lock()
        self._responses: RevisionCache[bytes] = RevisionCache(CACHE_BYTES, size_of=lambda body: len(body) + ENTRY_BYTES)
        self._cache_control = settings.delivery_cache_control

    def dispatch_request(self) -> Response:
        """Responds to one request."""
        media_type = response_type()
        is_get = request.method != "POST"
        if media_type == HTML and is_get:
            return page()
        if media_type in (None, HTML):
            raise RequestError(f"Responses are {JSON} or {GRAPHQL_RESPONSE}.", "NOT_ACCEPTABLE", 406)
        ctx = callers().context(Channel.GRAPHQL)
        data = self.parse_http_body(RequestAdapter(request))
        revision = self._caches.revision(ctx)
        key = _cache_key(ctx, data)
        tag = _digest((key, revision.number, media_type))
        caching = {"Cache-Control": self._cache_control, "ETag": quote_etag(tag)} if is_get else {}
        conditional = is_get and "If-None-Match" in request.headers
        if conditional and not request.if_none_match.star_tag and request.if_none_match.contains_weak(tag):
            return Response(status=304, headers={"Vary": VARY, **caching})
        body = self._responses.get(key, revision.number)
        if body is None:
            context = DeliveryContext(ctx, revision, data)
            result = read_delivered(ctx, revision, lambda ctx: self._execute(ctx, context))
            body, refused = encode(result), is_refused(result)
            if not refused:
                self._remember(ctx, data.query)
            if result.errors or context.query.shows_drafts:
                uncached = "private, no-store" if context.query.shows_drafts else "no-store"
                return _response(
                    body, media_type, {"Cache-Control": uncached}, status_of_refused_query() if refused else 200
                )
            self._responses.put(key, revision.number, body)
        response = _response(body, media_type, caching)
        if conditional:
            response.make_conditional(request)  # `If-None-Match: *` alone is left: 304 for whatever there is
        return response

    def parse_http_body(self, request: SyncHTTPRequestAdapter) -> GraphQLRequestData:
        """Returns the request's query, variables and operation; a persisted query with its text.

        Raises `RequestError` for what is not a GraphQL request, and `GraphQLError` for an unknown persisted query.
        """
        if request.method == "POST":
            _check_content_type()
        try:
            data = super().parse_http_body(request)
        except StrawberryHTTPException as error:
            raise RequestError(error.reason) from None
        assert isinstance(data, GraphQLRequestData)  # `decode_json` refuses lists
        if not isinstance(data.operation_name, str | None):
            raise RequestError("`operationName` must be a string.")
        data.operation_name = data.operation_name or None
        persisted = (data.extensions or {}).get("persistedQuery")
        if persisted is not None:
            data.query = self._persisted_query(data.query, persisted)
        if not data.query:
            raise RequestError("Send a GraphQL query as `query`.")
        return data

    def _persisted_query(self, query: str | None, persisted: object) -> str:
        """Returns the text of a query that is sent by its hash, with the text or without it, as Apollo clients do."""
        if not isinstance(persisted, dict) or persisted.get("version") != 1:
            raise RequestError("`extensions.persistedQuery` must have version 1.", "PERSISTED_QUERY_NOT_SUPPORTED")
        sha256 = persisted.get("sha256Hash")
        if not isinstance(sha256, str):
            raise RequestError("`extensions.persistedQuery.sha256Hash` must be a string.")
        if query and sha256.lower() != sha256_of(query):
            raise RequestError("The hash is not that of the query.", "PERSISTED_QUERY_HASH_MISMATCH")
        caller: Caller = request.environ[CALLER]
        with self._persisted_lock:
            text = query or self._persisted.get((caller.project_id, sha256.lower()))
        if text is None:
            raise query_error("PERSISTED_QUERY_NOT_FOUND", "PersistedQueryNotFound")
        return text

    def decode_json(self, data: str | bytes) -> object:
        """Returns a JSON object, or None where a parameter of the URL is null."""
        try:
            value = orjson.loads(data)
        except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
            what = "The body" if isinstance(data, bytes) else "What `variables` or `extensions` holds"
            raise RequestError(f"{what} is not valid JSON: {error}.") from None
        if isinstance(value, list) and isinstance(data, bytes):
            raise RequestError("Send one query at a time: batches are not supported.", "BATCH_NOT_SUPPORTED")
        if not isinstance(value, dict) and (value is not None or isinstance(data, bytes)):
            raise RequestError("The body, `variables` and `extensions` must be JSON objects.")
        return value

    def _remember(self, ctx: Context, query: str | None) -> None:
        if query:
            with self._persisted_lock:
                self._persisted[ctx.project_id, sha256_of(query)] = query

    def _execute(self, ctx: Context, context: DeliveryContext) -> ExecutionResult:
        """Executes the query, again where a text of its response was replaced before it was read."""
        data, method = context.request_data, RequestAdapter(request).method
        for _ in range(READ_AGAIN):
            context.query = DeliveryQuery(ctx, context.revision.number, self._caches, self._texts)
            try:
                result = self.schema.execute_sync(
                    data.query,
                    data.variables,
                    context_value=context,
                    operation_name=data.operation_name,
                    allowed_operation_types=OperationType.from_http(method),
                )
            except InvalidOperationTypeError as error:  # a mutation by GET
                reason = error.as_http_error_reason(method)
                raise RequestError(reason, "GRAPHQL_VALIDATION_FAILED", 405, Allow="POST") from None
            causes = [one.original_error for one in result.errors or () if code_of(one) in (INTERNAL, UNAVAILABLE)]
            if any(isinstance(cause, WriteConflict) for cause in causes):
                continue
            for cause in causes:
                raise cause or InternalError
            try:
                if result.data is None or context.query.texts.read(hold_large):
                    return result
            except ResponseTooLarge as refusal:
                raise query_error(TOO_LARGE, refusal.message) from None
        raise ServiceUnavailable("What the query selects is being published over and over: try again in a moment.")


def encode(result: ExecutionResult) -> bytes:
    """Returns the response as JSON, without `data` where the query was not executed.

    Raises `GraphQLError` for over 16 MB of it, which are never in memory together.
    """
    response: dict[str, Any] = {} if is_refused(result) else {"data": result.data}
    if result.errors:
        response["errors"] = [format_error(error) for error in result.errors]
    chunks, size = [], 0
    for chunk in _chunks(response, RECORD_DEPTH):
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_RESPONSE:
            raise query_error(TOO_LARGE, "The response is over 16 MB: select less at once.")
    return b"".join(chunks)


def sha256_of(query: str) -> str:
    """Returns the SHA-256 of a query's text in hex digits."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()


def _chunks(value: Any, depth: int) -> Iterator[bytes]:
    """Yields the JSON of what is not empty; what is nested so deep in one piece."""
    is_object = isinstance(value, dict)
    before, end = (b"{", b"}") if is_object else (b"[", b"]")
    for key in value:
        if is_object:
            before += orjson.dumps(key) + b":"
        item = value[key] if is_object else key
        if depth and item and isinstance(item, (dict, list)):
            yield before
            yield from _chunks(item, depth - 1)
        else:
            yield before + orjson.dumps(item, default=_content_of, option=orjson.OPT_PASSTHROUGH_SUBCLASS)
        before = b","
    yield end


def _content_of(value: object) -> str | None:
    """Returns the content of a text at its place in the response."""
    if isinstance(value, Text):
        return value.content
    raise TypeError(type(value))


def is_refused(result: ExecutionResult) -> bool:
    """Returns whether a query was refused before it was executed."""
    return result.data is None and bool(result.errors) and all(error.path is None for error in result.errors or ())


def _response(body: bytes, media_type: str | None, headers: Mapping[str, str], status: int = 200) -> Response:
    return Response(body, status, {"Vary": VARY, **headers}, content_type=f"{media_type}; charset=utf-8")


def response_type() -> str | None:
    """Returns the media type to respond in: JSON, GraphQL's own, html for a browser, or None for not acceptable."""
    accept = request.headers.get("Accept", "")
    return _response_type(accept) if len(accept) <= MAX_ACCEPT else None


@lru_cache(maxsize=512)
def _response_type(accept: str) -> str | None:
    given = parse_accept_header(accept.strip() or JSON, MIMEAccept)
    accepted = MIMEAccept((name.partition(";")[0].strip(), quality) for name, quality in given)  # without `charset`
    named = {name.lower() for name, _ in accepted}
    return accepted.best_match([one for one in (GRAPHQL_RESPONSE, JSON, HTML) if one == JSON or one in named])


def _check_content_type() -> None:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != JSON or charset not in ("utf-8", "utf8"):
        message = "Send the body as JSON in UTF-8, with `Content-Type: application/json`."
        raise RequestError(message, "UNSUPPORTED_MEDIA_TYPE", 415)
    bodies.refuse_compressed(request)


def _cache_key(ctx: Context, data: GraphQLRequestData) -> str:
    try:
        variables = orjson.dumps(data.variables or {}, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        raise RequestError("`variables` are nested too deep.") from None
    return _digest((ctx.project_id, ctx.caller.drafts, data.query, data.operation_name, variables))


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def status_of_refused_query() -> int:
    """Returns the status of a query that was not executed: plain JSON is older than statuses that say so."""
    return 400 if response_type() == GRAPHQL_RESPONSE else 200


def respond_to_error(error: GraphQLError | RequestError | Refusal) -> Response:
    """Returns the response to a request that is refused as a whole, or to a query outside Strawberry."""
    media_type = GRAPHQL_RESPONSE if response_type() == GRAPHQL_RESPONSE else JSON
    headers = {"Cache-Control": "no-store"} | ({} if isinstance(error, GraphQLError) else error.headers)
    status = status_of_refused_query() if isinstance(error, GraphQLError) else error.status
    formatted = format_error(error) if isinstance(error, GraphQLError) else format_refusal(error)
    return _response(orjson.dumps({"errors": [formatted]}), media_type, headers, status)
