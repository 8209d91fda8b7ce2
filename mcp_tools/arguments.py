"""The arguments of a tool: its operation's ids, query, body and idempotency key, as one flat object."""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import islice
from typing import Any

import marshmallow as ma

from app.core.documented import MAX_INTEGER
from app.core.errors import MAX_ISSUES, HttpApiDecodeError, NotFound
from app.core.features import Features
from app.core.operation import Operation
from app.core.schemas.fields import MAX_LISTED, OVER_MCP, UNSTATED_LENGTH, Schema, StrictInteger, StrictString
from app.core.schemas.json_schema import json_schema
from app.core.schemas.loading import cached_schema, load
from app.core.schemas.queries import NUMBERS, DryRun, Page, idempotency_key, unknown_names
from app.core.schemas.validation import HEX_ID, WRONG_ID
from app.documents.schemas import Filing, GuardedWrite, PageTexts

KEY, DRY_RUN = "idempotencyKey", "dryRun"

IdempotencyKey = Schema.from_dict({KEY: idempotency_key()}, name="IdempotencyKey")
"""Argument of every tool that writes."""

WRITTEN = {
    KEY: {"type": "string", "description": "a new random UUID for each call"},
    DRY_RUN: {"type": "boolean", "description": "try it"},
}
"""The schemas of both in the list of tools."""

UNSTATED = {"maxLength": UNSTATED_LENGTH, "maximum": MAX_INTEGER, "maxItems": MAX_LISTED}
"""The limits of arguments for which the contract states none; the instructions say how long a string may be."""

MOST_WORDS = 20
"""A longer list of words is left out: the refusal of another word names them."""


def arguments_of(operation: Operation[Any], features: Features) -> type[ma.Schema]:
    """Returns the schema of the arguments of an operation's tool."""
    messages = _if_missing(operation)
    ids = {name: _path_argument(name, messages.get(name, {})) for name in operation.id_names}
    path = Schema.from_dict(ids, name="Path")
    written = () if operation.reads else (DryRun, IdempotencyKey)
    sent = [features.schema_of(schema) for schema in (operation.body, operation.query) if schema]
    changed = {
        name: _with(schema, name, load_default=field.metadata[OVER_MCP])
        for schema in sent
        for name, field in cached_schema(schema).fields.items()
        if OVER_MCP in field.metadata
    }
    if operation.body:
        for name in messages.keys() - {*operation.id_names}:
            changed[name] = _with(operation.body, name, messages[name])
    if operation.body and issubclass(operation.body, GuardedWrite):  # over REST it may be `If-Match` instead
        changed["baseVersion"] = _with(operation.body, "baseVersion", {"null": "Must not be null."}, required=True)
    # The last one has its fields first.
    return type(f"{operation.name}_arguments", (*written, *sent, path), changed)


@cache
def instructed(features: Features) -> Set[tuple[str, str]]:
    """Returns the arguments that the instructions describe, with what the schemas say of them."""
    schemas: list[type[Schema]] = [
        Page,
        Filing,
        PageTexts,
        *(schema for one in features.features for schema in one.instructed),
    ]
    described = [json_schema(schema)["properties"] for schema in schemas]
    return {(name, one["description"]) for properties in described for name, one in properties.items()}


def input_schema(operation: Operation[Any], arguments: type[ma.Schema], features: Features) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's arguments; it allows none that it does not name."""
    elsewhere = instructed(features) | set(_described(features.by_name.get(operation.arguments_as), features))
    schema = _shortened(json_schema(arguments), elsewhere)
    if KEY in schema["properties"]:  # the instructions say more of both
        schema["properties"] |= WRITTEN
    return schema


