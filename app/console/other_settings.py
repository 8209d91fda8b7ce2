"""Settings that features add to projects: each that has no control of its own gets one that follows from its schema."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from app.console.forms import changed_fields
from app.console.frame import console, label
from app.core.features import Features
from app.core.schemas.json_schema import json_schema
from app.http.callers import callers
from app.projects.schemas import ProjectChanges

NUMBER = re.compile("[0-9]{1,9}")
WORDS: Mapping[str | None, Any] = {"true": True, "false": False}


@cache
def _schemas(features: Features) -> Mapping[str, Mapping[str, Any]]:
    """Returns the JSON Schemas of the integers, words and booleans that features add, by name."""
    schemas, own = json_schema(features.schema_of(ProjectChanges))["properties"], ProjectChanges().fields
    simple = {name for name, one in schemas.items() if "enum" in one or {"integer", "boolean"} & {*one["type"]}}
    return {name: schemas[name] for name in schemas if name in simple - own.keys()}


@console.app_template_global("other_settings")
def other_settings(project: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the arguments of the macro `field` for each of these settings."""
    for name, schema in _schemas(callers().store.features).items():
        value, words = project[name], schema.get("enum") or (WORDS if "boolean" in schema["type"] else ())
        yield {
            "name": name,
            "label": label(name),
            "value": str(value).lower() if isinstance(value, bool) else value,
            "hint": schema["description"].partition(";")[0].replace("`", ""),
            "type": "text" if words else "number",
            "options": [(word, word) for word in words if word] or None,
            "twin": True,
        }


def changed_settings() -> dict[str, Any]:
    """Returns those of these settings that differ from what the form was shown with."""
    changed = changed_fields([*_schemas(callers().store.features)])
    return {name: _value_of(sent) for name, sent in changed.items()}


def _value_of(sent: str | None) -> Any:
    """Returns a number or a boolean as the operation takes it; the operation refuses what is none."""
    return int(sent) if sent and NUMBER.fullmatch(sent) else WORDS.get(sent, sent)
