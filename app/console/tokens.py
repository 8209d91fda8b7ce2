"""The project's tokens: made, given a budget, rotated, revoked, and their work undone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import SHOWN_BEFORE, call, console, done, may, page, problems_of, said_by, session
from app.errors import NotFound, Refusal
from app.operations import documents, reverts, tokens
from app.vocabulary import Scope, TokenKind

ON_A_PAGE = 100
BUDGET = ("writesPerHour", "publishesPerDay")
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
    """Lists the tokens, with a form for another."""
    return _list({})


@console.post("/administration/tokens")
def make_token() -> BaseResponse:
    """Makes a token and shows its secret, once."""
    form = request.form
    fields: dict[str, Any] = {name: form[name].strip() for name in ("name", "kind", "agent") if form.get(name)}
    if form.get("expiresAt"):
        fields["expiresAt"] = _instant(form["expiresAt"])
    if form.get("kind") == TokenKind.DELIVERY:
        fields["drafts"] = "drafts" in form
    else:
        fields["scopes"] = form.getlist("scopes")
    if budget := _budget():
        fields["budget"] = budget
    try:
        made = call(tokens.create_token, fields=fields, once=True).body
    except Refusal as refusal:
        return _list(form.to_dict(), refusal)
    return _secret(made, "The new token")


@console.get("/administration/tokens/<id>")
def show_token(id: str) -> Response:
    """Shows a token, with what can be done with it."""
    return _token(tokens.read_token(session().ctx, id))


@console.post("/administration/tokens/<id>")
def change_token(id: str) -> BaseResponse:
    """Changes a token's name and budget."""
    fields: dict[str, Any] = {"name": request.form.get("name", "").strip()}
    if "writesPerHour" in request.form:
        fields["budget"] = _budget()
    try:
        call(tokens.update_token, id, fields=fields)
    except NotFound:
        raise
    except Refusal as refusal:
        return _token(tokens.read_token(session().ctx, id), refusal)
    return done("The token is saved.", url_for("console.show_token", id=id))


@console.post("/administration/tokens/<id>/rotate")
def rotate_token(id: str) -> BaseResponse:
    """Gives a token a new secret and shows it, once."""
    try:
        return _secret(call(tokens.rotate_token, id, once=True).body, "The new secret")
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_token", id=id), ok=False)


@console.post("/administration/tokens/<id>/revoke")
def revoke_token(id: str) -> BaseResponse:
    """Revokes a token."""
    try:
        revoked = call(tokens.revoke_token, id).body
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_tokens"), ok=False)
    return done(f"{revoked['name']} is revoked.", url_for("console.show_tokens"))


@console.post("/administration/tokens/<id>/revert")
def revert_token(id: str) -> BaseResponse:
    """Shows the dry run of reverting a token's work; once that is confirmed, reverts it."""
    since, confirmed = _instant(request.form.get("since", "")), "confirmed" in request.form
    try:
        outcome = call(reverts.revert_token, id, fields={"since": since}, dry_run=not confirmed).body
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.show_token", id=id), ok=False)
    ids = [one["id"] for one in (*outcome["reverted"], *outcome["skipped"])]
    titles = _titles(ids)
    return page("revert.html", id=id, since=since, confirmed=confirmed, titles=titles, reasons=REASONS, outcome=outcome)


@console.app_template_filter("in_budget")
def in_budget(problems: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Returns problems with those of a budget under the names of its fields."""
    return {name.removeprefix("budget."): messages for name, messages in problems.items()}


def _list(values: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    offset = max(0, request.args.get("offset", 0, type=int))
    found = call(tokens.list_tokens, fields={"limit": ON_A_PAGE, "offset": offset}).body
    own = session().ctx.caller.scopes
    return page(
        "tokens.html",
        refusal.status if refusal else 200,
        tokens=found,
        offset=offset,
        shown=ON_A_PAGE,
        values=values,
        chosen=request.form.getlist("scopes") if refusal else [str(Scope.READ), str(Scope.WRITE)],
        own_scopes=[(str(scope), str(scope)) for scope in Scope if scope in own],
        problems=problems_of(refusal) if refusal else {},
        said=refusal.message if refusal else "",
    )


def _token(token: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    shown = {"name": token["name"], **(token["budget"] or {})}
    return page(
        "token.html",
        refusal.status if refusal else 200,
        token=token,
        values=request.form.to_dict() if refusal else shown,
        problems=problems_of(refusal) if refusal else {},
        said=refusal.message if refusal else "",
    )


def _secret(made: Mapping[str, Any], heading: str) -> BaseResponse:
    if "token" not in made:
        return done(SHOWN_BEFORE, url_for("console.show_token", id=made["id"]), ok=False)
    text = f"Store it now, where {made['name']} finds it: it is not shown again."
    back = url_for("console.show_token", id=made["id"])
    return page("secret.html", heading=heading, text=text, secret=made["token"], back=back)


def _titles(ids: list[str]) -> dict[str, str]:
    """Returns the titles of documents by id, if the scopes allow reading them."""
    if not may(documents.list_documents):
        return {}
    ctx = session().ctx
    with ctx.store.deadline():
        return {row["id"]: row["title"] for row in ctx.store.documents.get_links(ctx.project_id, ids)}


def _budget() -> dict[str, Any] | None:
    """Returns the form's budget, None for no limit; what is not a number is left for the operation to refuse."""
    sent = {name: text for name in BUDGET if (text := request.form.get(name, "").strip())}
    return {name: int(text) if re.fullmatch("-?[0-9]{1,18}", text) else text for name, text in sent.items()} or None


def _instant(text: str) -> str:
    return f"{text}:00Z" if LOCAL.fullmatch(text) else text
