"""`export`: writes a whole project as lines of JSON, which `import` reads into any project."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from app.cli.calling import context, of_project, store
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
    with _written(out) as file, progress("Exporting", "lines", hidden=not shown) as advance:
        for line in export_project(store(), ctx.project_id):
            file.write(line)
            advance(1)


@contextmanager
def _written(out: Path | None) -> Iterator[BinaryIO]:
    """Yields the file to write to, which gets its final name when it is complete."""
    if out is None:
        yield sys.stdout.buffer
        return
    part = out.with_name(f"{out.name}.part")
    try:
        part.unlink(missing_ok=True)
        with part.open("xb") as file:  # never through a symbolic link that somebody else created
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(out)
    except OSError as error:
        raise click.ClickException(f"{out} can't be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            part.unlink()
