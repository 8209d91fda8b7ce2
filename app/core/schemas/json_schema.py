"""A request schema as one JSON Schema with everything inline."""

from typing import Any

import marshmallow as ma
from apispec import APISpec
from apispec.ext.marshmallow.openapi import OpenAPIConverter

VERSION = "3.1.0"
"""The version of OpenAPI: in it, what may be null has the type `["string", "null"]`."""

_converter = OpenAPIConverter(VERSION, lambda schema: "", APISpec("inline", "1", VERSION))  # no name, no reference


def json_schema(schema: type[ma.Schema]) -> dict[str, Any]:
    """Returns the JSON Schema of a request, nested ones inline, without references and combinators."""
    made: dict[str, Any] = _converter.schema2jsonschema(schema())  # type: ignore[no-untyped-call]
    return made
