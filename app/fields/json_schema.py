"""A request schema or a record as one JSON Schema with everything inline."""

from functools import cache
from typing import Any

import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.openapi import OpenAPIConverter

_INLINE = MarshmallowPlugin(schema_name_resolver=lambda schema: "")  # no name, no reference
APISpec("inline", "1", "3.1.0", plugins=[_INLINE])  # 3.1: what may be null has the type ["string", "null"]


@cache
def _converter() -> OpenAPIConverter:
    if _INLINE.converter is None:
        raise RuntimeError("apispec made no converter for the plugin.")
    return _INLINE.converter


def json_schema(schema: type[ma.Schema]) -> dict[str, Any]:
    """Returns the JSON Schema of a request or a record, nested ones inline, without references and combinators."""
    made: dict[str, Any] = _converter().schema2jsonschema(schema())  # type: ignore[no-untyped-call]
    return made
