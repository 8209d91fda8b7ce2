"""The OpenAPI document: what flask-smorest makes of the routes, with every error of every operation spelled out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from flask import Flask
from flask_smorest import Api, Blueprint

from app.errors import (
    Forbidden,
    HttpApiDecodeError,
    IdempotencyConflict,
    IdempotencyMismatch,
    InternalError,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    RateLimited,
    Refusal,
    ServiceUnavailable,
    Unauthorized,
    UnsupportedMediaType,
)
from app.fields.stages import documented_shape
from app.operations.operation import Effect, Operation
from app.records.errors import error_schema
from app.records.intents import CONFIRMED_RECORDS, INTENT_RECORDS, ConfirmedRecord, IntentRecord
from app.rest.examples import answer_example, refusal_example, request_example
from app.settings import VERSION, Settings
from app.vocabulary import Kind

if TYPE_CHECKING:
    from app.rest.blueprint import Routes

TAGS = {
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
    "health": "Is the service there?",
}

DESCRIPTION = """\
Plan documents, write briefs, offer them to agents, draft, review, schedule and publish content.

- **Calls** carry a management token, `Authorization: Bearer cwm_…`. It belongs to one project, so no path names one.
- **Bodies** are JSON objects in UTF-8, at most 20 MB. Fields and parameters that the API does not know are ignored.
  Types are strict: `"5"` is no integer. Strings hold no null character; lengths count Unicode code points.
- **Errors** are JSON with `_tag`, which names the error, and `message`, which says what to do.
- **Repeating a write**: send an `Idempotency-Key`. For 24 hours the same key and request gives the first answer again,
  with `Idempotency-Replayed: true`, and nothing is done twice.
- **Conditions**: the `ETag` of a record changes with every change of it. `If-None-Match` on a read answers 304 while
  it is the same, `If-Match` on a write 412 when it is not.
- **Limits**: `RateLimit` and `RateLimit-Policy` tell how many requests are left; 429 and 503 carry `Retry-After`.
- **Tracing**: `X-Request-Id` is on every response; one that you send is kept.
"""

HEADERS: dict[str, dict[str, Any]] = {
    "ETag": {"description": "changes with every change of the record", "schema": {"type": "string"}},
    "Idempotency-Replayed": {
        "description": "`true` when this is the first answer to the idempotency key, given again",
        "schema": {"type": "string", "const": "true"},
    },
    "Retry-After": {"description": "seconds to wait before trying again", "schema": {"type": "integer", "minimum": 1}},
    "WWW-Authenticate": {"description": "the scheme to use", "schema": {"type": "string", "const": "Bearer"}},
}

HEADERS_OF = {401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}

EVERYWHERE: tuple[type[Refusal], ...] = (PayloadTooLarge, InternalError)
WITH_A_TOKEN: tuple[type[Refusal], ...] = (Unauthorized, Forbidden, RateLimited, ServiceUnavailable)
ON_WRITES: tuple[type[Refusal], ...] = (HttpApiDecodeError, IdempotencyConflict, IdempotencyMismatch)

NOUNS = {"document-intents": "draft", "cluster-intents": "draft", "category-intents": "draft", "categories": "category"}


def operation_id(operation: Operation, kind: Kind | None) -> str:
    """Returns an operation's id, like `claimBrief` and `confirmDocumentIntent`."""
    name = operation.name.replace("_intent", f"_{kind}_intent") if kind else operation.name
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def record_of(operation: Operation, kind: Kind | None) -> type[Any]:
    """Returns the schema of what an operation gives, which for drafts depends on the kind."""
    if kind is None:
        return operation.response
    by_kind: dict[type[Any], dict[Kind, type[Any]]] = {
        IntentRecord: INTENT_RECORDS,
        ConfirmedRecord: CONFIRMED_RECORDS,
    }
    found = by_kind.get(operation.response)
    return found[kind] if found else operation.response


def as_served(operation: Operation, kind: Kind | None) -> Operation:
    """Returns an operation as REST has it: the kind of draft is in the path, so it is no parameter."""
    return replace(operation, query=None, response=record_of(operation, kind)) if kind else operation


