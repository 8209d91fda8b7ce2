"""Serves operations as routes; the documentation of each route comes from the operation's declaration."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import orjson
from flask import Response, request
from flask_smorest import Blueprint

from app.http.callers import callers
from app.operations.context import Context
from app.operations.operation import Effect, Operation, Result
from app.rest import arguments, openapi
from app.vocabulary import Channel, Kind, TokenKind


class Routes(Blueprint):  # type: ignore[misc]
    """A flask-smorest blueprint whose routes are operations."""

    def __init__(self, name: str, import_name: str) -> None:
        super().__init__(name, import_name, description=openapi.TAGS[name])
        self.served: dict[str, tuple[str, Operation, Kind | None]] = {}
        """Each endpoint's method and operation, with the kind of draft where there is one for each."""

    def serve(self, method: str, path: str, operation: Operation, *, kind: Kind | None = None) -> None:
        """Serves an operation at a path whose parameters are its ids, in order.

        `kind` is for the operations on drafts, which REST has once for each kind.
        """
        endpoint = openapi.operation_id(operation, kind)
        self.served[endpoint] = (method, operation, kind)
        parameters = openapi.path_parameters(path)
        self.route(path, methods=[method], endpoint=endpoint, parameters=parameters)(_view(operation, kind))

    def register_views_in_doc(self, *arguments: Any, **options: Any) -> None:
        """Documents the routes, when the document is asked for: it takes longer than starting all the rest."""
        for endpoint, (method, operation, kind) in self.served.items():
            self._docs[endpoint][method.lower()] |= openapi.documentation(self, operation, method, kind)
        super().register_views_in_doc(*arguments, **options)


def _view(operation: Operation, kind: Kind | None) -> Callable[..., Response]:
    """Returns the view of an operation: who may not call is told so before anything is read."""

    def view(**path: str) -> Response:
        ctx = callers().context(TokenKind.MANAGEMENT, Channel.REST)
        operation.permit(ctx)
        arguments.check_path(path)
        fields = arguments.fields_of(operation, kind)
        ctx = replace(ctx, if_match=arguments.if_match(), any_state=arguments.takes_any_state())
        result = operation(ctx, *path.values(), fields=fields, key=arguments.idempotency_key())
        return _respond(ctx, operation, result)

    return view


def _respond(ctx: Context, operation: Operation, result: Result) -> Response:
    headers: dict[str, str] = {}
    etag = result.etag and f"{result.etag}.{_hash(result.body)}" if result.etag_covers_body else result.etag
    if etag is not None:
        headers["ETag"] = f'"{etag}"'
        if operation.reads and request.if_none_match.contains_weak(etag):
            return Response(status=304, headers=headers)
    if result.replayed:
        headers["Idempotency-Replayed"] = "true"
    status = 201 if operation.effect == Effect.CREATES else 200
    return Response(orjson.dumps(_filled(ctx, result)), status, headers, content_type="application/json")


def _filled(ctx: Context, result: Result) -> Any:
    """Returns the result's body with the long texts that it names."""
    if not result.bodies:
        return result.body
    record = result.body[result.record_key] if result.record_key else result.body
    record |= texts_of(ctx, result)
    return result.body


def texts_of(ctx: Context, result: Result) -> Mapping[str, str | None]:
    """Returns the long texts that a result names, by field.

    What was never written is empty, what is not published is null.
    """
    with ctx.store.deadline():
        texts = ctx.store.bodies.texts(ctx.project_id, [one for one in result.bodies.values() if one])
    return {
        name: texts.get(one, "") if one else (None if name == "publishedMarkdown" else "")
        for name, one in result.bodies.items()
    }


def _hash(body: Any) -> str:
    return hashlib.blake2b(orjson.dumps(body), digest_size=8).hexdigest()
