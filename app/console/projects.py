"""The settings of the project.

One that a feature adds has a control that follows from its schema, where it has none of its own.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

from flask import Response, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import added
from app.console.calls import call, require
from app.console.forms import changed_fields, changed_ticks, form_of
from app.console.frame import console, done, label, page
from app.console.words import UNITS, exact_duration
from app.core.errors import HttpApiDecodeError
from app.core.features import Features
from app.core.schemas.json_schema import json_schema
from app.http.callers import callers
from app.projects import operations as projects
from app.projects.schemas import LEASE_SECONDS, ProjectChanges

NUMBER = re.compile("[0-9]{1,9}")
WORDS: Mapping[str | None, Any] = {"true": True, "false": False}


@cache
def _schemas(features: Features) -> Mapping[str, Mapping[str, Any]]:
    """Returns the JSON Schemas of the settings that features add, by name, but for objects."""
    schemas, own = json_schema(features.schema_of(ProjectChanges))["properties"], {*ProjectChanges().fields, *TEXTS}
    return {name: one for name, one in schemas.items() if name not in own and "object" not in one["type"]}


@console.app_template_global("other_settings")
def other_settings(project: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the arguments of the macro `field` for each of these settings."""
    for name, schema in _schemas(callers().store.features).items():
        value, words = project[name], schema.get("enum") or (WORDS if "boolean" in schema["type"] else ())
        is_list = "array" in schema["type"]
        yield {
            "name": name,
            "label": label(name),
            "value": "\n".join(value or ()) if is_list else str(value).lower() if words is WORDS else value,
            "hint": schema["description"].partition(";")[0].replace("`", ""),
            "type": "number" if "integer" in schema["type"] else "text",
            "rows": 3 if is_list else 0,
            "options": [(word, word) for word in words if word] or None,
            "twin": True,
        }


def changed_settings() -> dict[str, Any]:
    """Returns those of these settings that differ from what the form was shown with."""
    schemas = _schemas(callers().store.features)
    lists = [name for name, one in schemas.items() if "array" in one["type"]]
    changed = changed_fields([*(schemas.keys() - lists)], lists)
    return {name: _value_of(sent, schemas[name]["type"]) for name, sent in changed.items()}


def _value_of(sent: Any, types: Collection[str]) -> Any:
    """Returns a number or a boolean as the operation takes it; the operation refuses what is none."""
    if "boolean" in types:
        return WORDS.get(sent, sent)
    return int(sent) if "integer" in types and sent and NUMBER.fullmatch(sent) else sent


TEXTS = ("name", "siteUrl", "previewUrl", "categoryUrl", "claimLeaseSeconds", "guidelines")
DURATION = re.compile("([0-9]{1,9}) ?(d|h|m|s|(?:day|hour|min(?:ute)?|sec(?:ond)?)s?|)")
SECONDS: Mapping[str, int] = {"": 1} | {unit[0]: seconds for seconds, unit in UNITS}
"""How many seconds a unit has, by its first letter."""
WRONG_LEASE = "Must be a whole number of days, hours, minutes or seconds, from {} to {}.".format(
    *map(exact_duration, LEASE_SECONDS)
)


@console.get("/administration")
def show_settings() -> Response:
    """Shows the settings."""
    require(projects.update_project)
    project = call(projects.get_project).body
    return page("settings.html", project=project, **added("settings"))


@console.post("/administration")
@form_of(show_settings)
def save_settings() -> BaseResponse:
    """Changes those settings that differ from what the form was shown with."""
    try:
        call(projects.update_project, fields=_changes())
    except HttpApiDecodeError as refusal:
        for issue in refusal.extra["issues"]:
            if issue["path"] == "claimLeaseSeconds":
                issue["message"] = WRONG_LEASE
        raise
    return done("The settings are saved.", url_for("console.show_settings"))


def _changes() -> dict[str, Any]:
    fields = changed_settings() | changed_fields(TEXTS)
    if (lease := fields.get("claimLeaseSeconds")) and (found := DURATION.fullmatch(lease.lower())):
        fields["claimLeaseSeconds"] = int(found[1]) * SECONDS[found[2][:1]]
    return fields | changed_ticks("reviewRequired") | added("changed settings")
