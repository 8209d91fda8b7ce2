"""The OpenAPI document, from flask-smorest's decorators, which parse requests too; each closed list is a component."""

import re
from collections.abc import Callable, Iterable, Iterator
from enum import EnumType
from inspect import cleandoc
from itertools import groupby, pairwise
from typing import Any, ClassVar

from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_cls
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from flask_smorest import Api, Blueprint
from marshmallow import validate

from app import vocabulary
from app.errors import Refusal
from app.fields.checks import HEX_ID
from app.fields.documents import SORTS
from app.fields.intents import FirstStatus
from app.fields.queries import MAX_NUMBER, NUMBERS
from app.records.briefs import SEARCH_INTENTS
from app.records.errors import error_schema
from app.rest.examples import refusal_example, request_example, response_example
from app.rest.parser import ConditionalWriteHeaders, WriteHeaders
from app.rest.route import Route
from app.rules.webhooks import TEST
from app.settings import VERSION, Settings
from app.vocabulary import CheckLevel

Decorator = Callable[[Any], Any]

TAGS = {
    "intents": "Drafts of documents, clusters and categories: created, completed and confirmed.",
    "briefs": "What is to be written: offered to agents, claimed by exactly one, withdrawn.",
    "documents": "Documents from idea to published.",
    "categories": "Categories of documents.",
    "clusters": "Topics that documents cover together.",
    "members": "The people that documents are assigned to.",
    "tokens": "The tokens of the API.",
    "project": "The settings of the token's project.",
    "events": "Changes in the project, in order.",
    "webhooks": "Changes in the project, sent to a URL.",
    "health": "Liveness and readiness.",
}

DESCRIPTION = """\
Plan documents, write briefs, offer them to agents, draft, review, schedule and publish content.

- **Calls** carry a management token, `Authorization: Bearer cwm_…`. It belongs to one project, so no path names one.
- **Bodies** are JSON objects in UTF-8, at most 20 MB. Fields and parameters that the API does not know are ignored,
  and listed in `Ignored-Fields`; `Prefer: handling=strict` has them refused. Types are strict: `"5"` is not an
  integer, `60.0` is one. Strings hold no null character; lengths count Unicode code points.
- **Errors** are JSON with `_tag`, which names the error, and `message`, which says what to do.
- **Repeating a write**: send an `Idempotency-Key`. For 24 hours the same key and request give the first response again,
  with `Idempotency-Replayed: true`, and nothing is done twice.
- **Dry runs**: with `?dryRun=true` every call that writes answers as it would now, and changes nothing.
- **Conditions**: the `ETag` of a record changes with every change of it. `If-None-Match` on a read answers 304 while
  it is the same, `If-Match` on a write 412 when it is not.
- **Limits**: `RateLimit` and `RateLimit-Policy` say how many requests are left; 429 and 503 carry `Retry-After`.
- **Tracing**: `X-Request-Id` is on every response; one that you send is used.
"""

STRING = {"type": "string"}
TRUE = {"type": "string", "const": "true"}

HEADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "Dry-Run": ("`true` on every answer to a dry run, refusals included", TRUE),
    "ETag": ("changes with every change of the record", STRING),
    "Idempotency-Replayed": ("`true` when this is the first response to the idempotency key, sent again", TRUE),
    "Ignored-Fields": (
        "fields and query parameters (`?` before the name) of the request that are unknown and were "
        "ignored: a list of strings (RFC 9651), each with the parameter `did-you-mean` where a known name is near, or "
        "where the body's name was sent in the query, or the query's in the body",
        STRING,
    ),
    "Preference-Applied": ("the preference of the request that was honored", STRING | {"const": "handling=strict"}),
    "Location": ("the path of the new record", STRING | {"format": "uri-reference"}),
    "Link": ('the next page, `<…>; rel="next"` (RFC 8288); a list without it ends here', STRING),
    "Total-Count": ("how many items the list has on all pages, with `count=true`", {"type": "integer", "minimum": 0}),
    "Retry-After": ("seconds to wait before trying again", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("the scheme to use", STRING),
}
"""The headers of responses: what each says, and its schema."""

HEADER_EXAMPLES = {
    "Ignored-Fields": '"titel";did-you-mean="title", "brief.keywrd";did-you-mean="keyword", "?search"',
    "Link": '</documents?limit=50&offset=50>; rel="next"',
}

HEADERS_OF = {400: ("Preference-Applied",), 401: ("WWW-Authenticate",), 429: ("Retry-After",), 503: ("Retry-After",)}

NOUNS = {"document-intents": "draft", "cluster-intents": "draft", "category-intents": "draft", "categories": "category"}

IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "an ETag: the response is 304 while the record is still the same",
    "schema": {"type": "string"},
}

