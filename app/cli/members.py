"""`member`: adds, lists, changes, invites and removes the members of a project."""

from datetime import timedelta

import click

from app.cli.calling import (
    as_json,
    call,
    context,
    duration,
    every,
    of_project,
    print_json,
    show,
    show_all,
    warn_of_guess,
)
from app.cli.tokens import SCOPES, with_scopes
from app.core.context import Context
from app.core.schemas.validation import HEX_ID
from app.core.vocabulary import Role
from app.projects import members
from app.projects.invitations import invite_member
from app.projects.store import Members

ROLES = click.Choice([str(role) for role in Role])
COLUMNS = ("id", "name", "email", "role", "createdAt")


@click.group()
def command() -> None:
    """Add, list, change, invite and remove members."""


@command.command()
@of_project
@click.option("--name", required=True, help="The member's name.")
@click.option("--email", help="The member's e-mail address.")
@click.option(
    "--role",
    type=ROLES,
    default=str(Role.WRITER),
    help="Bounds what signing in by OpenID permits; a token's own scopes decide what it may do.",
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


@command.command("set")
@of_project
@click.argument("member", metavar="MEMBER")
@click.option("--name", help="A new name.")
@click.option("--email", help="A new e-mail address.")
@click.option("--role", type=ROLES, help="A new role; it bounds the next sign-in by OpenID.")
@as_json
def change(project_id: str, member: str, name: str | None, email: str | None, role: str | None, json: bool) -> None:
    """Change a member's name, e-mail address or role.

    MEMBER is their name, their e-mail address or their id. What they are signed in with stays as it is.
    """
    if name is email is role is None:
        raise click.UsageError("Name what to change: --name, --email or --role.")
    ctx = context(project_id)
    show(call(ctx, members.update_member, _id_of(ctx, member), name=name, email=email, role=role), json=json)


@command.command()
@of_project
@click.argument("member", metavar="MEMBER")
@as_json
def remove(project_id: str, member: str, json: bool) -> None:
    """Remove a member: within 5 seconds their tokens, sessions and connected assistants end.

    MEMBER is their name, their e-mail address or their id. What they wrote stays theirs.
    """
    ctx = context(project_id)
    show(call(ctx, members.delete_member, _id_of(ctx, member)), json=json)


@command.command()
@of_project
@click.argument("member", metavar="MEMBER")
@with_scopes("What they may do")
@click.option(
    "--expires-in",
    type=duration,
    metavar="DURATION",
    default="7d",
    help="How long the link works, like 12h or 7d; at most 30d.",
)
@as_json
def invite(project_id: str, member: str, scopes: list[str], expires_in: timedelta, json: bool) -> None:
    """Print a link that signs a member in to the console once, with a token of their own.

    MEMBER is their name, their e-mail address or their id. Without --scope the token has the scopes read, write and
    publish.
    """
    ctx = context(project_id)
    seconds = int(expires_in.total_seconds())
    invitation = call(ctx, invite_member, _id_of(ctx, member), scopes=scopes or None, expiresIn=seconds)
    print_json(invitation) if json else click.echo(invitation["link"])
    warn_of_guess(ctx)


def invite_owner(ctx: Context, name: str, life: timedelta) -> tuple[str, str]:
    """Returns the name of the project's owner, and a link that signs them in to the console once, with every scope.

    A project without an owner has a new one by that name afterwards.
    """
    owners = (member for member in every(ctx, members.list_members) if member["role"] == Role.OWNER)
    owner = next(owners, None) or call(ctx, members.create_member, name=name, role=Role.OWNER)
    seconds = int(life.total_seconds())
    invitation = call(ctx, invite_member, owner["id"], scopes=SCOPES, expiresIn=seconds)
    return owner["name"], invitation["link"]


def _id_of(ctx: Context, member: str) -> str:
    """Returns the id of the member with this id, name or e-mail address.

    Raises `ClickException` if several members have that name, or none.
    """
    with ctx.store.deadline():
        found = ctx.store[Members].find_named(ctx.project_id, [member]).get(member, set())
    if len(found) > 1:
        raise click.ClickException(f"Several members are called {member!r}: name one by id (`member list` shows it).")
    if not found and not HEX_ID.fullmatch(member):
        lists = f"`content-workflow member list --project {ctx.project_id}` lists them"
        raise click.ClickException(f"No member is called {member!r}: {lists}.")
    return next(iter(found), member)
