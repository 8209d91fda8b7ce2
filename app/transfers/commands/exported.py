"""Imports an exported project: the part of `import` that reads `.ndjson`."""

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import click

from app.cli.calling import finish, progress, shown
from app.core.context import Context
from app.transfers.lines import Checked, read_lines
from app.transfers.operations import check_import, import_lines
from app.transfers.rules import COLLECTIONS


def import_exported(ctx: Context, path: Path, *, dry_run: bool, json: bool) -> NoReturn:
    """Imports an export into a project and exits; with 1, and nothing imported, when a line is refused."""
    checked = check_import(ctx, _lines(path, "Checking"))
    if not checked.refused and not dry_run:
        import_lines(ctx, _lines(path, "Importing"))
    outcome = vars(checked) | {
        "settings": [*checked.settings],
        "refused": [vars(refused) for refused in checked.refused],
    }
    finish(
        outcome, lambda: _print_report(checked, dry_run=dry_run), json=json, dry_run=dry_run, refused=checked.refused
    )


def _lines(path: Path, label: str) -> Iterator[bytes]:
    """Yields the lines of a file, with a progress bar."""
    bar = progress(label, length=path.stat().st_size)
    with path.open("rb") as file, bar:
        for line in read_lines(file):
            yield line
            bar.update(len(line))


def _print_report(checked: Checked, *, dry_run: bool) -> None:
    for refused in checked.refused:
        click.echo(f"Refused: line {refused.number} ({shown(refused.what)}): {shown(refused.why)}", err=True)
    if checked.refused:
        click.echo("Nothing was imported: correct the file, or write it again.")
        return
    if counts := [_counted(kind, count) for kind, count in checked.created.items()]:
        click.echo(f"{'Would import' if dry_run else 'Imported'}: {', '.join(counts)}.")
    if checked.settings:
        replaced = "would be replaced" if dry_run else "were replaced"
        click.echo(f"Settings of the project that {replaced}: {', '.join(checked.settings)}.")


def _counted(kind: str, count: int) -> str:
    return f"{count} {kind if count == 1 else COLLECTIONS[kind]}"
