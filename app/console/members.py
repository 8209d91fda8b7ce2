"""The members of the project, and inviting them to the console."""

from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, may, require
from app.console.forms import changed_fields, form_of, leads_to, text
from app.console.frame import console, done, page, secret_page
from app.console.lookups import named
from app.console.sessions import context
from app.console.times import local_text
from app.console.words import PERMISSIONS
from app.core.errors import BadRequest
from app.core.times import DAY_SECONDS
from app.core.vocabulary import Role, Scope
from app.projects import invitations, members
from app.projects.rules import USUAL_SCOPES

FIELDS = ("name", "email", "role", "slug", "bio", "imageUrl")
ROLES: Mapping[str, str] = {
    Role.WRITER: "writes and submits for review; publishes nothing",
    Role.EDITOR: "writes, reviews, publishes and deletes",
    Role.OWNER: "does all of it, and has the settings, members and tokens",
}
"""Descriptions of what each role is meant to do."""
LIVES: Mapping[str, str] = {"1": "A day", "7": "A week", "30": "A month"}
"""How many days an invitation may work."""


@console.get("/administration/members")
def show_members() -> Response:
    """Lists the members, with a form for another."""
    require(members.create_member)
    joined, invited = invitations.joined_and_invited(context())
    access = dict.fromkeys(invited, "Invited") | dict.fromkeys(joined, "Joined")
    return page("members.html", members=list(named("members").values()), access=access, roles=ROLES)


@console.post("/administration/members")
@form_of(show_members)
def add_member() -> BaseResponse:
    """Adds a member."""
    fields = {name: sent for name in FIELDS if (sent := text(name)) or name == "name"}
    member = call(members.create_member, fields=fields, once=True).body
    return done(f"{member['name']} is added. Invite them here.", url_for("console.show_member", id=member["id"]))


@console.get("/administration/members/<id>")
def show_member(id: str) -> Response:
    """Shows a member, with the forms to change, invite and remove them."""
    require(members.update_member)
    member = call(members.get_member, id).body
    invited = call(invitations.list_invitations, id, fields={"limit": 500, "offset": 0}).body
    usual = USUAL_SCOPES[member["role"]]
    shown: dict[str, Any] = {"permissions": PERMISSIONS, "roles": ROLES, "lives": LIVES.items(), "usual": usual}
    return page("member.html", member=member, invited=invited, **shown)


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
    days = request.form.get("days", "")
    scopes = [str(scope) for scope in Scope if scope in request.form.getlist("scopes")]
    if days not in LIVES or not scopes:
        raise BadRequest("Say what they may do, and how long the link works.")
    fields = {"scopes": scopes, "expiresIn": int(days) * DAY_SECONDS}
    name = call(members.get_member, id).body["name"] if may(members.get_member) else "this person"
    made = call(invitations.invite_member, id, fields=fields, once=True).body
    until = local_text(made["expiresAt"])
    advice = f"Send this link to {name} and to nobody else. It works once, until {until}, and is not shown again."
    return secret_page(f"The invitation of {name}", advice, made.get("link"), url_for("console.show_member", id=id))


@console.post("/administration/members/<id>/invitations/<invitation_id>/withdraw")
@leads_to("show_member", "id")
def withdraw_invitation(id: str, invitation_id: str) -> str:
    """Withdraws an invitation."""
    call(invitations.withdraw_invitation, id, invitation_id)
    return "The invitation is withdrawn: its link signs nobody in."
