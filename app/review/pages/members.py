"""A review: threads beside a text, what was asked and answered since somebody looked, and links for visitors.

(decisions, section 17)
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

from flask import Blueprint, Response, abort, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call
from app.console.forms import form_of, leads_to, remarks, text
from app.console.frame import page, secret_page
from app.console.sessions import context
from app.core.events import StoredEvent
from app.core.operation import Operation
from app.core.times import wire_time
from app.documents import operations as documents
from app.documents.record import StoredDocument
from app.events.store import Events
from app.review import links as review_links
from app.review import operations as threads
from app.review.anchors import first_places
from app.review.responses import Thread
from app.review.vocabulary import ThreadState

pages = Blueprint("review", __name__, template_folder="templates")

MOST_MOVES = 200
"""How many of a document's latest moves are looked at."""
DECISIONS: Mapping[str, str] = {
    "document.changes_requested": "Changes requested",
    "document.approved": "Approved",
    "document.published": "Published",
}
MARKS: Mapping[str, str] = {"document.submitted": "Submitted", **DECISIONS}
"""Labels of versions, by the type of the event."""
CHANGES: Mapping[str, tuple[Operation[Any], str]] = {
    "reply": (threads.reply_to_thread, "Your answer is there."),
    "resolve": (threads.resolve_thread, "It is resolved."),
    "reopen": (threads.reopen_thread, "It is open again."),
    "accept": (threads.accept_suggestion, "It is accepted: the text has the new words."),
    "reject": (threads.reject_suggestion, "It is rejected: the text stays as it is."),
}
"""Actions on a thread, by the last part of the address: the operation, and the message when it is done."""
OPENED = "Your remark is there."


def reply_fields(change: str) -> dict[str, str]:
    """Returns what was typed into the form of a thread; a change without words has none."""
    words = text("text")
    return {"text": words} if words or change == "reply" else {}


@pages.post("/documents/<id>/threads")
@leads_to("show_document", "id")
def open_thread(id: str) -> str:
    """Opens threads."""
    for remark in remarks():
        call(threads.open_thread, id, fields=remark, once=True)
    return OPENED


@pages.post("/documents/<id>/threads/<thread>/<change>")
@leads_to("show_document", "id")
def change_thread(id: str, thread: str, change: str) -> str:
    """Answers a thread or settles it."""
    operation, message = CHANGES.get(change) or abort(404)
    call(operation, id, thread, fields=reply_fields(change), once=True)
    return message


@pages.get("/documents/<id>/links")
def show_links(id: str) -> Response:
    """Lists the review links of a document, with a form for another."""
    links = call(review_links.list_review_links, id).body
    return page("review/links.html", document=call(documents.get_document, id).body, links=links)


@pages.post("/documents/<id>/links")
@form_of(show_links)
def make_link(id: str) -> BaseResponse:
    """Makes a review link and shows it, once."""
    fields = {"name": text("name"), "days": request.form.get("days", type=int)}
    made = call(review_links.create_review_link, id, fields=fields, once=True).body
    link = urljoin(request.url_root, made["link"]) if "link" in made else None
    advice = f"Send it to {made['name']} now: it is not shown again. Who has it can read this text and remark on it."
    return secret_page("The review link", advice, link, url_for("console.review.show_links", id=id))


@pages.post("/documents/<id>/links/<link>/delete")
@leads_to("review.show_links", "id")
def delete_link(id: str, link: str) -> str:
    """Ends a review link."""
    return f"The link of {call(review_links.delete_review_link, id, link).body['name']} is ended."


def remarks_of(document: StoredDocument, markdown: str) -> dict[str, Any]:
    """Returns the threads of a document, and which of their suggestions its text has."""
    found = threads.threads_to_show(context(), document, markdown)
    return {"threads": found, "carried_out": carried_out(found, markdown)}


def carried_out(found: Sequence[Thread], markdown: str) -> set[str]:
    """Returns the ids of the threads whose suggested words a text has at their place, with both sides of the quote."""
    ids = set()
    for one in found:
        quote = one["quote"]
        if quote and one["suggestion"] is not None and one["state"] != ThreadState.RESOLVED:
            words = quote["prefix"] + one["suggestion"] + quote["suffix"]
            if words and len(first_places(markdown, words)) == 1:
                ids.add(one["id"])
    return ids


def moves_so_far(id: str) -> list[StoredEvent]:
    """Returns what happened to a document, newest first: submitted, sent back, approved, published."""
    ctx = context()
    return ctx.store[Events].of_document(ctx.project_id, id, limit=MOST_MOVES, types=[*MARKS])


def last_decision(moves: Sequence[StoredEvent]) -> StoredEvent | None:
    """Returns the last decision of the signed-in user; where they made none, anybody's."""
    decisions = [move for move in moves if move["type"] in DECISIONS]
    mine = [move for move in decisions if move["by"]["id"] == context().caller.token_id]
    return next(iter(mine or decisions), None)


def review_of(document: StoredDocument, markdown: str) -> dict[str, Any]:
    """Returns the summary of a document's review: what was asked, who answered, since when the text changed."""
    moves, remarked = moves_so_far(document["id"]), remarks_of(document, markdown)
    asked = next((move for move in moves if move["type"] == "document.changes_requested"), None)
    decision = last_decision(moves)
    is_newer = decision is not None and decision["data"]["version"] < document["version"]
    answers = (comment["by"] for thread in remarked["threads"] for comment in thread["comments"][1:])
    return {
        **remarked,
        "asked": asked,
        "asked_at": asked and wire_time(asked["at"]),
        "decision": decision if is_newer else None,
        "decided_at": decision and wire_time(decision["at"]),
        "answered_by": Counter(by["agent"] or by["name"] for by in answers),
        "is_mine": (is_mine := decision is not None and decision["by"]["id"] == context().caller.token_id),
        "seen_at": wire_time(decision["at"]) if decision and is_mine else "",
    }


def history_of(id: str) -> dict[str, Any]:
    """Returns the labels of a document's versions, and the last decision with the version that it was about."""
    moves = moves_so_far(id)
    marks = {(move["data"]["version"], MARKS[move["type"]]): wire_time(move["at"]) for move in reversed(moves)}
    decision = last_decision(moves)
    decided = {"decided": decision["data"]["version"]} if decision else {}
    return {"marks": marks, "decision": decision, **decided}
