"""The OpenAPI document: flask-smorest documents the routes, `openapi.yaml` has what no operation declares.

The rest is here: the components that the routes refer to by name, examples, and the closed lists.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import EnumType
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, ClassVar

import marshmallow as ma
import yaml
from apispec import BasePlugin
from flask import Flask
from flask_smorest import Api, Blueprint

from app.core import vocabulary
from app.core.documented import EXAMPLE_ID, docstring
from app.core.errors import Refusal
from app.core.features import Features
from app.core.schemas.fields import EXAMPLE
from app.core.schemas.queries import MAX_NUMBER, NUMBERS
from app.core.schemas.validation import HEX_ID
from app.documents.responses import SEARCH_INTENTS
from app.documents.schemas import SORTS, FirstStatus
from app.http.streams import NDJSON
from app.intents.responses import Intent
from app.intents.schemas import INTENT_FIELDS
from app.rest.examples import error_examples, example, response_example
from app.rest.response_schemas import REF, JsonSchema, components, error_components
from app.rest.route import Route
from app.settings import VERSION, Settings

HEAD = Path(__file__).with_suffix(".yaml")

TAGS = {
    "intents": "Drafts of documents, clusters and categories: created, completed and confirmed.",
    "briefs": "What is to be written: offered to agents, claimed by exactly one, withdrawn.",
    "documents": "Documents from idea to published.",
    "sources": "What a document's text cites, with the excerpts that support it.",
    "threads": "Remarks on a document's passages, with answers and suggestions.",
    "provenance": "Who wrote a text, who answers for it, and what is disclosed of it.",
    "images": "Pictures for texts and covers.",
    "categories": "Categories of documents.",
    "clusters": "Topics that documents cover together.",
    "members": "The people that documents are assigned to.",
    "tokens": "The tokens of the API.",
    "events": "Changes in the project, in order.",
    "inbox": "What waits for whom.",
    "webhooks": "Changes in the project, sent to a URL.",
    "messages": "What webhooks are sent.",
    "project": "The settings of the token's project.",
}
"""The tags of the routes, in order, with their descriptions."""

HEADERS = {400: "Preference-Applied", 401: "WWW-Authenticate", 412: "ETag", 429: "Retry-After", 503: "Retry-After"}
"""The header that responses with an error have, by status."""

NOUNS = {"document-intents": "draft", "cluster-intents": "draft", "category-intents": "draft", "categories": "category"}

LISTS: Mapping[str, Iterable[str]] = {
    **{words.__name__: words for words in vars(vocabulary).values() if isinstance(words, EnumType) and list(words)},
    "FirstStatus": FirstStatus,
    "SearchIntentOrUnset": SEARCH_INTENTS,
    "DocumentSort": SORTS,
}
"""The closed lists of the contract, by the names of their components."""

SHARED = ("dryRun", "Idempotency-Key", "If-Match")
"""The parameters of nearly every write; they are components in OpenAPI."""


class ManagementApi(Api):  # type: ignore[misc]
    """flask-smorest's Api without its own errors: the routes document theirs."""

    DEFAULT_ERROR_RESPONSE_NAME = None
    ERROR_SCHEMA: ClassVar[dict[str, Any]] = {}


class Docstrings(BasePlugin):
    """A plugin of apispec that describes each schema of a request with its docstring."""

    def schema_helper(self, name: str, definition: dict[str, Any], **options: Any) -> dict[str, Any]:
        return {"description": docstring(type(options["schema"]))} if "schema" in options else {}


def show_example(_converter: Any, field: ma.fields.Field[Any], **_: Any) -> dict[str, Any]:
    """Returns the example of a request's field: an attribute function of apispec."""
    return {"examples": [field.metadata[EXAMPLE]]} if EXAMPLE in field.metadata else {}


def make_document(
    settings: Settings, features: Features, blueprints: Iterable[Blueprint], routes: Collection[Route]
) -> dict[str, Any]:
    """Returns the OpenAPI 3.1 document of blueprints; its paths are below its `servers`.

    flask-smorest documents the routes of an app of its own.
    """
    app = Flask(__name__)
    server = {"url": (settings.public_url.rstrip("/") + settings.base_path) or "/"}
    app.config.update(
        API_TITLE="Content workflow",
        API_VERSION=VERSION,
        OPENAPI_VERSION="3.1.0",
        API_SPEC_OPTIONS={**yaml.safe_load(HEAD.read_text("utf-8")), "servers": [server]},
    )
    api = ManagementApi(app, spec_kwargs={"extra_plugins": [Docstrings()]})
    api.ma_plugin.converter.add_attribute_function(show_example)
    responses = {name: errors for route in routes for name, errors in route.errors.items()}
    known = _schemas(routes, dict.fromkeys(chain.from_iterable(responses.values())))
    messages = {name: one for feature in features.features for name, one in feature.webhooks.items()}
    known |= components(messages.values()) if messages else {}
    for name, schema in known.items():
        api.spec.components.schema(name, schema)
    shown = {error: error_examples(error, known) for errors in responses.values() for error in errors}
    for name, value in chain.from_iterable(one.items() for one in shown.values()):
        api.spec.components.example(name, {"value": value})
    for name, errors in responses.items():
        examples = chain.from_iterable(shown[error] for error in errors)
        api.spec.components.response(name, _error_response(errors, examples))
    for blueprint in blueprints:
        api.register_blueprint(blueprint)
    added = {name: words for one in features.features for name, words in one.closed_lists.items()}
    lists = {**LISTS, "EventType": features.message_types, **added}
    webhooks = {name: {"post": _webhook(one)} for name, one in messages.items()}
    return _completed({**api.spec.to_dict(), "webhooks": webhooks}, routes, lists)