NOT_MODIFIED = {304: {"description": "The record is still the same.", "headers": {"ETag": "ETag"}}}

PREFER = {
    "description": "`handling=strict` (RFC 7240) refuses unknown fields and query parameters with 400, instead of "
    "ignoring them",
    "schema": {"type": "string"},
}
"""The request header of every route."""

ENUMS: dict[str, Iterable[str]] = {
    **{words.__name__: words for words in vars(vocabulary).values() if isinstance(words, EnumType) and list(words)},
    "EventType": vocabulary.EVENT_TYPES,
    "MessageType": (*vocabulary.EVENT_TYPES, TEST),
    "FirstStatus": FirstStatus,
    "SearchIntentOrUnset": SEARCH_INTENTS,
    "DocumentSort": SORTS,
}
"""The closed lists, by the names of their components."""

MAPS = {"CheckLevels": CheckLevel}
"""Objects that have words of a closed list by name, by the names of their components."""


def decorators(blueprint: Blueprint, route: Route) -> Iterator[Decorator]:
    """Yields flask-smorest's decorators of a route, the innermost first.

    They document the route, and those of `arguments` parse the request: the last one first, so headers, query, body, an
    order that `Parser.handle_error` knows. `response` only documents, as the view returns a Flask response.
    Each copies the documentation of those before it, so the longest, of errors with their examples, comes last.
    """
    operation = route.operation
    headers = {
        "Dry-Run": not operation.reads,
        "ETag": route.has_etag,
        "Idempotency-Replayed": route.takes_key,
        "Ignored-Fields": True,
        "Link": route.pages,
        "Location": route.location,
        "Preference-Applied": True,
        "Total-Count": route.counts,
    }
    yield blueprint.response(
        route.status,
        route.response(many=operation.many),
        description="Success." if operation.reads else f"{operation.summary}: done.",
        example=response_example(route),
        headers=_headers(*(name for name, sent in headers.items() if sent)),
    )
    if operation.body is not None:
        schema = operation.body()
        required = any(field.required for field in schema.fields.values())
        yield blueprint.arguments(schema, required=required, example=request_example(operation.body))
    if route.query is not None:
        yield blueprint.arguments(route.query(), location="query")
    if route.takes_key:
        headers_schema = ConditionalWriteHeaders() if route.conditional else WriteHeaders()
        yield blueprint.arguments(headers_schema, location="headers", arg_name="headers")
    yield blueprint.doc(
        summary=operation.summary,
        description=operation.description,
        operationId=route.name,
        responses=error_responses(route.errors, route),
    )
    if route.has_etag and not route.takes_key:  # such a route has no query, whose parameters this would replace
        yield blueprint.doc(parameters=[IF_NONE_MATCH], responses=NOT_MODIFIED)


def error_responses(errors: Iterable[type[Refusal]], route: Route | None = None) -> dict[int, Any]:
    """Returns the documentation of errors, which are sorted by status, as responses; several may share a status.

    They go into one `doc` instead of an `alt_response` each, since every decorator is a call at each request.
    """
    responses: dict[int, Any] = {}
    dry_run = ("Dry-Run",) if route is not None and not route.operation.reads else ()
    for status, group in groupby(errors, key=lambda error: error.status):
        same = list(group)
        examples = {error.__name__: {"value": refusal_example(error, route)} for error in same}
        responses[status] = {
            "description": " ".join(f"`{error.__name__}`: {docstring(error)}" for error in same),
            "content": {"application/json": {"schema": _one_of(same), "examples": examples}},
            **({"headers": headers} if (headers := _headers(*dry_run, *HEADERS_OF.get(status, ()))) else {}),
        }
    return responses


def _one_of(errors: list[type[Refusal]]) -> dict[str, Any] | str:
    """Returns the schema of one of several errors by the names of their components, which apispec refers to."""
    names = [error.__name__ for error in errors]
    if len(names) == 1:
        return names[0]
    mapping = {name: f"#/components/schemas/{name}" for name in names}
    return {"oneOf": names, "discriminator": {"propertyName": "_tag", "mapping": mapping}}


def _headers(*names: str) -> dict[str, Any] | None:
    """Returns references to the components of response headers."""
    return {name: name for name in names} or None


def common_parameters(path: str) -> list[dict[str, Any] | str]:
    """Returns the documentation of what all methods of a path take: the parameters in it, and `Prefer`."""
    parts = path.split("/")
    in_path = [
        _number(part[1:-1]) if part[1:-1] in NUMBERS else _record_id(part[1:-1], before)
        for before, part in pairwise(parts)
        if part.startswith("<")
    ]
    return [*in_path, "Prefer"]


