"""The OpenAPI document: what flask-smorest makes of the routes, with every error of every operation spelled out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from flask import Flask
from flask_smorest import Api

from app.errors import (
    Forbidden,
    HttpApiDecodeError,
    IdempotencyConflict,
    IdempotencyMismatch,
    InternalError,
    PayloadTooLarge,
    PreconditionFailed,
    RateLimited,
    Refusal,
    ServiceUnavailable,
    Unauthorized,
    UnsupportedMediaType,
)
from app.operations.operation import Effect, Operation
from app.records.errors import error_example, error_schema
from app.records.intents import CONFIRMED_RECORDS, INTENT_RECORDS, ConfirmedRecord, IntentRecord
from app.rest.examples import answer_example, request_example
from app.settings import Settings
from app.vocabulary import Kind

if TYPE_CHECKING:
    from app.rest.blueprint import Routes

VERSION = "1.0.0"

TAGS = {
    "health": "Is the service there?",
    "intents": "Drafts of documents, clusters and categories: begun, completed and confirmed.",
    "briefs": "What is to be written: offered to agents, claimed by exactly one, given back.",
    "documents": "Documents from idea to published.",
    "categories": "What documents are filed under.",
    "clusters": "Topics that documents cover together.",
    "members": "The people that documents are assigned to.",
    "tokens": "Who may call.",
    "project": "The settings of the token's project.",
    "events": "What happened, in order.",
    "webhooks": "What happened, sent to you.",
}

ETAG = {
    "ETag": {"description": "changes with every change of the record", "schema": {"type": "string"}},
}


def operation_id(operation: Operation, kind: Kind | None) -> str:
    """Returns an operation's id, like `claimBrief` and `confirmDocumentIntent`."""
    name = operation.name.replace("_intent", f"_{kind}_intent") if kind else operation.name
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def record_of(operation: Operation, kind: Kind | None) -> type[Any]:
    """Returns the schema of what an operation gives, which for drafts depends on the kind."""
    if kind is None:
        return operation.gives
    by_kind = {IntentRecord: INTENT_RECORDS, ConfirmedRecord: CONFIRMED_RECORDS}.get(operation.gives)
    return by_kind[kind] if by_kind else operation.gives


def refusals(operation: Operation) -> dict[int, list[type[Refusal]]]:
    """Returns every error that an operation can answer with, by status."""
    errors: list[type[Refusal]] = [Unauthorized, Forbidden, RateLimited, InternalError, ServiceUnavailable]
    errors += operation.refuses
    if operation.takes or operation.query or not operation.reads:
        errors += [HttpApiDecodeError]
    if operation.takes:
        errors += [PayloadTooLarge, UnsupportedMediaType]
    if not operation.reads:
        errors += [IdempotencyConflict, IdempotencyMismatch]
        errors += [PreconditionFailed] if operation.path else []
    by_status: dict[int, list[type[Refusal]]] = {}
    for error in sorted(set(errors), key=lambda error: (error.status, error.__name__)):
        by_status.setdefault(error.status, []).append(error)
    return by_status


def document(blueprint: Routes, operation: Operation, kind: Kind | None, **names: str) -> Callable[[Any], Any]:
    """Returns the decorator that documents a view as an operation."""
    record = record_of(operation, kind)
    status = 201 if operation.effect == Effect.CREATES else 200

    def documented(view: Any) -> Any:
        view.__doc__ = None
        view = blueprint.response(
            status,
            record(many=operation.many),
            description=operation.summary,
            example=answer_example(record, operation.many),
            headers=ETAG if operation.path and not operation.many else None,
        )(view)
        for code, errors in refusals(operation).items():
            view = blueprint.alt_response(
                code,
                schema=_one_of(errors),
                description=HTTPStatus(code).phrase,
                examples={error.__name__: {"value": error_example(error)} for error in errors},
                success=False,
            )(view)
        return blueprint.doc(
            operationId=operation_id(operation, kind),
            summary=operation.summary,
            description=operation.description,
            parameters=list(_headers(operation)),
            **_request(operation),
        )(view)

    return documented


def _request(operation: Operation) -> dict[str, Any]:
    if operation.takes is None:
        return {}
    return {"requestBody": {"content": {"application/json": {"example": request_example(operation.takes)}}}}


def _one_of(errors: list[type[Refusal]]) -> dict[str, Any]:
    refs = {error.__name__: f"#/components/schemas/{error.__name__}" for error in errors}
    if len(refs) == 1:
        return {"$ref": next(iter(refs.values()))}
    return {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "_tag", "mapping": refs},
    }


def _headers(operation: Operation) -> Iterable[dict[str, Any]]:
    if operation.reads:
        if operation.path and not operation.many:
            yield _header("If-None-Match", "an ETag: the answer is 304 while the record is still the same")
        return
    key = "reuse the key when you retry: for 24 hours the first answer is given again, and nothing is done twice"
    yield _header("Idempotency-Key", key, minLength=1, maxLength=255, pattern="^[!-~]+$")
    if operation.path:
        yield _header("If-Match", "an ETag: the write is refused when the record changed since")


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"in": "header", "name": name, "description": description, "schema": {"type": "string", **schema}}


class ManagementApi(Api):  # type: ignore[misc]
    """flask-smorest's Api; errors are written by `app.http.errors` for all doors alike."""

    def _register_error_handlers(self) -> None:
        """Leaves the error handlers to `app.http.errors`."""


def management_api(app: Flask, settings: Settings) -> Api:
    """Returns the Api that the blueprints register with, with its document's frame."""
    app.config.update(
        API_TITLE="Content workflow",
        API_VERSION=VERSION,
        OPENAPI_VERSION="3.1.0",
        API_SPEC_OPTIONS={
            "info": {
                "description": "Plan documents, write briefs, draft, review, schedule and publish content.",
                "license": {"name": "MIT", "identifier": "MIT"},
            },
            "servers": [{"url": (settings.public_url.rstrip("/") + settings.base_path) or "/"}],
            "security": [{"bearer": []}],
            "tags": [{"name": name, "description": description} for name, description in TAGS.items()],
            "components": {
                "securitySchemes": {
                    "bearer": {"type": "http", "scheme": "bearer", "description": "a management token, `cwm_…`"}
                }
            },
        },
    )
    api = ManagementApi(app)
    for error in Refusal.__subclasses__():
        api.spec.components.schema(error.__name__, error_schema(error))
    return api


def openapi_document(api: Api) -> dict[str, Any]:
    """Returns the finished OpenAPI 3.1 document."""
    document: dict[str, Any] = api.spec.to_dict()
    used = _references(document["paths"])
    schemas = document["components"]["schemas"]
    while more := set().union(*(_references(schemas[name]) for name in used & schemas.keys())) - used:
        used |= more
    document["components"]["schemas"] = {name: schemas[name] for name in sorted(used & schemas.keys())}
    document["components"].pop("responses", None)
    tags = {tag for path in document["paths"].values() for one in path.values() if "tags" in one for tag in one["tags"]}
    document["tags"] = [tag for tag in document["tags"] if tag["name"] in tags]
    return document


def _references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()




