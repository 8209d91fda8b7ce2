"""The arguments of a tool: its operation's ids, query, body and idempotency key, as one flat object."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import marshmallow as ma

from app.errors import MAX_ISSUES, HttpApiDecodeError, NotFound
from app.fields.checks import HEX_ID, WRONG_ID
from app.fields.documents import ContentPartQuery, GuardedWrite
from app.fields.json_schema import json_schema
from app.fields.keys import DryRun, idempotency_key
from app.fields.loading import cached_schema, load
from app.fields.queries import NUMBERS
from app.fields.types import MAX_INTEGER, MAX_LISTED, UNSTATED_LENGTH, Schema, StrictInteger, StrictString
from app.fields.unknown import unknown_names
from app.operations.catalogue import CATALOGUE
from app.operations.operation import Operation
from mcp_tools.guidance import COMMON_ARGUMENTS, DESCRIBED_IN

KEY, DRY_RUN = "idempotencyKey", "dryRun"

SMALL_PAGE = 20
"""The default length of a page: lists over MCP are short, to use little of the context."""

IdempotencyKey = Schema.from_dict({KEY: idempotency_key()}, name="IdempotencyKey")
"""What every tool that writes takes."""

RequiredVersion = Schema.from_dict(
    {"baseVersion": StrictInteger(1, description=COMMON_ARGUMENTS["baseVersion"], required=True)},
    name="RequiredVersion",
)
"""What REST may send as `If-Match` instead; a tool has only this argument."""

UNSTATED = {"maxLength": UNSTATED_LENGTH, "maximum": MAX_INTEGER, "maxItems": MAX_LISTED}
"""Limits of what the contract states no limit of its own for; the instructions say how long a string may be."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of one tool: documented as JSON Schema, and read into what its operation is called with."""

    operation: Operation[Any]
    fields: type[ma.Schema]

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The tool's input schema; it allows no argument that it does not name."""
        documented = json_schema(self.fields)
        elsewhere = {*COMMON_ARGUMENTS.items(), *_described(DESCRIBED_IN.get(self.operation.name))}
        properties = {name: _argument(name, one, elsewhere) for name, one in documented["properties"].items()}
        for name, default in self.defaults.items():
            properties[name]["default"] = default
        if KEY in properties:  # the instructions describe both
            properties |= {KEY: {"type": "string"}, DRY_RUN: {"type": "boolean"}}
        required = {"required": documented["required"]} if documented.get("required") else {}
        return {"type": "object", "properties": properties, **required, "additionalProperties": False}

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """Defaults that differ from those of REST; the `limit` of content is in characters, and stays."""
        query = self.operation.query
        paged = query is not None and query is not ContentPartQuery and "limit" in cached_schema(query).fields
        return {"limit": SMALL_PAGE} if paged else {}

    def read(self, sent: Mapping[str, Any]) -> tuple[list[str], dict[str, Any], str | None, bool]:
        """Returns the ids, the fields and the idempotency key of a call, and whether it is a dry run.

        Raises `HttpApiDecodeError` with everything that is wrong, unknown arguments included, and `NotFound` for an id
        of the wrong form.
        """
        fields = load_known(self.fields, {**self.defaults, **sent})
        ids = [str(fields.pop(name)) for name in self.operation.id_names]
        named = zip(self.operation.id_names, ids, strict=True)
        if not all(name in NUMBERS or HEX_ID.fullmatch(one) for name, one in named):
            raise NotFound(WRONG_ID)
        key, dry_run = fields.pop(KEY, None), fields.pop(DRY_RUN, False)
        return ids, fields, key, dry_run


def load_known(schema: type[ma.Schema], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Returns arguments as a schema loads them.

    Raises `HttpApiDecodeError` with everything that is wrong, unknown arguments included.
    """
    unknown = unknown_names(cached_schema(schema), sent)
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


def arguments_of(operation: Operation[Any]) -> Arguments:
    """Returns the arguments of an operation's tool."""
    written = () if operation.reads else (DryRun, IdempotencyKey)
    path = Schema.from_dict({name: _path_argument(name) for name in operation.id_names}, name="Path")
    based = (RequiredVersion,) if operation.body and issubclass(operation.body, GuardedWrite) else ()
    own = (one for one in (operation.body, operation.query) if one)
    schemas = (*written, *based, *own, path)  # the last one's fields first
    return Arguments(operation, type(f"{operation.name}_arguments", schemas, {}))  # inherits the fields of them all


def _path_argument(name: str) -> Any:
    """Declares one of the values that say which record is meant; their names describe them."""
    if name in NUMBERS:
        return StrictInteger(NUMBERS[name][0], required=True)
    return StrictString(None, required=True)


def _described(tool: str | None) -> Iterator[tuple[str, str]]:
    """Yields the arguments that a tool takes, those inside others too, each with its description."""
    bodies = [operation.body for operation in CATALOGUE if operation.name == tool and operation.body]
    schemas = [json_schema(body) for body in bodies]
    while schemas:
        for name, one in schemas.pop().get("properties", {}).items():
            yield name, one.get("description", "")
            schemas.append(one)


def _argument(name: str, described: dict[str, Any], elsewhere: Set[tuple[str, str]]) -> dict[str, Any]:
    """Returns the schema of an argument; it is closed.

    It leaves out limits that the contract does not state, and what the instructions or another tool say already:
    `elsewhere` has the names and descriptions of those arguments.
    """
    argument = {key: value for key, value in described.items() if UNSTATED.get(key) != value}
    if (name, described.get("description")) in elsewhere:
        del argument["description"]
        argument.pop("properties", None)
        argument |= {"items": {"type": described["items"]["type"]}} if "items" in described else {}
    elif "properties" in described:
        argument["properties"] = {
            name: _argument(name, one, elsewhere) for name, one in described["properties"].items()
        }
        argument["additionalProperties"] = False
    elif "items" in described:
        argument["items"] = _argument("", described["items"], elsewhere)
    return argument
