"""`project`: creates and lists projects, and sets their settings (decisions, sections 10 and 23)."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
import orjson
from marshmallow import fields

from app.cli.calling import as_json, context, of_project, show, show_all, store, warn_of_guess
from app.cli.db import create_in_new
from app.cli.members import invite_owner
from app.core.schemas.loading import cached_schema, load
from app.features import ALL
from app.projects.invitations import DEFAULT_LIFE
from app.projects.operations import all_projects, create_project, update_project
from app.projects.schemas import ProjectChanges, ProjectFields

SETTINGS = ALL.schema_of(ProjectChanges)


@click.group()
def command() -> None:
    """Create, list, set and freeze projects."""


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
    show_all(projects, ("id", "teamId", "name", "createdAt", "frozen"), json=json)


@command.command("set")
@of_project
@click.argument("settings", metavar="NAME=VALUE...", nargs=-1, required=True)
@as_json
def set_settings(project_id: str, settings: Sequence[str], json: bool) -> None:
    """Set settings of a project, all or none, as PATCH /project takes them.

    Values are texts, or JSON where a setting is no text: true, 3, {"links": "error"}. An empty text, and
    null, clears one.
    """
    changes = _changes(settings)
    project: Any = update_project(context(project_id), fields=load(SETTINGS, changes)).body
    show({"id": project["id"]} | {name: project[name] for name in changes}, json=json)


def _changes(settings: Sequence[str]) -> dict[str, Any]:
    """Returns the body that arguments of `project set` stand for. Raises `UsageError` with all that is wrong."""
    known = cached_schema(SETTINGS).fields
    given = [one.partition("=") for one in settings]
    unknown = [name for name, *_ in given if name not in known]
    wrong = [f"No settings: {', '.join(unknown)}. There are {', '.join(known)}."] if unknown else []
    changes = dict[str, Any]()
    for name, equals, value in given:
        if name in unknown:
            continue
        if not equals or name in changes:
            wrong.append(f"{name} is given twice." if equals else f"{name} has no value: write NAME=VALUE.")
        try:
            changes[name] = value if isinstance(known[name], fields.String) or not equals else orjson.loads(value)
        except orjson.JSONDecodeError:
            wrong.append(f"{name} must be JSON, like true, 3 or null.")
    if wrong:
        raise click.UsageError("\n".join(wrong))
    return changes
