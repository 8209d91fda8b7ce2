"""The members of the project, and inviting them to the console."""

from collections.abc import Mapping
from datetime import timedelta

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, require
from app.console.forms import changed_fields, form_of, leads_to, text
from app.console.frame import console, done, page, secret_page
from app.console.lookups import named
from app.console.sessions import context
from app.errors import BadRequest
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
    return page("members.html", members=list(named("members").values()), roles=ROLES)


@console.post("/administration/members")
@form_of(show_members)
def add_member() -> BaseResponse:
    """Adds a member."""
    fields = {name: sent for name in FIELDS if (sent := text(name)) or name == "name"}
    member = call(members.create_member, fields=fields, once=True).body
    return done(f"{member['name']} is added: invite them below.", url_for("console.show_member", id=member["id"]))


@console.get("/administration/members/<id>")
def show_member(id: str) -> Response:
    """Shows a member, with the forms to change, invite and remove them."""
    require(members.update_member)
    member = call(members.get_member, id).body
    return page("member.html", member=member, roles=ROLES, lives=LIVES.items(), usual=USUAL_SCOPES)


@console.post("/administration/members/<id>")
@form_of(show_member)
def change_member(id: str) -> BaseResponse:
    """Changes those fields of a member that differ from what the form was shown with."""
    member = call(members.update_member, id, fields=changed_fields(FIELDS)).body
    return done(f"{member['name']} is saved.", url_for("console.show_members"))


@console.post("/administration/members/<id>/remove")
@leads_to("show_members")
def remove_member(id: str) -> str:
    """Removes a member."""
    return f"{call(members.delete_member, id).body['name']} is removed."


@console.post("/administration/members/<id>/invite")
@leads_to("show_member", "id")
def invite(id: str) -> BaseResponse:
    """Shows a link, once, that signs a member in with a token of their own."""
    life = request.form.get("days", "")
    scopes = [scope for scope in Scope if scope in request.form.getlist("scopes")]
    if life not in LIVES or not scopes:
        raise BadRequest("Say what they may do, and how long the link works.")
    secret = invite_member(context(), id, scopes, timedelta(days=int(life)))
    link = join_link(callers().public_url or request.url_root, secret)
    advice = "Send this link to them and to nobody else. It works once, and is not shown again."
    return secret_page("The invitation", advice, link, url_for("console.show_member", id=id))
