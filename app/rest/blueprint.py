"""How an operation becomes a route: flask-smorest's decorators on one small view, from the operation's declaration."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial, wraps
from typing import Any, NoReturn
from urllib.parse import urlencode

import marshmallow as ma
import orjson
from flask import Request, Response, after_this_request, g, request, url_for
from flask_smorest import Blueprint
from webargs.flaskparser import FlaskParser

from app.core.context import Context
from app.core.errors import NotFound
from app.core.operation import Result
from app.core.other_bodies import CsvBody, FileBody
from app.core.records import read_tags
from app.core.schemas.fields import DelimitedStrings, Schema
from app.core.schemas.loading import cached_schema, decode_error
from app.core.schemas.queries import MAX_OFFSET, NUMBERS, ConditionalWriteHeaders, WriteHeaders, from_query
from app.core.schemas.validation import HEX_ID, WRONG_ID
from app.core.store.bodies import Bodies
from app.core.vocabulary import Channel
from app.documents.responses import TEXT_IF_MISSING, minimal_record
from app.documents.schemas import BASE_REQUIRED, GuardedWrite
from app.http import bodies, preferences, streams
from app.http.callers import callers, hold_large, hold_stream
from app.http.preferences import RETURN_MINIMAL, prefers
from app.http.waiting import wait_for_events
from app.rest import tables
from app.rest.openapi import common_parameters
from app.rest.response_schemas import REF
from app.rest.route import Route

View = Callable[..., Response]

NUMBER = re.compile("0|[1-9][0-9]{0,8}")


class Parser(FlaskParser):
    """webargs' parser for Flask with this API's rules and errors."""

    DEFAULT_VALIDATION_STATUS = 400  # which flask-smorest documents

    def parse(self, argmap: Any, req: Request | None = None, *, location: str | None = None, **options: Any) -> Any:
        """Returns what a part of the request has; nothing, at once, where it has no header or query that is known.

        That is so of nearly all headers and most queries of writes, and loading nothing takes 0.04 ms.
        """
        if _is_empty(location, argmap):
            return {}
        return super().parse(argmap, req, location=location, **options)

    def load_json(self, req: Request, schema: ma.Schema) -> Mapping[str, Any]:
        """Returns the body's object; an empty body is an empty object. Some operations take a table instead."""
        from_csv: CsvBody | None = g.from_csv
        from_file: FileBody | None = g.from_file
        if from_file and req.mimetype in from_file.types:
            bodies.refuse_compressed(req)
            g.file = bodies.read()
            return {}
        if from_csv and req.mimetype == bodies.CSV:
            body = tables.load_table(bodies.read(), req, from_csv)
        else:
            others = tables.MEDIA_TYPES if from_csv else file_types(from_file) if from_file else None
            body = bodies.loads_object(bodies.read(), req, others)
        preferences.note_unknown_body(schema, body)
        return body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Mapping[str, Any]:
        """Returns the query's parameters, each sent several times as one list: clients send `a=1&a=2` for `a=1,2`."""
        return from_query(schema, {name: ",".join(values) for name, values in req.args.lists()})

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, *args: Any, **kwargs: Any
    ) -> NoReturn:
        """Raises `HttpApiDecodeError` with everything that is wrong in the headers, the query and the body.

        webargs names the part that it was parsing; it parses the parts in that order, and none after a wrong one.
        """
        [(part, messages)] = error.messages_dict.items()
        sent: Any = error.data
        query, body = preferences.noted().query_schema, preferences.noted().body_schema
        if part == "headers":
            messages |= query.validate(self.load_querystring(req, query))
        if part != "json" and body is not None:
            sent = self.load_json(req, body)
            messages |= body.validate(sent)
        for name, field in query.fields.items():
            if name in messages and not isinstance(field, DelimitedStrings) and len(req.args.getlist(name)) > 1:
                messages[name] = ["Was sent more than once."]
        if isinstance(body, GuardedWrite) and "baseVersion" not in sent and "If-Match" not in req.headers:
            messages["baseVersion"] = [BASE_REQUIRED]  # which the operation refuses when all else is right
        refusal = decode_error(messages)
        tables.name_lines(refusal)
        preferences.refuse_unknown_if_strict(refusal)
        raise refusal from None


def _is_empty(location: str | None, schema: ma.Schema) -> bool:
    """Returns whether the request has nothing in a location, and the schema no defaults for it."""
    if location == "headers":
        return not any(field.data_key in request.headers for field in schema.fields.values() if field.data_key)
    return location == "query" and not request.query_string and not _defaults(type(schema))


