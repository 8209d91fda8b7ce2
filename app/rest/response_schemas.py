"""The JSON Schemas of responses, which pydantic makes of their TypedDicts: components of OpenAPI, and one by itself."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from app.core.documented import docstring
from app.core.errors import Refusal

REF = "#/components/schemas/"

JsonSchema = dict[str, Any]


class _Generator(GenerateJsonSchema):
    """pydantic's generator: without titles, and with `["string", "null"]` instead of `anyOf` where null is allowed."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        made = super().typed_dict_schema(schema)
        del made["title"]
        return made | ({"description": docstring(schema["cls"])} if schema["cls"].__doc__ else {})

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        inner.pop("examples", None)  # the usual value is null, where the key names no other
        return {**inner, "type": [inner["type"], "null"]} if "type" in inner else super().nullable_schema(schema)


def components(responses: Iterable[type]) -> dict[str, JsonSchema]:
    """Returns the schemas of responses, and of what they hold, by name; they refer to each other as OpenAPI does."""
    adapters: list[tuple[type, Literal["serialization"], TypeAdapter[Any]]] = [
        (response, "serialization", TypeAdapter(response)) for response in dict.fromkeys(responses)
    ]
    _, made = TypeAdapter.json_schemas(adapters, ref_template=REF + "{model}", schema_generator=_Generator)
    found: dict[str, JsonSchema] = made["$defs"]
    return found


def error_components(errors: Collection[type[Refusal]]) -> dict[str, JsonSchema]:
    """Returns the schemas of errors, and of what they hold, by name."""
    known = components(error.Keys for error in errors if error.Keys)
    extra = {error: known.pop(error.Keys.__name__) for error in errors if error.Keys}
    for error in errors:
        keys = extra.get(error, {})
        known[error.__name__] = {
            "description": docstring(error),
            "type": "object",
            "properties": {
                "_tag": {"type": "string", "const": error.__name__},
                "message": {"type": "string", "description": "what to do"},
                **keys.get("properties", {}),
            },
            "required": ["_tag", "message", *keys.get("required", ())],
        }
    return known


@cache
def response_schema(response: type) -> JsonSchema:
    """Returns the schema of one response with all inline."""
    known = components([response])
    inline: JsonSchema = _inline(known[response.__name__], known)
    return inline


def _inline(part: Any, known: Mapping[str, JsonSchema]) -> Any:
    if isinstance(part, list):
        return [_inline(one, known) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        part = {**known[part["$ref"].removeprefix(REF)], **{key: one for key, one in part.items() if key != "$ref"}}
    return {key: _inline(one, known) for key, one in part.items()}
