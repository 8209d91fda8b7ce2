"""The project's tokens: made, changed, rotated and revoked."""

from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import added
from app.console.calls import call, listing
from app.console.forms import form_of, instant, leads_to, text
from app.console.frame import console, done, page, secret_page
from app.console.sessions import context
from app.core.times import wire_time
from app.core.vocabulary import TokenKind
from app.projects import tokens
from app.projects.token_responses import NewToken, Token

ON_A_PAGE = 100


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
        fields["expiresAt"] = instant(form["expiresAt"])
    if form.get("kind") == TokenKind.DELIVERY:
        fields["drafts"] = "drafts" in form
    else:
        fields["scopes"] = form.getlist("scopes")
    fields |= {name: value for name, value in added("fields of a token").items() if value is not None}
    return _secret(call(tokens.create_token, fields=fields, once=True).body, "The new token")


@console.get("/administration/tokens/<id>")
def show_token(id: str) -> Response:
    """Shows a token, with what can be done with it."""
    return page("token.html", token=tokens.read_token(context(), id))


@console.post("/administration/tokens/<id>")
@form_of(show_token)
def change_token(id: str) -> BaseResponse:
    """Changes a token's name, and what features add to it."""
    call(tokens.update_token, id, fields={"name": text("name"), **added("fields of a token")})
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


def _lasts(token: Token, now: str) -> bool:
    return token["expiresAt"] is None or token["expiresAt"] > now


def _secret(made: NewToken, heading: str) -> BaseResponse:
    advice = f"Store it now, where {made['name']} finds it: it is not shown again."
    return secret_page(heading, advice, made.get("token"), url_for("console.show_token", id=made["id"]))
