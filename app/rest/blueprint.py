"""How an operation becomes a route: flask-smorest's decorators on one small view, from the operation's declaration."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial, wraps
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import marshmallow as ma
import orjson
from flask import Response, request, url_for
from flask_smorest import Blueprint

from app.http import bodies
from app.http.callers import callers
from app.http.concurrency import hold_large
from app.http.preferences import RETURN_MINIMAL, prefers
from app.http.unknown import note_unknown_query, refuse_unknown_if_strict, response_headers
from app.http.waiting import wait_for_events
from app.operations.context import Context
from app.operations.operation import Operation, Result
from app.responses.documents import TEXT_IF_MISSING
from app.responses.json_schema import REF
from app.responses.minimal import minimal_record
from app.rest.examples import request_example
from app.rest.openapi import common_parameters
from app.rest.parser import ConditionalWriteHeaders, Parser, WriteHeaders, check_path
from app.rest.route import Route
from app.rules.etags import read_tags
from app.schemas.loading import cached_schema
from app.schemas.queries import MAX_OFFSET
from app.schemas.types import Schema
from app.vocabulary import Channel, Kind

View = Callable[..., Response]

NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class Routes(Blueprint):  # type: ignore[misc]
    """A flask-smorest blueprint whose routes are operations."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, import_name: str, description: str) -> None:
        super().__init__(name, import_name, description=description)
        self.served: list[Route] = []
        self.after_request(self._add_dry_run_header)

    def serve(
        self,
        method: str,
        path: str,
        operation: Operation[Any],
        *,
        kind: Kind | None = None,
        location: str | None = None,
        rest_query: type[ma.Schema] | None = None,
    ) -> None:
        """Serves an operation at a path whose parameters are its ids, in order; `Route` describes the rest.

        flask-smorest's decorators document the route. Those of `arguments` parse the request, the last one first:
        headers, query, body, an order that `Parser.handle_error` knows. The view returns a Flask response, so
        `response` dumps nothing.
        """
        route = Route(method, path, operation, kind, location, rest_query)
        self.served.append(route)
        record = {"$ref": REF + route.component}
        view = self.response(
            route.status,
            {"type": "array", "items": record} if operation.many else record,
            description="Success." if operation.reads else f"{operation.summary}: done.",
            headers={name: name for name in route.headers},
        )(_view(route))
        for error in route.errors:
            view = self.alt_response(error.status, error.name)(view)
        if operation.body is not None:
            body = operation.body()
            required = any(field.required for field in body.fields.values())
            view = self.arguments(body, required=required, example=request_example(operation.body))(view)
        if route.query is not None:
            view = self.arguments(route.query(), location="query")(view)
        if route.takes_key:
            headers = ConditionalWriteHeaders() if route.conditional else WriteHeaders()
            view = self.arguments(headers, location="headers", arg_name="headers")(view)
        elif route.has_etag:  # such a route has no query, whose parameters this would replace
            view = self.doc(parameters=["If-None-Match"])(self.alt_response(304, "NotModified")(view))
        view = self.doc(
            operationId=route.name,
            summary=operation.summary,
            description=f"{operation.description}\n\nNeeds a token with the scope `{operation.scope}`.",
        )(view)
        self.route(path, methods=[method], endpoint=route.name, parameters=common_parameters(path))(
            _authorized(route, view)
        )

    def _add_dry_run_header(self, response: Response) -> Response:
        """Adds the header `Dry-Run` to every response to a dry run, refusals included."""
        if b"dryRun" in request.query_string and request.args.get("dryRun") == "true":
            endpoint = (request.endpoint or "").rpartition(".")[2]
            if any(route.name == endpoint and not route.operation.reads for route in self.served):
                response.headers["Dry-Run"] = "true"
        return response


def _authorized(route: Route, view: View) -> View:
    """Wraps a view so that token, scope and ids are checked, and unknown parameters noted, before the body is read."""
    query = cached_schema(route.query or Schema)
    body = cached_schema(route.operation.body) if route.operation.body else None

    @wraps(view)  # which passes flask-smorest's documentation of the view on
    def authorized(**path: str) -> Response:
        ctx = callers().context(Channel.REST)
        route.operation.permit(ctx)
        note_unknown_query(query, body)
        check_path(path, unless_wrong=None if route.operation.reads else query)
        return view(ctx, **path)

    return authorized