@cache
def _defaults(schema: type[ma.Schema]) -> bool:
    """Returns whether a schema loads something where nothing is sent, or demands something."""
    return any(
        field.required or field.load_default is not ma.missing for field in cached_schema(schema).fields.values()
    )


class Routes(Blueprint):  # type: ignore[misc]
    """A flask-smorest blueprint whose routes are operations."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, import_name: str, description: str) -> None:
        super().__init__(name, import_name, description=description)
        self.served: list[Route] = []

    def serve(self, route: Route) -> None:
        """Serves an operation at its path.

        flask-smorest's decorators document the route. Those of `arguments` parse the request, the last one first:
        headers, query, body, an order that `Parser.handle_error` knows. The view returns a Flask response, so
        `response` dumps nothing.
        """
        operation = route.operation
        self.served.append(route)
        record = streams.LINES if route.media_type == streams.NDJSON else {"$ref": REF + route.component}
        view: View = self.response(
            route.status,
            {"type": "array", "items": record} if operation.many else record,
            content_type=route.media_type,
            description="Success." if operation.reads else f"{operation.summary}: done.",
            headers={name: name for name in route.headers},
        )(partial(_call, route))
        if route.body is not None:
            body = cached_schema(route.body)
            required = route.method == "PUT" or any(field.required for field in body.fields.values())
            view = self.arguments(body, required=required)(view)
        if route.query is not None:
            view = self.arguments(cached_schema(route.query), location="query")(view)
        if route.takes_key:
            headers = ConditionalWriteHeaders if route.conditional else WriteHeaders
            view = self.arguments(cached_schema(headers), location="headers")(view)
        view = self.doc(**_documentation(route))(view)
        parameters = common_parameters(route.path)
        serve = self.route(route.path, methods=[route.method], endpoint=route.name, parameters=parameters)
        serve(_authorized(route, view))


def _documentation(route: Route) -> dict[str, Any]:
    """Returns what flask-smorest's `doc` adds to the documentation of a route by its other decorators."""
    operation = route.operation
    responses: dict[int, Any] = {same[0].status: name for name, same in route.errors.items()}
    documentation = {
        "operationId": route.name,
        "summary": operation.summary,
        "description": f"{operation.description}\n\nNeeds a token with the scope `{operation.scope}`.",
        "responses": responses,
    }
    if route.has_etag and not route.takes_key:
        # Such a route has no query, whose parameters this would replace.
        documentation["parameters"] = ["If-None-Match"]
        responses[304] = "NotModified"
    if operation.streams and not operation.reads:
        lines = {"schema": streams.LINES, "example": "(the lines of an export)"}
        documentation["requestBody"] = {"content": {streams.NDJSON: lines}, "required": True}
    if operation.from_file:
        file = {"schema": {"type": "string", "format": "binary"}, "example": "(the bytes of the file)"}
        documentation["requestBody"] = {"content": dict.fromkeys(operation.from_file.types, file)}
        content = {"application/json": {"schema": {"$ref": REF + route.component}}}
        headers = {name: name for name in route.headers}
        responses[200] = {"description": "The file is there already.", "headers": headers, "content": content}
    if operation.may_list:
        records = {"schema": {"type": "array", "items": {"$ref": REF + route.component}}}
        headers = {name: name for name in ("Dry-Run", "Idempotency-Replayed", "Ignored-Fields")}
        responses[200] = {"description": "A list.", "headers": headers, "content": {"application/json": records}}
    if operation.from_csv:
        table = {"schema": {"type": "string", "format": "binary"}, "example": operation.from_csv.example}
        documentation["requestBody"] = {"content": {bodies.CSV: table}}
    if route.as_csv is not None:
        table = {"schema": {"type": "string"}, "example": route.as_csv([])}
        responses[route.status] = {"content": {bodies.CSV: table}}
    return documentation


def _authorized(route: Route, view: View) -> View:
    """Wraps a view so that token and scope are checked, and unknown parameters noted, before the body is read."""
    query = cached_schema(route.query or Schema)
    body = cached_schema(route.body) if route.body else None

    @wraps(view)  # which passes flask-smorest's documentation of the view on
    def authorized(**path: str) -> Response:
        if not route.operation.reads and request.args.get("dryRun") == "true":
            after_this_request(_add_dry_run_header)
        ctx = callers().context(Channel.REST)
        route.operation.permit(ctx)
        preferences.note_unknown_query(query, body)
        g.from_csv, g.from_file = route.operation.from_csv, route.operation.from_file
        return view(ctx, **path)

    return authorized


def file_types(from_file: FileBody) -> str:
    """Returns the message for a body that is neither JSON nor a file of one of the types."""
    types = ", ".join(f"`{one}`" for one in from_file.types)
    return f"Send the file as the body with its `Content-Type` ({types}), or JSON with `application/json`."


