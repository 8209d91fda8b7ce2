"""`purge`: permanently deletes documents that have been in the trash long enough."""

from datetime import timedelta

import click

from app.cli.calling import DRY_RUN, context, store
from app.operations.context import this_instant
from app.operations.purging import count_purgeable, purge_trash


@click.command()
@click.option("--project", "project_id", metavar="ID", help="Only this project; all of them by default.")
@click.option(
    "--days",
    type=click.IntRange(0),
    default=30,
    help="Only documents that were moved to the trash this many days ago or earlier.",
)
@click.option("--dry-run", is_flag=True, help="Say how many documents would be deleted, and delete none.")
def command(project_id: str | None, days: int, dry_run: bool) -> None:
    """Permanently delete documents in the trash, with their texts and their history."""
    project = context(project_id).project_id if project_id else None
    before = this_instant() - timedelta(days=days)
    if dry_run:
        count = count_purgeable(store(), before, project)
        click.echo(f"{count} document{'' if count == 1 else 's'} would be permanently deleted.")
        click.echo(DRY_RUN)
        return
    purged = purge_trash(store(), before, project)
    click.echo(
        "1 document was permanently deleted." if purged == 1 else f"{purged} documents were permanently deleted."
    )
