"""What a tool takes: its operation's ids, query, body and idempotency key, as one flat table of arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

import marshmallow as ma

from app.errors import NotFound
from app.fields.contents import ContentPartQuery
from app.fields.json_schema import json_schema
from app.fields.keys import idempotency_key
from app.fields.kinds import Fields, Text, whole
from app.fields.stages import documented_shape, load_shape
from app.operations.operation import Operation

HEX_ID = re.compile(r"[0-9a-fA-F]{24}")
KEY = "idempotencyKey"

SMALL_PAGE = 20
"""The length of a page when none is asked for: lists over MCP are small, so that they don't flood a context."""

DEMANDED = {"write_content": ("baseVersion",), "restore_revision": ("baseVersion",)}
"""What REST may send as a header instead, and a tool has no other place for."""


@dataclass(frozen=True)
class Arguments:
    """The arguments of one tool: documented as JSON Schema, and read into what its operation is called with."""

    operation: Operation
    table: type[Fields]

    @property
    def schema(self) -> dict[str, Any]:
        """The tool's input schema."""
        documented = json_schema(documented_shape(self.table, strict=self.operation.checks_meaning))
        properties = {name: _for_tools(described) for name, described in documented["properties"].items()}
        needed = {"required": documented["required"]} if documented.get("required") else {}
        return {"type": "object", "properties": properties, **needed}

    def read(self, sent: Mapping[str, Any]) -> tuple[list[str], dict[str, Any], str | None]:
        """Returns the ids, the fields and the idempotency key that a call sends.

        Refuses with `HttpApiDecodeError`, naming everything that is wrong, and with `NotFound` for an id that is none.
        """
        fields = load_shape(self.table, self._with_id(sent))
        ids = [str(fields.pop(name)) for name in self.operation.path]
        if not all(HEX_ID.fullmatch(one) for name, one in zip(self.operation.path, ids, strict=True) if _is_id(name)):
            raise NotFound("There is nothing with this id: an id has 24 hexadecimal digits, as the lists show it.")
        return ids, fields, fields.pop(KEY, None)

    def _with_id(self, sent: Mapping[str, Any]) -> Mapping[str, Any]:
        """Takes `id`, as records call their own, for the `documentId` of a path, and the other way round."""
        first = next(iter(self.operation.path), "")
        other = "id" if first != "id" else f"{_thing(self.operation)}Id"
        known = not first or other in self.table._declared_fields
        return sent if known or other not in sent else {first: sent[other], **sent}


def arguments_of(operation: Operation) -> Arguments:
    """Returns the arguments of an operation's tool."""
    fields: dict[str, ma.fields.Field[Any]] = {name: _place(name, operation) for name in operation.path}
    for table in filter(None, (operation.query, operation.body)):
        fields |= table._declared_fields
    if "limit" in fields and operation.query is not ContentPartQuery:  # whose limit is of characters
        fields["limit"] = _twin(fields["limit"], load_default=SMALL_PAGE)
    for name in DEMANDED.get(operation.name, ()):
        fields[name] = _twin(fields[name], required=True)
    if not operation.reads:
        fields[KEY] = idempotency_key()
    return Arguments(operation, type(f"{operation.name}_arguments", (Fields,), fields))


def _place(name: str, operation: Operation) -> ma.fields.Field[Any]:
    """Declares one of the values that say which record is meant."""
    if not _is_id(name):
        return whole(1, doc=f"the {name}", required=True)
    thing = name.removesuffix("Id") if name != "id" else _thing(operation)
    return Text(required=True, metadata={"description": f"the {thing}'s id", "pattern": f"^{HEX_ID.pattern}$"})


def _thing(operation: Operation) -> str:
    """Returns what an operation is about, as its name says: `read_document_content` about a document."""
    return operation.name.split("_")[1]


def _is_id(name: str) -> bool:
    return name == "id" or name.endswith("Id")


def _twin(field: ma.fields.Field[Any], **changes: Any) -> ma.fields.Field[Any]:
    twin = copy(field)
    vars(twin).update(changes)
    return twin


def _for_tools(described: Any) -> Any:
    """Returns a documented field with the names of tools for the paths of REST."""
    if not isinstance(described, dict):
        return described
    return {
        key: re.sub(r"`GET /(\w+)`", r"`list_\1`", value) if key == "description" else _inside(value)
        for key, value in described.items()
    }


def _inside(value: Any) -> Any:
    if isinstance(value, dict) and "properties" not in value:
        return {name: _for_tools(one) for name, one in value.items()}
    return _for_tools(value)
