"""`project`: creates and lists projects; each has its own members, categories, documents and tokens."""

from importlib import import_module

import click

from app.cli.calling import as_json, context, show, show_all, store, warn_of_guess
from app.cli.db import create_in_new
from app.cli.members import invite_owner
from app.core.schemas.loading import load
from app.features import ALL
from app.projects.invitations import DEFAULT_LIFE
from app.projects.operations import all_projects, create_project
from app.projects.schemas import ProjectFields


@click.group()
def command() -> None:
    """Create, list and freeze projects."""


for one in ALL.features:
    for added in import_module(one.commands_of_projects).COMMANDS if one.commands_of_projects else ():
        command.add_command(added)


@command.command()
@click.option("--name", required=True, help="The project's name.")
@click.option("--team", metavar="ID", help="The team that it belongs to; a new one by default.")
@click.option("--link", is_flag=True, help="Print a link that signs the owner in to the console once; for 7 days.")
@click.option("--owner", default="Owner", help="The owner's name, with --link.")
@as_json
def create(name: str, team: str | None, link: bool, owner: str, json: bool) -> None:
    """Create a project; the first one of a database with its indexes and validators, as `db init` does."""
    given = load(ProjectFields, {"name": name} | ({"teamId": team} if team else {}))
    opened = store()
    create_in_new(opened)
    with opened.deadline():
        project = create_project(opened, given)
    shown = {key: project[key] for key in ("id", "teamId", "name")}
    if link:
        ctx = context(project["id"])
        _, shown["link"] = invite_owner(ctx, owner, DEFAULT_LIFE)
        warn_of_guess(ctx)
    show(shown, json=json)


@command.command("list")
@as_json
def list_them(json: bool) -> None:
    """List all projects, the oldest first."""
    opened = store()
    with opened.deadline():
        projects = all_projects(opened)
    show_all(projects, ("id", "teamId", "name", "createdAt"), json=json)
