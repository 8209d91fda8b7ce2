"""`member`: adds, lists and invites the members of a project."""

from datetime import timedelta

import click

from app.cli.calling import Duration, as_json, call, context, every, of_project, print_json, show, show_all
from app.cli.tokens import SCOPES
from app.operations import members
from app.operations.invitations import invite_member, join_link
from app.operations.tokens import USUAL_SCOPES
from app.rules.times import wire_time
from app.settings import Settings
from app.vocabulary import Role, Scope

COLUMNS = ("id", "name", "email", "role", "createdAt")


@click.group()
def command() -> None:
    """Add, list and invite members."""


@command.command()
@of_project
@click.option("--name", required=True, help="The member's name.")
@click.option("--email", help="The member's e-mail address.")
@click.option(
    "--role",
    type=click.Choice([str(role) for role in Role]),
    default=str(Role.WRITER),
    help="Descriptive: a token's scopes decide what it may do.",
)
@as_json
def add(project_id: str, name: str, email: str | None, role: str, json: bool) -> None:
    """Add a member, to whom documents can be assigned."""
    show(call(context(project_id), members.create_member, name=name, email=email, role=role), json=json)


@command.command("list")
@of_project
@as_json
def list_them(project_id: str, json: bool) -> None:
    """List a project's members by name."""
    show_all(list(every(context(project_id), members.list_members)), COLUMNS, json=json)


@command.command()
@of_project
@click.argument("member_id", metavar="ID")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="What they may do; may be repeated.")
@click.option(
    "--expires-in", type=Duration(), metavar="DURATION", default="7d", help="How long the link works, like 12h or 7d."
)
@as_json
def invite(project_id: str, member_id: str, scopes: tuple[str, ...], expires_in: timedelta, json: bool) -> None:
    """Print a link that signs a member in to the console once, with a token of their own.

    Without --scope the token has the scopes read, write and publish.
    """
    ctx = context(project_id)
    secret = invite_member(ctx, member_id, [Scope(scope) for scope in scopes] or USUAL_SCOPES, expires_in)
    link = join_link(Settings.from_environment().public_url or "http://localhost:8000", secret)
    expires = wire_time(ctx.now + expires_in)
    print_json({"link": link, "expiresAt": expires}) if json else click.echo(link)
