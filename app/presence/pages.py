"""The line of *Write* that says who else has the text open.

What pages say here is no operation: it changes nothing of the project, and neither a freeze nor a budget stops it.
"""

import re

from flask import Blueprint, Response, request

from app.console.additions import Pages
from app.console.calls import require
from app.console.sessions import context
from app.core.errors import BadRequest
from app.documents import content
from app.documents.operations import own_document
from app.presence.rules import HIDDEN, SEEN, OpenText, sentence
from app.presence.store import OpenTexts

NAME = re.compile("[a-z0-9]{8,40}")

pages = Blueprint("presence", __name__, template_folder="templates")


@pages.post("/documents/<id>/open")
def note_open(id: str) -> Response:
    """Notes that a page has the text open, or was left; returns the sentence on who else has it open."""
    require(content.write_content)
    ctx, name = context(), request.form.get("page", "")
    token_id, member_id = ctx.token_id, ctx.caller.member_id
    if not NAME.fullmatch(name):
        raise BadRequest("A page that has a text open names itself by 8 to 40 letters and digits.")
    open_texts = ctx.store[OpenTexts]
    if "left" in request.form:
        open_texts.leave(ctx.project_id, id, token_id, name)
        return Response(status=204)
    own_document(ctx, id)
    until = ctx.now + (HIDDEN if "hidden" in request.form else SEEN)
    own = OpenText(page=name, tokenId=token_id, memberId=member_id, name=ctx.caller.name, until=until)
    open_texts.note(ctx.project_id, id, own)
    others = open_texts.others(ctx.project_id, id, name, ctx.now)
    return Response(sentence(others, token_id, member_id), content_type="text/plain; charset=utf-8")


PAGES = Pages("presence", blueprints=(pages,), templates={"who writes": "presence/line.html"})
