"""Shows on standard error how far a command is: a bar on a terminal, else a line every few seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_SECONDS = 2.0
"""How often a line is printed where there is no terminal; a command that is quicker prints none."""


@contextmanager
def progress(
    label: str, unit: str, total: int | None = None, *, hidden: bool = False
) -> Iterator[Callable[[int], None]]:
    """Yields a function to call with the number of items that are done since the last call."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(label, unit, total)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=hidden) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.advance(task, done)


def _lines(label: str, unit: str, total: int | None) -> Callable[[int], None]:
    done, printed_at = 0, time.monotonic()
    of_all = "" if total is None else f" of {total:,}"

    def advance(more: int) -> None:
        nonlocal done, printed_at
        done += more
        if time.monotonic() >= printed_at + LINE_SECONDS:
            printed_at = time.monotonic()
            click.echo(f"{label}: {done:,}{of_all} {unit}", err=True)

    return advance
