"""The settings of the project, and freezing it."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.checks.vocabulary import CheckLevel, CheckName
from app.console.calls import call, require
from app.console.forms import changed_fields, form_of, leads_to, text
from app.console.frame import console, done, page
from app.console.other_settings import changed_settings
from app.console.words import UNITS, exact_duration
from app.core.errors import HttpApiDecodeError
from app.guards import freezing
from app.projects import operations as projects
from app.projects.schemas import LEASE_SECONDS
from app.provenance.vocabulary import ReviewDemand

TEXTS = ("name", "siteUrl", "previewUrl", "categoryUrl", "claimLeaseSeconds", "guidelines")
FLAGS: Mapping[str, str] = {
    "reviewRequired": "Only approved documents are published",
    "fourEyes": "Nobody approves, schedules or publishes what they wrote or submitted themselves",
    "reviewRecord": "Only a person approves, and records what they examined",
}
DURATION = re.compile("([0-9]{1,9}) ?(d|h|m|s|(?:day|hour|min(?:ute)?|sec(?:ond)?)s?|)")
SECONDS: Mapping[str, int] = {"": 1} | {unit[0]: seconds for seconds, unit in UNITS}
"""How many seconds a unit has, by its first letter."""
WRONG_LEASE = "Must be a whole number of days, hours, minutes or seconds, from {} to {}.".format(
    *map(exact_duration, LEASE_SECONDS)
)
LEVELS: Mapping[str, str] = {
    CheckLevel.OFF: "Off",
    CheckLevel.WARNING: "Warns",
    CheckLevel.ERROR: "Must pass before a submit",
}
CHECKS: Mapping[str, tuple[CheckName, ...]] = {
    "Being found": (
        CheckName.KEYWORD_IN_TITLE,
        CheckName.KEYWORD_IN_OPENING,
        CheckName.KEYWORD_IN_SLUG,
        CheckName.KEYWORD_TAKEN,
        CheckName.META_TITLE,
        CheckName.META_DESCRIPTION,
    ),
    "What the brief asks for": (
        CheckName.LENGTH,
        CheckName.OUTLINE_COVERED,
        CheckName.INTERNAL_LINKS,
        CheckName.REFERENCES,
    ),
    "Form of the text": (
        CheckName.HEADING_LEVELS,
        CheckName.IMAGE_ALT,
        CheckName.LINKS,
        CheckName.PLACEHOLDERS,
        CheckName.REPEATED_PARAGRAPHS,
    ),
}
"""The checks in groups, each of which can be set at once."""


@console.app_template_filter("level_in")
def level_in(name: str, levels: Mapping[str, str]) -> str:
    """Returns the level of a check."""
    return levels.get(name, str(CheckLevel.WARNING))


@console.get("/administration")
def show_settings() -> Response:
    """Shows the settings, and the button that freezes the project."""
    require(projects.update_project)
    project = call(projects.get_project).body
    return page("settings.html", project=project, flags=FLAGS, checks=CHECKS, levels=LEVELS)


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


@console.post("/administration/freeze")
@leads_to("show_settings")
def freeze() -> str:
    """Freezes the project."""
    call(freezing.freeze_project, fields={"note": text("note")})
    return "The project is frozen."


@console.post("/administration/unfreeze")
@leads_to("show_settings")
def unfreeze() -> str:
    """Unfreezes the project."""
    call(freezing.unfreeze_project)
    return "The project can be written to again."


def _changes() -> dict[str, Any]:
    fields = changed_settings() | changed_fields(TEXTS)
    if (lease := fields.get("claimLeaseSeconds")) and (found := DURATION.fullmatch(lease.lower())):
        fields["claimLeaseSeconds"] = int(found[1]) * SECONDS[found[2][:1]]
    for name in FLAGS:
        if (name in request.form) != ("was." + name in request.form):
            fields[name] = name in request.form
    if "reviewRecord" in fields:
        fields["reviewRecord"] = ReviewDemand.REQUIRED if fields["reviewRecord"] else ReviewDemand.OFF
    levels = _levels("check.") | _levels_of_groups()
    if levels != _levels("was.check."):
        fields["checks"] = {name: level for name, level in levels.items() if level != CheckLevel.WARNING}
    return fields


def _levels_of_groups() -> dict[str, str]:
    """Returns the levels of the checks whose group was set at once."""
    form = request.form
    chosen = {group: form.get(f"group.{group}", "") for group in CHECKS}
    changed = [group for group, level in chosen.items() if level and level != form.get(f"was.group.{group}")]
    return {str(name): chosen[group] for group in changed for name in CHECKS[group]}


def _levels(prefix: str) -> dict[str, str]:
    return {name: request.form.get(prefix + name) or str(CheckLevel.WARNING) for name in map(str, CheckName)}