def _view(route: Route) -> View:
    """Returns the view of a route; flask-smorest passes the loaded query and body by position, the headers by name."""
    operation = route.operation

    def view(ctx: Context, *sent: Mapping[str, Any], headers: Mapping[str, str] = NO_HEADERS, **path: str) -> Response:
        fields: dict[str, Any] = {"kind": route.kind} if route.kind else {}
        for part in sent:  # no operation has a name in both query and body
            fields |= part
        if fields.pop("dryRun", False):
            ctx = replace(ctx, dry_run=True)
        seconds = fields.pop("wait", 0)  # of `list_events` alone: for the first event
        if operation.body is None:
            bodies.ignore()
        refuse_unknown_if_strict()
        if (sent_tags := headers.get("if_match")) is not None:
            tags = read_tags(sent_tags)
            ctx = replace(ctx, if_match=tags, any_state=tags is None)
        call = partial(operation, ctx, *path.values(), fields=fields, key=headers.get("idempotency_key"))
        result = wait_for_events(seconds, call) if seconds else call()
        return _respond(ctx, route, result, fields)

    return view


def _respond(ctx: Context, route: Route, result: Result[Any], fields: Mapping[str, Any]) -> Response:
    headers: dict[str, str] = {}
    etag = result.etag
    if etag is not None:
        if result.etag_covers_body:
            etag = f"{etag}.{_hash(result.body)}"
        headers["ETag"] = f'"{etag}"'
        if route.operation.reads and request.if_none_match.contains_weak(etag):
            return Response(status=304, headers=headers)
    is_minimal = route.operation.writes_document and prefers(RETURN_MINIMAL)
    headers.update(response_headers(*([RETURN_MINIMAL] if is_minimal else [])))
    if result.replayed:
        headers["Idempotency-Replayed"] = "true"
    if result.total is not None:
        headers["Total-Count"] = str(result.total)
    if route.pages and (following := _next_page(route, fields, result)):
        headers["Link"] = f'<{following}>; rel="next"'
    if route.location is not None and not ctx.dry_run:
        headers["Location"] = url_for(route.location, id=_record(result)["id"])
    body = minimal_record(result.body) if is_minimal else _with_texts(ctx, result) if result.text_ids else result.body
    return Response(orjson.dumps(body), route.status, headers, content_type="application/json")


def _next_page(route: Route, fields: Mapping[str, Any], result: Result[Any]) -> str | None:
    """Returns the path of the next page of a list; None where this page is the last one, or the last that there is.

    It has the parameters of the request that the route knows.
    """
    offset = fields["offset"] + fields["limit"]
    if len(result.body) < fields["limit"] or offset > MAX_OFFSET:
        return None
    sent = {name: values for name, values in request.args.lists() if name in route.parameters}
    query = urlencode({**sent, "offset": offset}, doseq=True, safe=",:")
    return f"{request.script_root}{request.path}?{query}"


def _record(result: Result[Any]) -> dict[str, Any]:
    record: dict[str, Any] = result.body[result.record_key] if result.record_key else result.body
    return record


def _with_texts(ctx: Context, result: Result[Any]) -> dict[str, Any]:
    """Returns the body with the long texts of its record."""
    record = {**_record(result), **_texts(ctx, result)}
    return {**result.body, result.record_key: record} if result.record_key else record


def _texts(ctx: Context, result: Result[Any]) -> Mapping[str, str | None]:
    """Returns the long texts of a record by field; one that is gone is empty, as in a replay after a purge."""
    texts = result.texts
    if missing := [one for one in result.text_ids.values() if one and one not in texts]:
        with ctx.store.deadline():
            # Long ones are counted before they are read: with 48 readers of 2 MB at once the process took 456 MB.
            texts = {**texts, **ctx.store.bodies.get_texts(ctx.project_id, missing, before_long=hold_large)}
    return {name: texts.get(one, "") if one else TEXT_IF_MISSING[name] for name, one in result.text_ids.items()}


def _hash(body: object) -> str:
    return hashlib.blake2b(orjson.dumps(body), digest_size=8).hexdigest()
