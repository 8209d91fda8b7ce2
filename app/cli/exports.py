"""`export`: writes a whole project as lines of JSON, which `import` reads into any project."""

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from app.cli.calling import context, of_project, store, written
from app.cli.progress import progress
from app.operations.transfers import export_project


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
    shown = out is not None or not sys.stdout.isatty()
    target = written(out) if out else nullcontext(sys.stdout.buffer)
    with target as file, progress("Exporting", "lines", hidden=not shown) as advance:
        for line in export_project(store(), ctx.project_id):
            file.write(line)
            advance(1)
