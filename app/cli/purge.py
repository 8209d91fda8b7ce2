"""`purge`: permanently deletes documents that have been in the trash long enough."""

from datetime import timedelta

import click

from app.cli.calling import context, store
from app.operations.context import this_instant
from app.operations.purging import purge_trash


@click.command()
@click.option("--project", "project_id", metavar="ID", help="Only this project; all of them by default.")
@click.option(
    "--days",
    type=click.IntRange(0),
    default=30,
    help="Only documents that were moved to the trash this many days ago or earlier.",
)
def command(project_id: str | None, days: int) -> None:
    """Permanently delete documents in the trash, with their texts and their history."""
    project = context(project_id).project_id if project_id else None
    purged = purge_trash(store(), this_instant() - timedelta(days=days), project)
    click.echo(
        "1 document was permanently deleted." if purged == 1 else f"{purged} documents were permanently deleted."
    )