def common_parameters(path: str) -> list[dict[str, Any] | str]:
    """Returns the documentation of what all methods of a path take: the parameters in it, and `Prefer`."""
    parts = pairwise(path.split("/"))
    return [*(_in_path(part[1:-1], before) for before, part in parts if part.startswith("<")), "Prefer"]


def _in_path(name: str, collection: str) -> dict[str, Any]:
    if name in NUMBERS:
        smallest, description = NUMBERS[name]
        schema: JsonSchema = {"type": "integer", "minimum": smallest, "maximum": MAX_NUMBER}
    else:
        description = f"the {NOUNS.get(collection, collection.removesuffix('s'))}'s id"
        schema = {"type": "string", "pattern": f"^{HEX_ID.pattern}$", "examples": [EXAMPLE_ID]}
    return {"in": "path", "name": name, "description": description, "schema": schema}


def _schemas(routes: Iterable[Route], errors: Collection[type[Refusal]]) -> dict[str, JsonSchema]:
    """Returns the schemas of responses and errors, by name; a draft's has the fields of its kind."""
    known = components(route.response for route in routes if route.media_type != NDJSON) | error_components(errors)
    draft = known.pop(Intent.__name__)
    for kind, fields in INTENT_FIELDS.items():
        of_kind = {
            "kind": {**draft["properties"]["kind"], "examples": [kind]},
            "fields": {"$ref": REF + fields.__name__},
        }
        known[kind.title() + Intent.__name__] = {**draft, "properties": {**draft["properties"], **of_kind}}
    return known


def _error_response(errors: Sequence[type[Refusal]], examples: Iterable[str]) -> dict[str, Any]:
    """Returns the component of a response with one of several errors, and with examples by name."""
    names = [error.__name__ for error in errors]
    discriminator = {"propertyName": "_tag", "mapping": {name: REF + name for name in names}}
    return {
        "description": ", ".join(f"`{name}`" for name in names),
        "headers": {name: name for name in ("Dry-Run", HEADERS.get(errors[0].status)) if name},
        "content": {
            "application/json": {
                "schema": {"oneOf": names, "discriminator": discriminator} if names[1:] else names[0],
                "examples": {name: name for name in examples},
            }
        },
    }


def _webhook(message: type) -> dict[str, Any]:
    """Returns the documentation of a message that is sent to webhooks."""
    content = {"application/json": {"schema": {"$ref": REF + message.__name__}}}
    return {
        "operationId": f"receive{message.__name__}",
        "summary": docstring(message).partition(":")[0],
        "tags": ["messages"],  # a file of its own in generated clients, beside that of the routes of webhooks
        "security": [],
        "requestBody": {"content": content, "required": True},
        "responses": {"2XX": {"description": "Received."}},
    }


def _completed(document: dict[str, Any], routes: Iterable[Route], lists: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """Returns the document with an example of each body and response, and with components of what many share.

    `lists` are the closed lists by the names of their components.
    """
    schemas, parameters = document["components"]["schemas"], document["components"]["parameters"]
    del schemas["PaginationMetadata"]  # of flask-smorest's own pages
    for route in routes:
        operation = document["paths"][re.sub(r"<(\w+)>", r"{\1}", route.path)][route.method.lower()]
        if route.body:
            body = operation["requestBody"]["content"]["application/json"]
            body["example"] = example(body["schema"], schemas)
        success = operation["responses"][str(route.status)]["content"][route.media_type]
        success["example"] = response_example(route, success["schema"], schemas)
        if route.operation.may_list:
            listed = operation["responses"]["200"]["content"]["application/json"]
            listed["example"] = [success["example"]]
        if route.operation.from_file:
            operation["responses"]["200"]["content"]["application/json"]["example"] = success["example"]
        for place, one in enumerate(operation.get("parameters", ())):
            if one.get("name") in SHARED:
                parameters[one["name"]] = one
                operation["parameters"][place] = {"$ref": f"#/components/parameters/{one['name']}"}
    names = {tuple(words): name for name, words in lists.items()}
    shared: dict[str, JsonSchema] = {}
    completed: dict[str, Any] = json.loads(
        json.dumps(document), object_hook=lambda part: _with_reference(part, names, shared)
    )
    for name, words in lists.items():
        if name in shared:
            described = {"description": docstring(words)} if isinstance(words, EnumType) else {}
            shared[name] = {**described, "type": "string", "enum": [str(word) for word in words]}
    completed["components"]["schemas"] |= shared
    return completed


def _with_reference(
    part: dict[str, Any], names: Mapping[tuple[str, ...], str], shared: dict[str, JsonSchema]
) -> dict[str, Any]:
    """Returns an object of the document, with a reference in the place of a closed list, whose name `shared` gets.

    An object that has words of a closed list by name is a component as well, or generated clients name it themselves.
    """
    name = names.get(tuple(word for word in part.get("enum", ()) if word is not None))
    if name is not None:
        shared[name] = {}
    elif isinstance(values := part.get("additionalProperties"), dict) and "$ref" in values:
        name = f"{values['$ref'].removeprefix(REF)}s"
        shared[name] = {"type": "object", "additionalProperties": values}
    if name is None:
        return part
    is_nullable = "null" in part["type"] or None in part.get("enum", ())
    rest = {key: one for key, one in part.items() if key not in ("enum", "type", "maxLength", "additionalProperties")}
    return rest | ({"anyOf": [{"$ref": REF + name}, {"type": "null"}]} if is_nullable else {"$ref": REF + name})
