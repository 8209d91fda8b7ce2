"""`token`: creates, lists, rotates and revokes the tokens of a project (decisions, section 2)."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import click

from app.cli.calling import as_json, call, context, duration, every, of_project, show, show_all, store
from app.core.context import Context
from app.core.times import wire_time
from app.core.vocabulary import Scope, TokenKind
from app.features import ALL
from app.projects import tokens
from app.projects.token_responses import NewToken
from app.projects.tokens import project_of_token

OF_FEATURES: list[Any] = [import_module(one.options_of_tokens) for one in ALL.features if one.options_of_tokens]
"""The modules of features that add options to `token create`."""
of_its_project = click.option("--project", "project_id", metavar="ID", help="The token's project; not needed.")
SCOPES = [str(scope) for scope in Scope]
COLUMNS = (
    "id",
    "kind",
    "name",
    "agent",
    "scopes",
    "drafts",
    "budget",
    "createdAt",
    "expiresAt",
    "lastUsedAt",
    "revokedAt",
)


def with_scopes(meaning: str) -> Callable[[Any], Any]:
    """Adds the option `--scope`."""
    choice = click.Choice(SCOPES)
    return click.option(
        "--scope",
        "scopes",
        multiple=True,
        metavar=f"[{'|'.join(SCOPES)}]",
        callback=lambda ctx, option, sent: [
            choice.convert(one, option, ctx) for given in sent for one in given.split(",")
        ],
        help=f"{meaning}; may be repeated, or has commas.",
    )


@click.group()
def command() -> None:
    """Create, list, rotate and revoke tokens."""


@command.command()
@of_project
@click.option("--name", required=True, help="A name for the token, shown with what it writes.")
@click.option("--agent", help="The agent that uses it; its scopes are then read and write by default.")
@with_scopes("What it allows")
@click.option("--delivery", is_flag=True, help="A token of the delivery API, for a website.")
@click.option("--drafts", is_flag=True, help="Let a delivery token read drafts.")
@click.option("--expires-in", type=duration, metavar="DURATION", help="How long it is valid, like 12h or 90d.")
@as_json
def create(
    project_id: str,
    name: str,
    agent: str | None,
    scopes: list[str],
    delivery: bool,
    drafts: bool,
    expires_in: timedelta | None,
    json: bool,
    **added: Any,
) -> None:
    """Create a token; its secret is shown this once.

    Without --scope it has the scopes read, write and publish.
    """
    ctx = context(project_id)
    token = call(
        ctx,
        tokens.create_token,
        name=name,
        agent=agent,
        kind=TokenKind.DELIVERY if delivery else None,
        scopes=scopes or None,
        drafts=drafts or None,
        expiresAt=wire_time(ctx.now + expires_in) if expires_in is not None else None,
        **{name: value for module in OF_FEATURES for name, value in module.fields_of(added).items()},
    )
    _show_secret(token, json=json)


create.params[-2:-2] = [option for module in OF_FEATURES for option in module.OPTIONS]  # before the two last


def _show_secret(token: NewToken, *, json: bool) -> None:
    show(token, json=json)
    if not json:
        click.echo("Store the token now: it is not shown again.", err=True)


@command.command("list")
@of_project
@as_json
def list_them(project_id: str, json: bool) -> None:
    """List a project's tokens, never their secrets."""
    show_all(list(every(context(project_id), tokens.list_tokens)), COLUMNS, json=json)


@command.command()
@click.argument("token_id", metavar="ID")
@of_its_project
@as_json
def rotate(token_id: str, project_id: str | None, json: bool) -> None:
    """Give a token a new secret, shown this once: within 5 seconds every server refuses the old one."""
    ctx = _context_of(token_id, project_id)
    _show_secret(call(ctx, tokens.rotate_token, token_id), json=json)


@command.command()
@click.argument("token_id", metavar="ID")
@of_its_project
@as_json
def revoke(token_id: str, project_id: str | None, json: bool) -> None:
    """Revoke a token: within 5 seconds every server refuses it."""
    ctx = _context_of(token_id, project_id)
    show(call(ctx, tokens.revoke_token, token_id), json=json)


def _context_of(token_id: str, project_id: str | None) -> Context:
    """Returns the context for calls about a token: its project's, or that of the project named, which may lack it."""
    if project_id is not None:
        return context(project_id)
    opened = store()
    with opened.deadline():
        project_id = project_of_token(opened, token_id)
    return context(project_id)
