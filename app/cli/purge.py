"""`purge`: permanently deletes documents that have been in the trash long enough."""

import sys
from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from typing import Any

import click

from app.cli.calling import DRY_RUN, context, duration, progress, store
from app.core.context import this_instant
from app.documents.purging import count_purgeable, purge_trash
from app.features import ALL

OF_FEATURES: dict[str, Any] = {one.name: import_module(one.purges) for one in ALL.features if one.purges}
"""The modules of features that delete something else, by the feature's name."""


def options_of_features(function: Callable[..., None]) -> Callable[..., None]:
    """Adds an option for each."""
    for name, module in OF_FEATURES.items():
        option, text = module.OPTION
        function = click.option(option, "kinds", flag_value=name, help=text)(function)
    return function


@click.command()
@click.option("--project", "project_id", metavar="ID", help="Only this project; all of them by default.")
@click.option(
    "--older-than",
    type=duration,
    metavar="DURATION",
    default="30d",
    help="Only documents that were moved to the trash so long ago or earlier, like 12h or 30d; 0s for all.",
)
@options_of_features
@click.option("--dry-run", is_flag=True, help="Say how many documents would be deleted, and delete none.")
@click.option("--yes", is_flag=True, help="Delete without asking, as scripts must.")
def command(project_id: str | None, older_than: timedelta, dry_run: bool, yes: bool, kinds: str | None = None) -> None:
    """Permanently delete documents in the trash, with their texts and their history.

    Asks before it deletes; without a terminal it needs --yes.
    """
    project = context(project_id).project_id if project_id else None
    before = this_instant() - older_than
    other = OF_FEATURES[kinds] if kinds else None
    noun, where = other.NOUN if other else ("document", "in the trash")
    count = (other.count if other else count_purgeable)(store(), before, project)
    if dry_run:
        click.echo(f"{_counted(count, noun)} would be permanently deleted.\n{DRY_RUN}")
        return
    if count and not yes:
        _ask(f"{_counted(count, noun)} {where}", project)
    with progress("Deleting", length=count, show_pos=True) as bar:
        purged = (other.purge if other else purge_trash)(store(), before, project, bar.update)
    click.echo(f"{_counted(purged, noun)} {'was' if purged == 1 else 'were'} permanently deleted.")


def _ask(what: str, project_id: str | None) -> None:
    what = f"{what} of {f'project {project_id}' if project_id else 'all projects'}"
    if not sys.stdin.isatty():
        raise click.UsageError(f"{what} would be permanently deleted: add --yes to delete without being asked.")
    click.confirm(f"Permanently delete {what}?", abort=True)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
