"""`purge`: permanently deletes documents that have been in the trash long enough."""

import sys
from datetime import timedelta

import click

from app.cli.calling import DRY_RUN, context, duration, progress, store
from app.core.context import this_instant
from app.documents.purging import count_purgeable, purge_trash


@click.command()
@click.option("--project", "project_id", metavar="ID", help="Only this project; all of them by default.")
@click.option(
    "--older-than",
    type=duration,
    metavar="DURATION",
    default="30d",
    help="Only documents that were moved to the trash so long ago or earlier, like 12h or 30d.",
)
@click.option("--dry-run", is_flag=True, help="Say how many documents would be deleted, and delete none.")
@click.option("--yes", is_flag=True, help="Delete without asking, as scripts must.")
def command(project_id: str | None, older_than: timedelta, dry_run: bool, yes: bool) -> None:
    """Permanently delete documents in the trash, with their texts and their history.

    Asks before it deletes; without a terminal it needs --yes.
    """
    project = context(project_id).project_id if project_id else None
    before = this_instant() - older_than
    count = count_purgeable(store(), before, project)
    if dry_run:
        click.echo(f"{_documents(count)} would be permanently deleted.\n{DRY_RUN}")
        return
    if count and not yes:
        _ask(count, project)
    with progress("Deleting", length=count, show_pos=True) as bar:
        purged = purge_trash(store(), before, project, bar.update)
    click.echo(f"{_documents(purged)} {'was' if purged == 1 else 'were'} permanently deleted.")


def _ask(count: int, project_id: str | None) -> None:
    where = f"project {project_id}" if project_id else "all projects"
    what = f"{_documents(count)} in the trash of {where}"
    if not sys.stdin.isatty():
        raise click.UsageError(f"{what} would be permanently deleted: add --yes to delete without being asked.")
    click.confirm(f"Permanently delete {what}?", abort=True)


def _documents(count: int) -> str:
    return f"{count:,} document{'' if count == 1 else 's'}"