def _add_dry_run_header(response: Response) -> Response:
    response.headers["Dry-Run"] = "true"
    return response


def _call(route: Route, ctx: Context, *sent: Mapping[str, Any], **path: str) -> Response:
    """The view of every route; flask-smorest passes the loaded headers, query and body."""
    operation = route.operation
    fields: dict[str, Any] = {"kind": route.kind} if route.kind else {}
    for part in sent:  # the query before the body: a plan has `atomic` in both
        fields |= part
    key, sent_tags = fields.pop("idempotency_key", None), fields.pop("if_match", None)
    if fields.pop("dryRun", False):
        ctx = replace(ctx, dry_run=True)
    if operation.from_file and (file := g.get("file")) is not None:
        ctx = replace(ctx, file=file)
        fields[operation.from_file.field] = hashlib.sha256(file).hexdigest()
    seconds = fields.pop("wait", 0)  # of `list_events` alone: for the first event
    if operation.body is None and (operation.reads or not operation.streams):
        bodies.ignore()
    preferences.refuse_unknown_if_strict()
    _check_path(path)
    if sent_tags is not None:
        tags = read_tags(sent_tags)
        ctx = replace(ctx, if_match=tags, any_state=tags is None)
    if operation.streams:
        return _stream(ctx, route, key)
    call = partial(operation, ctx, *path.values(), fields=fields, key=key)
    return _respond(ctx, route, wait_for_events(seconds, call, fields) if seconds else call(), fields)


def _stream(ctx: Context, route: Route, key: str | None) -> Response:
    """Calls an operation whose body or response is NDJSON; few at the same time."""
    hold_stream()
    if route.operation.reads:
        return streams.sent(route.operation(ctx).body, preferences.response_headers())
    with streams.received() as (file, digest):
        result = route.operation(replace(ctx, stream=file), fields={"body": digest}, key=key)
    return _respond(ctx, route, result, {})


def _check_path(parameters: Mapping[str, str]) -> None:
    """Raises `NotFound` for a parameter of the wrong form, as for an id of no record: when all else is right."""
    for name, value in parameters.items():
        if name in NUMBERS and not NUMBER.fullmatch(value):
            raise NotFound
        if name not in NUMBERS and not HEX_ID.fullmatch(value):
            raise NotFound(WRONG_ID)


def _respond(ctx: Context, route: Route, result: Result[Any], fields: Mapping[str, Any]) -> Response:
    headers: dict[str, str] = {}
    if (etag := result.etag) is not None:
        headers["ETag"] = f'"{etag}"'
        if route.operation.reads and request.if_none_match.contains_weak(etag):
            return Response(status=304, headers=headers)
    is_minimal = route.operation.writes_document and prefers(RETURN_MINIMAL)
    headers.update(preferences.response_headers(*([RETURN_MINIMAL] if is_minimal else [])))
    if result.replayed:
        headers["Idempotency-Replayed"] = "true"
    if result.total is not None:
        headers["Total-Count"] = str(result.total)
    if route.pages and (following := _next_page(route, fields, result)):
        headers["Link"] = f'<{following}>; rel="next"'
    if route.location and not ctx.dry_run:
        headers["Location"] = url_for(route.location, id=result.record["id"])
    is_list = route.operation.may_list and isinstance(result.body, list)
    status = route.status if result.is_new and not is_list else 200
    if route.as_csv and request.accept_mimetypes.best_match(["application/json", bodies.CSV]) == bodies.CSV:
        return Response(route.as_csv(result.body), status, headers, content_type=f"{bodies.CSV}; charset=utf-8")
    shorten = route.operation.minimal or minimal_record
    body = shorten(result.body) if is_minimal else _with_texts(ctx, result) if result.text_ids else result.body
    return Response(orjson.dumps(body), status, headers, content_type="application/json")


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


def _with_texts(ctx: Context, result: Result[Any]) -> dict[str, Any]:
    """Returns the body with the long texts of its record; one that is gone is empty, as in a replay after a purge."""
    texts = result.texts
    if missing := [one for one in result.text_ids.values() if one and one not in texts]:
        # Long ones are counted before they are read: with 48 readers of 2 MB at once the process took 456 MB.
        texts = {**texts, **ctx.store[Bodies].get_texts(ctx.project_id, missing, before_long=hold_large)}
    shown = {name: texts.get(one, "") if one else TEXT_IF_MISSING[name] for name, one in result.text_ids.items()}
    record = {**result.record, **shown}
    return {**result.body, result.record_key: record} if result.record_key else record
