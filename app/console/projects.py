"""The settings of the project."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import added
from app.console.calls import call, require
from app.console.forms import changed_fields, changed_ticks, form_of
from app.console.frame import console, done, page
from app.console.other_settings import changed_settings
from app.console.words import UNITS, exact_duration
from app.core.errors import HttpApiDecodeError
from app.projects import operations as projects
from app.projects.schemas import LEASE_SECONDS

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
