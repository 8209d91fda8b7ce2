"""`export`: writes a whole project as lines of JSON, which `import` reads into any project."""

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from app.cli.calling import context, of_project, progress, store, written
from app.transfers.operations import export_lines


@click.command()
@of_project
@click.option(
    "--out",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; standard output by default.",
)
def command(project_id: str, out: Path | None) -> None:
    """Write a project as NDJSON: settings, members, categories, clusters, documents with trash and revisions.

    Without tokens, drafts, webhooks and events. The file is complete or does not exist.
    """
    ctx = context(project_id)
    target = written(out) if out else nullcontext(sys.stdout.buffer)
    hidden = out is None and sys.stdout.isatty()
    lines = export_lines(store(), ctx.project_id)
    bar = progress("Exporting", lines, show_pos=True, hidden=hidden, update_min_steps=100)
    with target as file, bar:
        for line in bar:
            file.write(line)
