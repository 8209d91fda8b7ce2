"""Imports an exported project: the part of `import` that reads `.ndjson`."""

import codecs
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NoReturn

import click

from app.cli.calling import finish, shown
from app.core.context import Context
from app.core.errors import ServiceUnavailable
from app.transfers.operations import MAX_LINE_BYTES, Imported, ProjectImport, check_whole

LAST_LINE_BYTES = 1_000
"""The most bytes of the last line of an export, which is short."""
DRY_RUN_TOO_LONG = """\
The dry run took longer than MongoDB lets a transaction last (transactionLifetimeLimitSeconds, a minute by default).
Import into a new project instead (project create) and look at the result, or raise that parameter of mongod.
Nothing was changed."""


def import_exported(ctx: Context, path: Path, *, dry_run: bool, json: bool) -> NoReturn:
    """Imports an export into a project, with a progress bar, and exits; with 1 when a line was refused.

    A dry run is one transaction, as lines name records of earlier ones; MongoDB bounds it, by default to a minute.
    """
    with path.open("rb") as file:
        check_whole(next(_lines(file), b""), _last_line(file))
    done = _try(ctx, path) if dry_run else _import(ctx, path)
    outcome = vars(done) | {"refused": [vars(refused) for refused in done.refused]}
    finish(outcome, lambda: _print_report(done), json=json, dry_run=dry_run, refused=done.refused)


def _try(ctx: Context, path: Path) -> Imported:
    try:
        return ctx.store.rolled_back(lambda store: _import(replace(ctx, store=store), path))
    except ServiceUnavailable as error:
        ctx.store.ping()  # where MongoDB can't be reached, that is the error
        raise click.ClickException(DRY_RUN_TOO_LONG) from error


def _import(ctx: Context, path: Path) -> Imported:
    project = ProjectImport(ctx)
    bar = click.progressbar(length=path.stat().st_size, label="Importing", file=sys.stderr)
    with path.open("rb") as file, bar:
        for size in project.take(_lines(file)):
            bar.update(size)
    return project.done


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yields the lines of a file; of a line that is too long only the beginning, which the import refuses."""
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        while len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES + 1)


def _last_line(file: BinaryIO) -> bytes:
    """Returns the last line of a file, or where that is long, its end."""
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - LAST_LINE_BYTES))
    return file.read().rstrip().rpartition(b"\n")[2]


def _print_report(done: Imported) -> None:
    for what, counts in (("Imported", done.created), ("Unchanged", done.unchanged)):
        if counts:
            click.echo(f"{what}: {', '.join(_counted(kind, count) for kind, count in counts.items())}.")
    if done.settings:
        click.echo(f"Settings of the project that were replaced: {', '.join(done.settings)}.")
    for name in done.differing:
        click.echo(f"Left as it is, though the export differs: {shown(name)}")
    for refused in done.refused:
        click.echo(f"Refused: line {refused.number} ({shown(refused.what)}): {shown(refused.why)}", err=True)


def _counted(kind: str, count: int) -> str:
    if kind == "project":
        return "the project's settings"
    many = "categories" if kind == "category" else f"{kind}s"
    return f"{count} {kind if count == 1 else many}"
