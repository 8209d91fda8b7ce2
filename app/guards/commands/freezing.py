"""`project freeze` and `project unfreeze` (decisions, section 13)."""

from typing import cast

import click

from app.cli.calling import as_json, call, context, of_project, show
from app.guards.freezing import freeze_project, unfreeze_project
from app.guards.responses import GuardedProject
from app.projects.responses import Project

SHOWN = ("id", "name", "frozen")


@click.command()
@of_project
@click.option("--note", help="Why; refused callers and the console show it.")
@as_json
def freeze(project_id: str, note: str | None, json: bool) -> None:
    """Freeze a project: within 5 seconds only tokens with the scope `admin` can write."""
    _show(call(context(project_id), freeze_project, note=note), json=json)


@click.command()
@of_project
@as_json
def unfreeze(project_id: str, json: bool) -> None:
    """Unfreeze a project: tokens can write again, and what came due meanwhile is published."""
    _show(call(context(project_id), unfreeze_project), json=json)


def _show(project: Project, *, json: bool) -> None:
    show({name: cast(GuardedProject, project)[name] for name in SHOWN}, json=json)  # type: ignore[literal-required]


COMMANDS = (freeze, unfreeze)