def _record_id(name: str, collection: str) -> dict[str, Any]:
    schema = {"type": "string", "pattern": f"^{HEX_ID.pattern}$", "examples": ["6650f0a1b2c3d4e5f6a7b8c9"]}
    noun = NOUNS.get(collection, collection.removesuffix("s"))
    return {"in": "path", "name": name, "description": f"the {noun}'s id", "schema": schema}


def _number(name: str) -> dict[str, Any]:
    smallest, description = NUMBERS[name]
    schema = {"type": "integer", "minimum": smallest, "maximum": MAX_NUMBER}
    return {"in": "path", "name": name, "description": description, "schema": schema}


def component_name(schema: Any) -> str:
    """Returns a schema's name in the document: `Document` for `DocumentRecord`."""
    found: Any = resolve_schema_cls(schema)
    name: str = found.__name__
    return name.removesuffix("Record")


def docstring(described: type) -> str:
    """Returns the docstring of a class without its references to the contract."""
    return re.sub(r"\s\((contract|decisions)\b[^)]*\)", "", cleandoc(described.__doc__ or ""))


class Converter(OpenAPIConverter):
    """apispec's converter, which describes each schema with its docstring."""

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        described = {"description": docstring(type(schema))} if type(schema).__doc__ else {}
        return {**described, **super().schema2jsonschema(schema)}  # type: ignore[no-untyped-call]


class Plugin(MarshmallowPlugin):
    """apispec's plugin with that converter."""

    Converter = Converter


def enum_reference(converter: OpenAPIConverter, field: Any, ret: dict[str, Any]) -> dict[str, Any]:
    """Makes apispec document a closed list as a reference to its component."""
    words = tuple(word for word in ret.get("enum", ()) if word is not None)
    names = [name for name, known in ENUMS.items() if tuple(known) == words]
    if not words or not names:
        return {}
    for key in ("enum", "type", "maxLength"):
        ret.pop(key, None)
    return _reference(converter, names[0], null=field.allow_none)


def map_reference(converter: OpenAPIConverter, field: Any, ret: dict[str, Any]) -> dict[str, Any]:
    """Makes apispec document an object of words by name as a reference to its component."""
    for name, words in MAPS.items():
        if ret.get("additionalProperties") == _reference(converter, words.__name__):
            for key in ("additionalProperties", "type"):
                del ret[key]
            return _reference(converter, name, null=field.allow_none)
    return {}


def constant(converter: OpenAPIConverter, field: Any, ret: dict[str, Any]) -> dict[str, Any]:
    """Makes apispec document the only value that a field has."""
    is_constant = any(isinstance(check, validate.Equal) for check in field.validators)
    return {"const": ret.pop("enum")[0]} if is_constant else {}


def _reference(converter: OpenAPIConverter, name: str, *, null: bool = False) -> dict[str, Any]:
    """Returns a reference to a component, which apispec adds to the document with its first reference."""
    reference: dict[str, Any] = converter.spec.components.get_ref("schema", name)
    return {"anyOf": [reference, {"type": "null"}]} if null else reference


class ManagementApi(Api):  # type: ignore[misc]
    """flask-smorest's Api; `app.http.errors` answers with errors, and the routes document them."""

    DEFAULT_ERROR_RESPONSE_NAME = None
    ERROR_SCHEMA: ClassVar[dict[str, Any]] = {}


def management_api(app: Flask, settings: Settings) -> Api:
    """Returns the Api that the blueprints register with, with the head of its document."""
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
    plugin = Plugin(schema_name_resolver=component_name)
    api = ManagementApi(app, spec_kwargs={"marshmallow_plugin": plugin})
    assert plugin.converter  # made with the Api
    for function in (enum_reference, map_reference, constant):
        plugin.converter.add_attribute_function(function)  # type: ignore[no-untyped-call]
    for name, words in ENUMS.items():
        described = {"description": docstring(words)} if isinstance(words, EnumType) else {}
        component = {**described, "type": "string", "enum": [str(word) for word in words]}
        api.spec.components.schema(name, component, lazy=True)
    for name, words in MAPS.items():
        values = {"$ref": f"#/components/schemas/{words.__name__}"}
        api.spec.components.schema(name, {"type": "object", "additionalProperties": values}, lazy=True)
    for error in Refusal.__subclasses__():
        described = {"description": docstring(error)}
        api.spec.components.schema(error.__name__, described, lazy=True, schema=error_schema(error))
    for name, (description, schema) in HEADERS.items():
        example = {"example": HEADER_EXAMPLES[name]} if name in HEADER_EXAMPLES else {}
        api.spec.components.header(name, {"description": description, "schema": schema, **example})
    api.spec.components.parameter("Prefer", "header", PREFER)
    return api
