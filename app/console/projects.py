"""The settings of the project, and freezing it."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, require
from app.console.forms import changed_fields, form_of, leads_to, text
from app.console.frame import console, done, page
from app.operations import projects
from app.vocabulary import CheckLevel, CheckName

TEXTS = ("name", "siteUrl", "categoryUrl", "claimLeaseSeconds", "guidelines")
FLAGS: Mapping[str, str] = {
    "reviewRequired": "Only approved documents are published",
    "fourEyes": "Nobody approves, schedules or publishes what they wrote or submitted themselves",
}
DURATION = re.compile(r"([0-9]{1,9}) ?(?:([dhms])[a-z]*)?", re.IGNORECASE)
SECONDS: Mapping[str | None, int] = {"d": 86_400, "h": 3_600, "m": 60, "s": 1, None: 1}
LEVELS: Mapping[str, str] = {
    CheckLevel.OFF: "Off",
    CheckLevel.WARNING: "Warns",
    CheckLevel.ERROR: "Must pass before a submit",
}


@console.get("/administration")
def show_settings() -> Response:
    """Shows the settings, and the button that freezes the project."""
    require(projects.update_project)
    project = call(projects.get_project).body
    return page("settings.html", project=project, flags=FLAGS, checks=CheckName, levels=LEVELS)


@console.post("/administration")
@form_of(show_settings)
def save_settings() -> BaseResponse:
    """Changes those settings that differ from what the form was shown with."""
    call(projects.update_project, fields=_changes())
    return done("The settings are saved.", url_for("console.show_settings"))


@console.post("/administration/freeze")
@leads_to("show_settings")
def freeze() -> str:
    """Freezes the project."""
    call(projects.freeze_project, fields={"note": text("note")})
    return "The project is frozen."


@console.post("/administration/unfreeze")
@leads_to("show_settings")
def unfreeze() -> str:
    """Unfreezes the project."""
    call(projects.unfreeze_project)
    return "The project can be written to again."


def _changes() -> dict[str, Any]:
    fields = changed_fields(TEXTS)
    if (lease := fields.get("claimLeaseSeconds")) and (found := DURATION.fullmatch(lease)):
        fields["claimLeaseSeconds"] = int(found[1]) * SECONDS[found[2] and found[2].lower()]
    for name in FLAGS:
        if (name in request.form) != ("was." + name in request.form):
            fields[name] = name in request.form
    levels = _levels("check.")
    if levels != _levels("was.check."):
        fields["checks"] = {name: level for name, level in levels.items() if level != CheckLevel.WARNING}
    return fields


def _levels(prefix: str) -> dict[str, str]:
    return {name: request.form.get(prefix + name) or str(CheckLevel.WARNING) for name in map(str, CheckName)}
