"""Pages of checks: those of a document, and the settings of a project."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request

from app.checks import operations as checks
from app.checks.feature import ChecksFailed
from app.checks.places import in_words, places_of
from app.checks.vocabulary import CheckLevel, CheckName
from app.console.additions import Pages
from app.console.calls import call
from app.console.documents import read_document
from app.console.frame import is_from_script, page
from app.console.sessions import context

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
    "What is cited": (
        CheckName.SOURCES_KNOWN,
        CheckName.SOURCES_CITED,
        CheckName.QUOTES_VERBATIM,
        CheckName.NUMBERS_SOURCED,
    ),
    "Form of the text": (
        CheckName.HEADING_LEVELS,
        CheckName.IMAGE_ALT,
        CheckName.LINKS,
        CheckName.HTML_KEPT,
        CheckName.PLACEHOLDERS,
        CheckName.MODEL_SLIPS,
        CheckName.REPEATED_PARAGRAPHS,
    ),
}
"""The checks in groups, each of which can be set at once."""

pages = Blueprint("checks", __name__, template_folder="templates")
pages.add_app_template_filter(in_words)


@pages.app_template_filter("level_in")
def level_in(name: str, levels: Mapping[str, str]) -> str:
    """Returns the level of a check."""
    return levels.get(name, str(CheckLevel.WARNING))


@pages.get("/documents/<id>/checks")
def show_checks(id: str) -> Response:
    """Shows the checks of a document; to a script only the list, to be shown beside the text."""
    checked = call(checks.check_document, id).body
    _, document, markdown = read_document(id)
    lines = [one["line"] for one in checked["checks"] if one["line"]]
    places = places_of(context().content.of(markdown), lines) if lines else {}
    template = "checks/checks_list.html" if is_from_script() else "checks/checks.html"
    return page(template, document=document, places=places, **checked)


def _changed_levels() -> dict[str, Any]:
    """Returns the levels of checks that were sent, if they differ from those that the form was shown with."""
    levels = _levels("check.") | _levels_of_groups()
    if levels == _levels("was.check."):
        return {}
    return {"checks": {name: level for name, level in levels.items() if level != CheckLevel.WARNING}}


def _levels_of_groups() -> dict[str, str]:
    """Returns the levels of the checks whose group was set at once."""
    form = request.form
    chosen = {group: form.get(f"group.{group}", "") for group in CHECKS}
    changed = [group for group, level in chosen.items() if level and level != form.get(f"was.group.{group}")]
    return {str(name): chosen[group] for group in changed for name in CHECKS[group]}


def _levels(prefix: str) -> dict[str, str]:
    return {name: request.form.get(prefix + name) or str(CheckLevel.WARNING) for name in map(str, CheckName)}


PAGES = Pages(
    "checks",
    blueprints=(pages,),
    tabs={"document": ("checks.show_checks", "Checks")},
    templates={
        "beside the document": "checks/beside_document.html",
        "beside the editor": "checks/beside_editor.html",
        "settings": "checks/settings.html",
    },
    values={"settings": lambda: {"checks": CHECKS, "levels": LEVELS}, "changed settings": _changed_levels},
    messages={ChecksFailed: "The project demands checks that fail: correct what the checks list, then submit again."},
)
