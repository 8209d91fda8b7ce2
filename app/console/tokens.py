"""The project's tokens: made, given a budget, rotated, revoked, and their work undone."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, listing, may
from app.console.forms import form_of, leads_to, text
from app.console.frame import console, done, page, secret_page
from app.console.lookups import values_of
from app.console.sessions import context
from app.core.times import wire_time
from app.core.vocabulary import TokenKind
from app.documents import operations as documents
from app.guards import reverts
from app.guards.vocabulary import BudgetLimit
from app.projects import tokens
from app.projects.token_responses import NewToken, Token

ON_A_PAGE = 100
LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")
"""A time as a form without a script sends it, which says nothing of its zone: it is UTC."""
REASONS: Mapping[str, str] = {
    "changed_since": "somebody else changed it afterwards",
    "created_since": "the token made it: there is nothing before",
    "frozen_status": "it is approved or scheduled",
    "slug_taken": "another document has its earlier slug",
    "published_since": "what is live is the token's version, and stays until somebody publishes",
}


@console.get("/administration/tokens")
def show_tokens() -> Response:
    """Lists the clients that are connected, and the other tokens, with a form for another."""
    listed, now = listing(tokens.list_tokens, limit=ON_A_PAGE), wire_time(context().now)
    connections = [one for one in listed.rows if one.get("client") and not one["revokedAt"] and _lasts(one, now)]
    return page("tokens.html", tokens=listed, connections=connections)


@console.post("/administration/tokens")
@form_of(show_tokens)
def make_token() -> BaseResponse:
    """Makes a token and shows its secret, once."""
    form = request.form
    fields: dict[str, Any] = {name: text(name) for name in ("name", "kind", "agent") if form.get(name)}
    if form.get("expiresAt"):
        fields["expiresAt"] = _instant(form["expiresAt"])
    if form.get("kind") == TokenKind.DELIVERY:
        fields["drafts"] = "drafts" in form
    else:
        fields["scopes"] = form.getlist("scopes")
    if budget := _budget():
        fields["budget"] = budget
    return _secret(call(tokens.create_token, fields=fields, once=True).body, "The new token")


@console.get("/administration/tokens/<id>")
def show_token(id: str) -> Response:
    """Shows a token, with what can be done with it."""
    return page("token.html", token=tokens.read_token(context(), id))


@console.post("/administration/tokens/<id>")
@form_of(show_token)
def change_token(id: str) -> BaseResponse:
    """Changes a token's name and budget."""
    fields: dict[str, Any] = {"name": text("name")}
    if BudgetLimit.WRITES in request.form:
        fields["budget"] = _budget()
    call(tokens.update_token, id, fields=fields)
    return done("The token is saved.", url_for("console.show_token", id=id))


@console.post("/administration/tokens/<id>/rotate")
@leads_to("show_token", "id")
def rotate_token(id: str) -> BaseResponse:
    """Gives a token a new secret and shows it, once."""
    return _secret(call(tokens.rotate_token, id, once=True).body, "The new secret")


@console.post("/administration/tokens/<id>/revoke")
@leads_to("show_tokens")
def revoke_token(id: str) -> str:
    """Revokes a token."""
    return f"{call(tokens.revoke_token, id).body['name']} is revoked."


@console.post("/administration/tokens/<id>/revert")
@leads_to("show_token", "id")
def revert_token(id: str) -> BaseResponse:
    """Shows the dry run of reverting a token's work; once that is confirmed, reverts it."""
    since, confirmed = _instant(request.form.get("since", "")), "confirmed" in request.form
    outcome = call(reverts.revert_token, id, fields={"since": since}, dry_run=not confirmed).body
    changed = [one["id"] for one in (*outcome["reverted"], *outcome["skipped"])]
    titles = values_of("title", changed) if may(documents.list_documents) else {}
    return page("revert.html", id=id, since=since, confirmed=confirmed, titles=titles, reasons=REASONS, outcome=outcome)


def _lasts(token: Token, now: str) -> bool:
    return token["expiresAt"] is None or token["expiresAt"] > now


def _secret(made: NewToken, heading: str) -> BaseResponse:
    advice = f"Store it now, where {made['name']} finds it: it is not shown again."
    return secret_page(heading, advice, made.get("token"), url_for("console.show_token", id=made["id"]))


def _budget() -> dict[str, Any] | None:
    """Returns the form's budget, None for no limit; what is not a number is left for the operation to refuse."""
    sent = {name: typed for name in map(str, BudgetLimit) if (typed := text(name))}
    return {name: int(typed) if re.fullmatch("-?[0-9]{1,18}", typed) else typed for name, typed in sent.items()} or None


def _instant(typed: str) -> str:
    return f"{typed}:00Z" if LOCAL.fullmatch(typed) else typed