def either(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the JSON Schema of the arguments of a tool that takes those of one schema, or those of another.

    The records in a list of the other take arguments of the one, which describes them.
    """
    properties = {name: _without(schema, one["properties"]) for name, schema in other["properties"].items()}
    required = [name for name in one["required"] if name in other["required"]]
    return {**one, "properties": {**properties, **one["properties"]}, "required": required}


def _without(schema: dict[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema of a list; of properties of its records that are all described already, with types alone."""
    records = schema.get("items", {})
    if not records.get("properties") or not records["properties"].keys() <= described.keys():
        return schema
    properties = {name: {"type": _first(one["type"])} for name, one in records["properties"].items()}
    return {**schema, "items": {**records, "properties": properties}}


def names_of(arguments: type[ma.Schema]) -> Set[str]:
    """Returns the names of arguments."""
    return cached_schema(arguments).fields.keys()


def read(
    operation: Operation[Any], arguments: type[ma.Schema], sent: Mapping[str, Any], others: Iterable[str] = ()
) -> tuple[list[str], dict[str, Any], str | None, bool]:
    """Returns the ids, the fields and the idempotency key of a call, and whether it is a dry run.

    `others` are names that stand for these arguments. Raises as `load_known` does, and `NotFound` for an id of the
    wrong form.
    """
    fields = load_known(arguments, sent, others)
    ids = {name: str(fields.pop(name)) for name in operation.id_names}
    if wrong := [name for name, one in ids.items() if not (name in NUMBERS or HEX_ID.fullmatch(one))]:
        raise NotFound(f"`{wrong[0]}`: {WRONG_ID}", wrong[0])
    key, dry_run = fields.pop(KEY, None), fields.pop(DRY_RUN, False)
    return list(ids.values()), fields, key, dry_run


def load_known(schema: type[ma.Schema], sent: Mapping[str, Any], others: Iterable[str] = ()) -> dict[str, Any]:
    """Returns arguments as a schema loads them; `others` are known names that were not sent.

    Raises `HttpApiDecodeError` with everything that is wrong, unknown arguments included.
    """
    unknown = unknown_names(cached_schema(schema), sent, others=others)
    issues = [one.issue("argument") for one in islice(unknown, MAX_ISSUES)]
    more = sum(1 for _ in unknown)
    try:
        fields = load(schema, sent)
    except HttpApiDecodeError as error:
        issues += error.extra["issues"]
        more += error.extra.get("more", 0)
    if issues:
        raise HttpApiDecodeError(issues=issues, more=more)
    return fields


def _if_missing(operation: Operation[Any]) -> Mapping[str, Mapping[str, str]]:
    """Returns the error messages of required arguments in whose place a tool takes a list."""
    batch = operation.batch
    if batch is None:
        return {}
    [listed] = [name for schema in (batch.body, batch.query) if schema for name in cached_schema(schema).fields]
    messages = {"required": f"Is required, or send `{listed}` instead."}
    fields = cached_schema(operation.body).fields if operation.body else {}
    alone = {*operation.id_names, *(name for name, one in fields.items() if one.required)} - {*batch.id_names}
    return dict.fromkeys(alone, messages)


def _path_argument(name: str, messages: Mapping[str, str]) -> Any:
    """Declares one of the values that say which record is meant; their names describe them."""
    is_number = name in NUMBERS
    named: Any = StrictInteger(NUMBERS[name][0], required=True) if is_number else StrictString(None, required=True)
    named.error_messages.update(messages)
    return named


def _with(schema: type[ma.Schema], name: str, messages: Mapping[str, str] | None = None, **options: Any) -> Any:
    """Returns a field of a schema with other options and messages; that of the schema stays as it is."""
    field = schema().declared_fields[name]
    vars(field).update(options, error_messages={**field.error_messages, **(messages or {})})
    return field


def _described(operation: Operation[Any] | None, features: Features) -> Iterator[tuple[str, str]]:
    """Yields the arguments that a tool takes, those inside objects too but not the objects, with their descriptions."""
    schemas = [json_schema(features.schema_of(operation.body))] if operation and operation.body else []
    while schemas:
        for name, one in schemas.pop().get("properties", {}).items():
            if "properties" in one:
                schemas.append(one)
            else:
                yield name, one.get("description", "")


def _shortened(schema: dict[str, Any], elsewhere: Set[tuple[str, str]], name: str = "") -> dict[str, Any]:
    """Returns the schema of arguments, every object closed, without limits that the contract does not state.

    Descriptions that another tool already has are left out: `elsewhere` has their names and texts.
    """
    short = {key: value for key, value in schema.items() if UNSTATED.get(key) != value}
    if "enum" in short:
        short.pop("maxLength", None)
        if len(short["enum"]) > MOST_WORDS:
            del short["enum"]
    if (name, short.get("description")) in elsewhere:
        for key in ("default", "properties") if "properties" in short else ("default", "description"):
            short.pop(key, None)
        return short | ({"items": {"type": short["items"]["type"]}} if "items" in short else {})
    if "items" in short:
        short["items"] = _shortened(short["items"], elsewhere)
        short["items"].pop("pattern", None)  # the instructions state the form of ids
    if "properties" in short:
        short["properties"] = {key: _shortened(one, elsewhere, key) for key, one in short["properties"].items()}
        short["additionalProperties"] = False
    return short


def _first(types: str | list[str]) -> str:
    """Returns the type of an argument that is not null."""
    return types if isinstance(types, str) else types[0]
