"""The sources of a document in the console: each beside the passages that cite it, to be compared."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request
from markupsafe import Markup
from werkzeug import Response as BaseResponse

from app.console.additions import Pages
from app.console.calls import call, may
from app.console.documents import read_document
from app.console.forms import form_of, leads_to, text
from app.console.frame import done, is_from_script, page
from app.console.sessions import context
from app.core.operation import Operation
from app.core.times import wire_time
from app.documents.record import StoredDocument
from app.sources import operations as sources
from app.sources.checks import Evidence
from app.sources.errors import SourceCited
from app.sources.passages import compared_sources, wrong_places
from app.sources.rules import StoredSource

pages = Blueprint("sources", __name__, template_folder="templates")

pages.add_app_template_filter(wire_time, "instant")

FIELDS = ("title", "url", "publisher", "publishedOn", "excerpt", "note")
CHANGES: Mapping[str, tuple[Operation[Any], str]] = {
    "change": (sources.update_source, "The source is changed."),
    "verify": (sources.verify_source, "You compared source {number}."),
    "take-back": (sources.verify_source, "Source {number} counts as not compared."),
    "delete": (sources.delete_source, "Source {number} is deleted."),
}
"""Actions on a source, by the last part of the address: the operation, and the message when it is done."""


@pages.get("/documents/<id>/sources")
def show_sources(id: str) -> Response:
    """Shows the sources that a text cites, in its order, each beside the passages that cite it; then the others."""
    stored, document, markdown = read_document(id)
    return page("sources/sources.html", document=document, **_shown(stored, markdown))


def _shown(stored: StoredDocument, markdown: str) -> dict[str, Any]:
    ctx = context()
    found = sources.sources_of(ctx, stored)
    evidence = Evidence({one["number"]: one for one in found}, partial(sources.citations_of, ctx, markdown))
    wrong = wrong_places(evidence)
    compared = compared_sources(evidence, wrong)
    cited = [one for one in compared if one.source]
    return {
        "cited": cited,
        "unknown": [one for one in compared if not one.source],
        "others": [one for one in found if one["number"] not in evidence.citations.lines],
        "left": sum(1 for one in cited if one.source and one.source["verifiedAt"] is None),
        "wrong": wrong,
        "may_write": may(sources.add_source),
        "may_verify": may(sources.verify_source) and not ctx.call.is_by_agent,
    }


@pages.post("/documents/<id>/sources")
@form_of(show_sources)
def add_source(id: str) -> BaseResponse:
    """Adds a source, or those of the brief; a script gets the number that it is cited by."""
    fields = {"fromBrief": True} if "fromBrief" in request.form else _fields()
    added: Any = call(sources.add_source, id, fields=fields, once=True).body
    if is_from_script():
        return jsonify(number=added["number"], title=added["title"], message=f"Source {added['number']} is added.")
    message = "The brief's sources are there." if isinstance(added, list) else f"Source {added['number']} is added."
    return done(message, request.path)


@pages.post("/documents/<id>/sources/<source>/<change>")
@leads_to("sources.show_sources", "id")
def change_source(id: str, source: str, change: str) -> str:
    """Changes a source, says that the user compared it, or deletes it."""
    operation, message = CHANGES.get(change) or abort(404)
    fields = _fields() if change == "change" else {"verified": change == "verify"} if change != "delete" else None
    changed = call(operation, id, source, fields=fields, match=request.form.get("rev")).body
    return message.format(number=changed["number"])


def _fields() -> dict[str, Any]:
    """Returns what was sent; what is empty clears a field."""
    return {name: text(name) or None for name in FIELDS if name in request.form and (text(name) or name != "title")}


def _of_document(stored: StoredDocument, markdown: str) -> Mapping[str, Any]:
    """Returns what pages show beside a text; nothing is read for one without sources and references."""
    return {"sources": _shown(stored, markdown) if stored.get("nextSource") else None}


def _of_editor(stored: StoredDocument, markdown: str) -> Mapping[str, Any]:
    """Returns the sources that the editor offers after `[^`."""
    found: Sequence[StoredSource] = sources.sources_of(context(), stored)
    return {"citable": [{"number": one["number"], "title": one["title"]} for one in found]}


@pages.app_template_filter("with_marks")
def with_marks(pieces: Sequence[tuple[str, str]]) -> Markup:
    """Returns pieces of text, those with a kind marked."""
    marked = (Markup('<mark data-is="{}">{}</mark>').format(kind, one) if kind else one for one, kind in pieces)
    return Markup("").join(marked)


PAGES = Pages(
    "sources",
    blueprints=(pages,),
    tabs={"document": ("sources.show_sources", "Sources")},
    templates={
        "head of the document": "sources/head.html",
        "beside the document": "sources/beside_document.html",
        "beside the editor": "sources/beside_editor.html",
        "before the approval": "sources/before_approval.html",
        "beside the approval": "sources/beside_approval.html",
        "record of a review": "sources/record.html",
    },
    values={"document": _of_document, "approval": _of_document, "text": _of_editor},
    messages={SourceCited: "The present or the published text cites it: take its references out first, and publish."},
)
