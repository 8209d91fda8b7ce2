"""The pages of reviews, and threads on other pages (decisions, section 17)."""

from collections.abc import Mapping
from typing import Any

from flask import request

from app.console.additions import Pages
from app.console.forms import remarks
from app.console.sessions import context
from app.documents.record import StoredDocument
from app.projects.store import Projects
from app.review.errors import QuoteGone, ThreadNotYours, ThreadResolved, ThreadsOpen
from app.review.feature import UNRESOLVED
from app.review.pages import members, visitors
from app.review.responses import WithRounds


def _of_document(document: StoredDocument, markdown: str) -> dict[str, Any]:
    ctx = context()
    most = ctx.store[Projects].recent_settings(ctx.project_id).get("maxRounds")
    return {"review": members.review_of(document, markdown), "max_rounds": most}


def _of_text(document: StoredDocument, markdown: str) -> dict[str, Any]:
    return {"review": members.remarks_of(document, markdown)}


def _request() -> dict[str, Any]:
    return {"offer": "offer" in request.form, "threads": remarks()}


def _requested(message: str, fields: Mapping[str, Any], moved: Mapping[str, Any]) -> dict[str, str]:
    """Returns the message after a request for changes, with its remarks, its round, and who revises the text."""
    count, brief = len(fields["threads"]), moved["brief"]
    rounds: WithRounds = brief
    sent = ["your note"] if fields["note"].strip() else []
    sent += [f"{count} remark{'s' if count > 1 else ''}"] if count else []
    told = f", with {' and '.join(sent)}" if sent else ""
    offered = ", and its brief is offered" if fields["offer"] else ""
    return {"message": f"{message.rstrip('.')}{told}{offered}. That was round {rounds['rounds']}."}


def _open(refusal: ThreadsOpen) -> str:
    remarks, one = len(refusal.extra["threads"]), len(refusal.extra["threads"]) == 1
    if refusal.message != UNRESOLVED:
        count = f"{remarks} Must {'remark is' if one else 'remarks are'}"
        return f"{count} open: answer or resolve {'it' if one else 'them'} first."
    return f"{remarks} Must {'remark has' if one else 'remarks have'} to be resolved first."


def _not_yours(refusal: ThreadNotYours) -> str:
    return f"{refusal.extra['openedBy']['name']} made this remark and has to resolve it: reply instead."


PAGES = Pages(
    "review",
    blueprints=(members.pages,),
    open_blueprints=(visitors.pages,),
    templates={
        "head of the document": "review/head.html",
        "keys of the document": "review/keys.html",
        "above the text": "review/asked.html",
        "after the text": "review/after_text.html",
        "beside the document": "review/beside_document.html",
        "end of the document": "review/marking.html",
        "first beside the editor": "review/beside_editor.html",
        "meanwhile": "review/remarks.html",
        "note": "review/note.html",
    },
    values={
        "document": _of_document,
        "text": _of_text,
        "revisions": members.history_of,
        "fields of request_changes": _request,
        "message of request_changes": _requested,
    },
    messages={
        QuoteGone: "The words are not at one certain place of the text: edit the text, then reply.",
        ThreadResolved: "The remark is resolved: open it again first.",
        ThreadsOpen: _open,
        ThreadNotYours: _not_yours,
    },
)
