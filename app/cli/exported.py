"""Takes an exported project in again: the part of `import` that reads `.ndjson`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from app.cli.calling import print_json
from app.operations.context import Context
from app.operations.transfers import Imported, ProjectImport


def import_exported(ctx: Context, path: Path, *, json: bool) -> None:
    """Takes an export into a project, with a progress bar; exit code 1 when a line was refused."""
    project = ProjectImport(ctx)
    with (
        path.open("rb") as lines,
        click.progressbar(
            length=path.stat().st_size, label="Importing", file=sys.stderr, hidden=not sys.stderr.isatty()
        ) as bar,
    ):
        for size in project.take(lines):
            bar.update(size)
    print_json(_as_json(project.done)) if json else _tell(project.done)
    sys.exit(1 if project.done.refused else 0)


def _as_json(done: Imported) -> dict[str, object]:
    return vars(done) | {"refused": [vars(refused) for refused in done.refused]}


def _tell(done: Imported) -> None:
    for what, counts in (("Taken in", done.created), ("There already", done.unchanged)):
        if counts:
            click.echo(f"{what}: {', '.join(_counted(kind, count) for kind, count in counts.items())}.")
    for name in done.differing:
        click.echo(f"There already, and different from the export; left as it is: {name}")
    for refused in done.refused:
        click.echo(f"Refused: line {refused.number} ({refused.what}): {refused.why}", err=True)


def _counted(kind: str, count: int) -> str:
    if kind == "project":
        return "the project's settings"
    many = "categories" if kind == "category" else f"{kind}s"
    return f"{count} {kind if count == 1 else many}"
