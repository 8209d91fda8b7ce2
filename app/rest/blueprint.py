"""Serves operations as routes: arguments, responses and error rows of the documentation come from the declaration."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import marshmallow as ma
import orjson
from flask import Request, Response, request
from flask_smorest import Blueprint
from webargs.flaskparser import FlaskParser

from app.errors import HttpApiDecodeError, Issue, NotFound, UnsupportedMediaType
from app.fields.kinds import Fields
from app.fields.queries import from_query
from app.fields.stages import documented_shape, flat
from app.http.callers import callers
from app.operations.context import Context
from app.operations.operation import Answer, Effect, Operation
from app.rest import openapi
from app.rules.etags import read_tags
from app.vocabulary import Door, Kind, TokenKind

HEX_ID = re.compile(r"[0-9a-fA-F]{24}")
VISIBLE_ASCII = re.compile(r"[!-~]{1,255}")


class StrictParser(FlaskParser):  # type: ignore[misc]
    """Reads bodies with orjson, which refuses what MongoDB could not keep, and tells every problem at once."""

    DEFAULT_VALIDATION_STATUS = 400

    def load_querystring(self, req: Request, schema: ma.Schema) -> dict[str, Any]:
        return from_query(type(schema), req.args)

    def _raw_load_json(self, req: Request) -> Any:
        raw = req.get_data(cache=True)
        if not raw.strip():
            return {}
        if not req.is_json:
            raise UnsupportedMediaType
        try:
            data = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise HttpApiDecodeError(f"The body is not valid JSON: {error}.") from None
        if not isinstance(data, dict):
            raise HttpApiDecodeError("The body must be a JSON object.")
        return data

    def handle_error(self, error: ma.ValidationError, *args: Any, **kwargs: Any) -> None:
        found = [pair for messages in error.messages.values() for pair in flat(messages)]
        raise HttpApiDecodeError(issues=[Issue(path=path, message=message) for path, message in sorted(found)])


class Routes(Blueprint):  # type: ignore[misc]
    """A flask-smorest blueprint whose routes are operations."""

    ARGUMENTS_PARSER = StrictParser()

    def serve(self, method: str, path: str, operation: Operation, *, kind: Kind | None = None, **names: str) -> None:
        """Serves an operation at a path whose parameters are its ids, in order.

        `kind` is for the operations on drafts, which REST has once for each kind; `names` override the operation id.
        """
        constant = {"kind": kind} if kind else {}

        def view(*arguments: Mapping[str, Any], **ids: str) -> Response:
            fields = {name: value for given in arguments for name, value in given.items()} | constant
            return _respond(operation, _answer(operation, ids, fields))

        for table, location in ((None if kind else operation.query, "query"), (operation.takes, "json")):
            if table is not None:
                documented = documented_shape(table, strict=operation.checks_meaning)
                view = self.arguments(documented, location=location, required=_needs(table))(view)
        view = openapi.document(self, operation, kind, **names)(view)
        self.route(path, methods=[method], endpoint=openapi.operation_id(operation, kind))(_permitted(operation, view))


def _permitted(operation: Operation, view: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a view so that who may not call is told so before the body is read."""

    def permitted(**ids: str) -> Any:
        ctx = callers().context(TokenKind.MANAGEMENT, Door.REST)
        operation.permit(ctx)
        request.environ["content_workflow.context"] = ctx
        if not all(HEX_ID.fullmatch(one) for one in ids.values()):
            raise NotFound
        return view(**ids)

    permitted._apidoc = getattr(view, "_apidoc", {})  # type: ignore[attr-defined]  # flask-smorest reads it here
    return permitted


def _answer(operation: Operation, ids: Mapping[str, str], fields: Mapping[str, Any]) -> Answer:
    ctx: Context = request.environ["content_workflow.context"]
    if operation.reads:
        return operation(ctx, *ids.values(), fields=fields)
    if (if_match := request.headers.get("If-Match")) is not None:
        ctx = replace(ctx, if_match=read_tags(if_match))
    return operation(ctx, *ids.values(), fields=fields, key=_idempotency_key())


def _idempotency_key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not VISIBLE_ASCII.fullmatch(key):
        message = "Must be 1 to 255 visible ASCII characters."
        raise HttpApiDecodeError(issues=[Issue(path="Idempotency-Key", message=message)])
    return key


def _respond(operation: Operation, answer: Answer) -> Response:
    status = 201 if operation.effect == Effect.CREATES else 200
    etag = answer.etag and f"{answer.etag}.{_hash(answer.body)}" if answer.shows_more else answer.etag
    headers = {} if etag is None else {"ETag": f'"{etag}"'}
    if answer.replayed:
        headers["Idempotency-Replayed"] = "true"
    if operation.reads and etag is not None and request.if_none_match.contains_weak(etag):
        return Response(status=304, headers=headers)
    body = orjson.dumps(_filled(answer))
    return Response(body, status, headers, content_type="application/json")


def _filled(answer: Answer) -> Any:
    """Returns the answer's body with the long texts that it names."""
    if not answer.bodies:
        return answer.body
    ctx: Context = request.environ["content_workflow.context"]
    record = answer.body[answer.within] if answer.within else answer.body
    record |= texts_of(ctx, answer)
    return answer.body


def texts_of(ctx: Context, answer: Answer) -> dict[str, str | None]:
    """Returns the long texts that an answer names, by field; an empty content is an empty string."""
    with ctx.store.deadline():
        texts = ctx.store.bodies.texts(ctx.project_id, [one for one in answer.bodies.values() if one])
    return {name: texts[one] if one else ("" if name == "content" else None) for name, one in answer.bodies.items()}


def _hash(body: Any) -> str:
    return hashlib.blake2b(orjson.dumps(body), digest_size=8).hexdigest()


def _needs(table: type[Fields]) -> bool:
    return any(field.required for field in table._declared_fields.values())
