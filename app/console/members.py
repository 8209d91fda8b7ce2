"""The members of the project, and inviting them to the console."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.documents import changed_fields
from app.console.frame import call, console, done, page, problems_of, require, said_by, session
from app.console.lookups import named
from app.errors import BadRequest, NotFound, Refusal
from app.http.callers import callers
from app.operations import members
from app.operations.invitations import invite_member, join_link
from app.operations.tokens import USUAL_SCOPES
from app.vocabulary import Role, Scope

FIELDS = ("name", "email", "role")
ROLES = [(str(role), str(role).capitalize()) for role in Role]
LIVES: Mapping[str, str] = {"1": "A day", "7": "A week", "30": "A month"}
"""How many days an invitation may work."""


@console.get("/administration/members")
def show_members() -> Response:
    """Lists the members, with a form for another."""
    require(members.create_member)
    return _list({})


@console.post("/administration/members")
def add_member() -> BaseResponse:
    """Adds a member."""
    sent = {name: request.form.get(name, "").strip() for name in FIELDS}
    fields = {name: value for name, value in sent.items() if value or name == "name"}
    try:
        member = call(members.create_member, fields=fields, once=True).body
    except Refusal as refusal:
        return _list(request.form.to_dict(), refusal)
    return done(f"{member['name']} is added: invite them below.", url_for("console.show_member", id=member["id"]))


@console.get("/administration/members/<id>")
def show_member(id: str) -> Response:
    """Shows a member, with the forms to change, invite and remove them."""
    require(members.update_member)
    return _member(call(members.get_member, id).body)


@console.post("/administration/members/<id>")
def change_member(id: str) -> BaseResponse:
    """Changes those fields of a member that differ from what the form was shown with."""
    try:
        member = call(members.update_member, id, fields=changed_fields(FIELDS)).body
    except NotFound:
        raise
    except Refusal as refusal:
        return _member(call(members.get_member, id).body, refusal)
    return done(f"{member['name']} is saved.", url_for("console.show_members"))


@console.post("/administration/members/<id>/remove")
def remove_member(id: str) -> BaseResponse:
    """Removes a member."""
    try:
        member = call(members.delete_member, id).body
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_members"), ok=False)
    return done(f"{member['name']} is removed.", url_for("console.show_members"))


@console.post("/administration/members/<id>/invite")
def invite(id: str) -> BaseResponse:
    """Shows a link, once, that signs a member in with a token of their own."""
    life = request.form.get("days", "")
    scopes = [scope for scope in Scope if scope in request.form.getlist("scopes")]
    try:
        if life not in LIVES or not scopes:
            raise BadRequest("Say what they may do, and how long the link works.")
        secret = invite_member(session().ctx, id, scopes, timedelta(days=int(life)))
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_member", id=id), ok=False)
    link = join_link(callers().public_url or request.url_root, secret)
    text = "Send this link to them and to nobody else. It works once, and is not shown again."
    back = url_for("console.show_member", id=id)
    return page("secret.html", heading="The invitation", text=text, secret=link, back=back)


def _list(values: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    return page(
        "members.html",
        refusal.status if refusal else 200,
        members=list(named("members").values()),
        values=values,
        roles=ROLES,
        problems=problems_of(refusal) if refusal else {},
        said=refusal.message if refusal else "",
    )


def _member(member: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    own = session().ctx.caller.scopes
    return page(
        "member.html",
        refusal.status if refusal else 200,
        member=member,
        values=request.form.to_dict() if refusal else member,
        roles=ROLES,
        lives=LIVES.items(),
        own_scopes=[(str(scope), str(scope)) for scope in Scope if scope in own],
        usual=[str(scope) for scope in USUAL_SCOPES],
        problems=problems_of(refusal) if refusal else {},
        said=refusal.message if refusal else "",
    )