def refusals(operation: Operation, method: str) -> list[type[Refusal]]:
    """Returns every error that a route can answer with, by status."""
    errors = {*EVERYWHERE, *WITH_A_TOKEN, *operation.errors}
    if operation.body or operation.query:
        errors.add(HttpApiDecodeError)
    if operation.body:
        errors.add(UnsupportedMediaType)
    if operation.path:
        errors.add(NotFound)
    if method != "GET":
        errors.update(ON_WRITES)
    if operation.path and not operation.reads:
        errors.add(PreconditionFailed)
    return sorted(errors, key=lambda error: (error.status, error.__name__))


def path_parameters(path: str) -> list[dict[str, Any]]:
    """Returns the documentation of the parameters in a path."""
    parts = path.split("/")
    return [
        _version(part[1:-1]) if part == "<version>" else _record_id(part[1:-1], before)
        for before, part in pairwise(parts)
        if part.startswith("<")
    ]


def documentation(blueprint: Routes, operation: Operation, method: str, kind: Kind | None) -> dict[str, Any]:
    """Returns what flask-smorest documents a route with.

    Its decorators write it on the function they wrap. They wrap a stand-in here, not the view, which would pay for a
    dozen calls at each request.
    """

    def documented() -> None:
        """Carries the documentation."""

    documented.__doc__ = None
    for decorate in _decorators(blueprint, as_served(operation, kind), method):
        documented = decorate(documented)
    documentation: dict[str, Any] = documented._apidoc  # type: ignore[attr-defined]
    sent = documentation.setdefault("arguments", {})
    sent.pop("responses", None)  # among `refusals`, too
    sent.setdefault("parameters", []).extend(_header_parameters(as_served(operation, kind), method))
    documentation["manual_doc"]["operationId"] = operation_id(operation, kind)
    return documentation


def _decorators(blueprint: Routes, operation: Operation, method: str) -> Iterator[Callable[[Any], Any]]:
    errors = refusals(operation, method)
    if operation.query is not None:
        yield blueprint.arguments(documented_shape(operation.query, operation.checks_meaning), location="query")
    if (table := operation.body) is not None:
        shape = documented_shape(table, strict=operation.checks_meaning)
        needed = any(field.required for field in table._declared_fields.values())
        yield blueprint.arguments(shape, location="json", required=needed, example=request_example(table))
    yield _success(blueprint, operation, method)
    if method == "GET" and _is_record(operation):
        yield blueprint.alt_response(304, description="The record is still the same.", headers=_headers("ETag"))
    yield from failures(blueprint, errors, operation)
    yield blueprint.doc(summary=operation.summary, description=operation.description)


def _success(blueprint: Routes, operation: Operation, method: str) -> Callable[[Any], Any]:
    told = {"ETag": _is_record(operation), "Idempotency-Replayed": method != "GET"}
    decorate: Callable[[Any], Any] = blueprint.response(
        201 if operation.effect == Effect.CREATES else 200,
        operation.response(many=operation.many),
        description="What was asked for." if operation.reads else f"{operation.summary}: done.",
        example=answer_example(operation.response, operation.many),
        headers=_headers(*(name for name, there in told.items() if there)),
    )
    return decorate


def failures(
    blueprint: Blueprint, errors: Iterable[type[Refusal]], operation: Operation | None = None
) -> Iterator[Callable[[Any], Any]]:
    """Yields the decorators that document errors, which are sorted by status; several may share one."""
    for status, group in groupby(errors, key=lambda error: error.status):
        same = list(group)
        yield blueprint.alt_response(
            status,
            schema=_one_of(same),
            description=" ".join(f"`{error.__name__}`: {(error.__doc__ or '').strip()}" for error in same),
            examples={error.__name__: {"value": refusal_example(error, operation)} for error in same},
            headers=_headers(*HEADERS_OF.get(status, ())),
        )


def _is_record(operation: Operation) -> bool:
    """Tells whether an operation gives one record: only what has an id has an ETag."""
    return not operation.many and "id" in operation.response._declared_fields


