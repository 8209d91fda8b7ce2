"""The settings of the project, and freezing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.documents import changed_fields
from app.console.frame import call, console, done, page, problems_of, require, said_by
from app.errors import Refusal
from app.operations import projects
from app.vocabulary import CheckLevel, CheckName

TEXTS = ("name", "siteUrl", "categoryUrl", "claimLeaseSeconds", "guidelines")
FLAGS: Mapping[str, str] = {
    "reviewRequired": "Only approved pieces are published",
    "fourEyes": "Nobody approves, schedules or publishes what they wrote or submitted themselves",
}
LEVELS: Mapping[str, str] = {
    CheckLevel.OFF: "Off",
    CheckLevel.WARNING: "Warns",
    CheckLevel.ERROR: "Must pass before a submit",
}


@console.get("/administration")
def show_settings() -> Response:
    """Shows the settings, and the button that freezes the project."""
    require(projects.update_project)
    return _form(call(projects.get_project).body)


@console.post("/administration")
def save_settings() -> BaseResponse:
    """Changes those settings that differ from what the form was shown with."""
    try:
        call(projects.update_project, fields=_changes())
    except Refusal as refusal:
        return _form(call(projects.get_project).body, refusal)
    return done("The settings are saved.", url_for("console.show_settings"))


@console.post("/administration/freeze")
def freeze() -> BaseResponse:
    """Freezes the project."""
    return _freeze(frozen=True)


@console.post("/administration/unfreeze")
def unfreeze() -> BaseResponse:
    """Unfreezes the project."""
    return _freeze(frozen=False)


def _freeze(*, frozen: bool) -> BaseResponse:
    to = url_for("console.show_settings")
    try:
        if frozen:
            call(projects.freeze_project, fields={"note": request.form.get("note", "")})
        else:
            call(projects.unfreeze_project)
    except Refusal as refusal:
        return done(said_by(refusal), to, ok=False)
    return done("The project is frozen." if frozen else "The project can be written to again.", to)


def _changes() -> dict[str, Any]:
    fields = changed_fields(TEXTS)
    if (lease := fields.get("claimLeaseSeconds")) and lease.isascii() and lease.isdigit():
        fields["claimLeaseSeconds"] = int(lease[:18])
    for name in FLAGS:
        if (name in request.form) != ("was." + name in request.form):
            fields[name] = name in request.form
    levels = _levels("check.")
    if levels != _levels("was.check."):
        fields["checks"] = {name: level for name, level in levels.items() if level != CheckLevel.WARNING}
    return fields


def _levels(prefix: str) -> dict[str, str]:
    return {name: request.form.get(prefix + name) or str(CheckLevel.WARNING) for name in map(str, CheckName)}


def _form(project: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    was = {**project, "claimLeaseSeconds": project["claimLeaseSeconds"] or ""}
    sent = {name: request.form.get(name, "") for name in TEXTS} | {name: name in request.form for name in FLAGS}
    return page(
        "settings.html",
        refusal.status if refusal else 200,
        project=project,
        was=was,
        values={**was, **sent, "checks": _levels("check.")} if refusal else was,
        flags=FLAGS,
        checks=[str(name) for name in CheckName],
        levels=LEVELS,
        problems=problems_of(refusal) if refusal else {},
        said=said_by(refusal) if refusal else "",
    )