def _one_of(errors: list[type[Refusal]]) -> dict[str, Any]:
    refs = {error.__name__: f"#/components/schemas/{error.__name__}" for error in errors}
    if len(refs) == 1:
        return {"$ref": next(iter(refs.values()))}
    return {
        "oneOf": [{"$ref": ref} for ref in refs.values()],
        "discriminator": {"propertyName": "_tag", "mapping": refs},
    }


def _headers(*names: str) -> dict[str, Any] | None:
    return {name: HEADERS[name] for name in names} or None


def _header_parameters(operation: Operation, method: str) -> Iterator[dict[str, Any]]:
    if method == "GET":
        if _is_record(operation):
            yield _header("If-None-Match", "an ETag: the answer is 304 while the record is still the same")
        return
    key = "reuse the key when you retry: for 24 hours the first answer is given again, and nothing is done twice"
    yield _header("Idempotency-Key", key, minLength=1, maxLength=255, pattern="^[!-~]+$")
    if PreconditionFailed in refusals(operation, method):
        yield _header("If-Match", "an ETag: the write is refused when the record changed since")


def _header(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"in": "header", "name": name, "description": description, "schema": {"type": "string", **schema}}


def _record_id(name: str, collection: str) -> dict[str, Any]:
    schema = {"type": "string", "pattern": "^[0-9a-fA-F]{24}$", "examples": ["6650f0a1b2c3d4e5f6a7b8c9"]}
    noun = NOUNS.get(collection, collection.removesuffix("s"))
    return {"in": "path", "name": name, "description": f"the {noun}'s id", "schema": schema}


def _version(name: str) -> dict[str, Any]:
    return {
        "in": "path",
        "name": name,
        "description": "the version's number",
        "schema": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    }


def component_name(schema: Any) -> str:
    """Returns a schema's name in the document: `Document` for `DocumentRecord`, `DraftBriefFields` for a loose twin."""
    found: Any = resolve_schema_cls(schema)
    name: str = found.__name__
    if name.endswith("Shape"):
        return "Draft" + name.removesuffix("Shape").replace("Intent", "")
    return name.removesuffix("Record")


class ManagementApi(Api):  # type: ignore[misc]
    """flask-smorest's Api; errors are written by `app.http.errors` for all doors alike."""

    DEFAULT_ERROR_RESPONSE_NAME = None

    def _register_error_handlers(self) -> None:
        """Leaves the error handlers to `app.http.errors`."""


def management_api(app: Flask, settings: Settings) -> Api:
    """Returns the Api that the blueprints register with, with its document's frame."""
    app.config.update(
        API_TITLE="Content workflow",
        API_VERSION=VERSION,
        OPENAPI_VERSION="3.1.0",
        API_SPEC_OPTIONS={
            "info": {"description": DESCRIPTION, "license": {"name": "MIT", "identifier": "MIT"}},
            "servers": [{"url": (settings.public_url.rstrip("/") + settings.base_path) or "/"}],
            "security": [{"bearer": []}],
            "components": {
                "securitySchemes": {
                    "bearer": {"type": "http", "scheme": "bearer", "description": "a management token, `cwm_…`"}
                }
            },
        },
    )
    plugin = MarshmallowPlugin(schema_name_resolver=component_name)
    api = ManagementApi(app, spec_kwargs={"marshmallow_plugin": plugin})
    for error in Refusal.__subclasses__():
        api.spec.components.schema(error.__name__, error_schema(error))
    return api


def finished(api: Api) -> dict[str, Any]:
    """Returns the finished document of an Api, with no more components than its paths use."""
    document: dict[str, Any] = api.spec.to_dict()
    used = _references(document["paths"])
    schemas = document["components"]["schemas"]
    while more := set().union(*(_references(schemas[name]) for name in used & schemas.keys())) - used:
        used |= more
    document["components"]["schemas"] = {name: schemas[name] for name in sorted(used & schemas.keys())}
    document["components"].pop("responses", None)
    return document


def _references(part: Any) -> set[str]:
    if isinstance(part, dict):
        own = {part["$ref"].rpartition("/")[2]} if isinstance(part.get("$ref"), str) else set()
        return own.union(*map(_references, part.values()))
    return set().union(*map(_references, part)) if isinstance(part, list) else set()
