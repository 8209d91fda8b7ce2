"""Shared by the commands: calls operations as the service itself, and prints the results as text or JSON."""

import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar

import click
import orjson

from app.core.context import Context, Server
from app.core.errors import ServiceUnavailable
from app.core.operation import Operation, Shown
from app.core.schemas.loading import load
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.features import ServerSettings, connect
from app.http.logs import log_as_json
from app.projects.operations import service_of
from app.settings import Settings

log = logging.getLogger("content_workflow.settings")

Row = TypeVar("Row")

PAGE = 500
GUESSED_ADDRESS = "http://localhost:8000"
"""Where the server is, unless `PUBLIC_URL` says."""
MAX_SHOWN = 1_000
DRY_RUN = "Dry run: nothing was changed."
DURATION = re.compile("([0-9]{1,4})([smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
NAMED_UNITS = "s (seconds), m (minutes), h (hours), d (days) or w (weeks)"


@cache
def store() -> Store:
    """Returns the store that the environment names.

    Raises `SettingsError` when the environment is wrong, `ServiceUnavailable` when MongoDB can't be reached, has no
    transactions, or a database with the form of another release.
    """
    return connected(ServerSettings.from_environment())


def of_any_form() -> Store:
    """Returns the store that the environment names, also of a database with the form of another release.

    It is closed at the end of the command.
    """
    opened = connected(ServerSettings.from_environment(), any_form=True)
    click.get_current_context().call_on_close(opened.database.client.close)
    return opened


def started() -> Settings:
    """Returns the settings of a command that runs until it is ended, and logs as they say; misspelt ones are logged."""
    settings = ServerSettings.from_environment()
    log_as_json(settings.log_level)
    for line in ServerSettings.misspelt():
        log.warning(line)
    return settings


def connected(settings: Settings, *, any_form: bool = False) -> Store:
    """Returns the store that the settings name; raises as `store` does, with `any_form` not for another form."""
    opened = connect(settings.mongodb_uri, settings.database, settings.deadline_seconds)
    try:
        opened.ping()
        if not any_form:
            opened.check_form()
    except ServiceUnavailable:
        opened.database.client.close()
        raise
    return opened


def context(project_id: str, opened: Store | None = None) -> Context:
    """Returns the context in which the service itself calls an operation of a project.

    Refuses with `NotFound` when there is no such project.
    """
    opened = opened or store()
    with opened.deadline():
        return Context(opened, service_of(opened, project_id), Channel.CLI, server=SERVER)


def _address() -> str:
    return Settings.from_environment().public_url or GUESSED_ADDRESS


SERVER = Server(address=_address)
"""The server that links of the commands lead to."""


def warn_of_guess(ctx: Context, what: str = "the link begins") -> None:
    """Says where the address in a link or of a cover comes from, where no setting names it."""
    if not Settings.from_environment().public_url:
        click.echo(f"PUBLIC_URL is not set: {what} with {ctx.server.address()}, which is a guess.", err=True)


def call(ctx: Context, operation: Operation[Shown], *ids: str, **fields: Any) -> Shown:
    """Returns the body of an operation's result; a field that is None is not sent."""
    given = {name: value for name, value in fields.items() if value is not None}
    schema = operation.body or operation.query
    return operation(ctx, *ids, fields=load(ctx.features.schema_of(schema), given) if schema else None).body


def every(ctx: Context, operation: Operation[Sequence[Row]]) -> Iterator[Row]:
    """Yields every record of a listing, page by page."""
    offset = 0
    while page := call(ctx, operation, limit=PAGE, offset=offset):
        yield from page
        offset += PAGE


of_project = click.option("--project", "project_id", metavar="ID", required=True, help="The project's id.")
"""Adds the option `--project`."""

as_json = click.option("--json", "json", is_flag=True, help="Print JSON.")
"""Adds the option `--json`."""


def print_json(value: object) -> None:
    """Prints a value as one line of JSON."""
    click.echo(orjson.dumps(value))


def finish(
    outcome: object, print_report: Callable[[], None], *, json: bool, dry_run: bool, refused: object
) -> NoReturn:
    """Prints the outcome of a command, as JSON or as a report, and exits; with 1 when something was refused."""
    if json:
        print_json(outcome)
    else:
        print_report()
        if dry_run:
            click.echo(DRY_RUN)
    sys.exit(1 if refused else 0)


def show(record: Mapping[str, Any], *, json: bool) -> None:
    """Prints a record: as JSON, or one field per line."""
    if json:
        print_json(record)
        return
    width = max(map(len, record))
    for name, value in record.items():
        click.echo(f"{name:<{width}}  {_cell(value)}")


def show_all(records: Sequence[Mapping[str, Any]], columns: Sequence[str], *, json: bool = False) -> None:
    """Prints records: as JSON, or as lines of aligned columns under their names."""
    if json:
        print_json(records)
        return
    rows = [columns, *([_cell(record[column]) for column in columns] for record in records)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(columns))]
    for row in rows:
        click.echo("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def read_bounded(path: Path, most: int, refusal: type[Exception], *, name: str) -> bytes:
    """Returns the content of a file; raises `refusal` where it can't be read, or has more than `most` bytes."""
    try:
        if path.exists() and not path.is_file():
            raise refusal(f"{name} is not a regular file.")
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise refusal(f"{name} can't be read: {error.strerror}.") from None
    if len(content) > most:
        raise refusal(f"{name} is larger than {most // 1024**2} MB.")
    return content


def progress(label: str, lines: Iterable[Row] | None = None, **options: Any) -> Any:  # click's type is private
    """Returns a progress bar on standard error, which shows nothing where that is not a terminal."""
    options["hidden"] = options.get("hidden") or not sys.stderr.isatty()
    return click.progressbar(lines, label=label, file=sys.stderr, **options)


@contextmanager
def written(path: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yields a new file that gets its name when it is complete."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.unlink(missing_ok=True)
        with open(part, "xb", opener=partial(os.open, mode=mode)) as file:  # never through a link that somebody made
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise click.ClickException(f"{path} can't be written: {error.strerror}.") from None
    finally:
        with suppress(OSError):
            part.unlink()


def shown(text: str) -> str:
    """Returns untrusted text as one short line, without characters that control a terminal."""
    printable = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text[:MAX_SHOWN])
    return printable if len(text) <= MAX_SHOWN else f"{printable}…"


def _cell(value: object) -> str:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, Mapping) and "agent" in value:  # an actor
        value = value["name"]
    elif isinstance(value, Mapping):
        value = ", ".join(f"{name} {_cell(item)}" for name, item in value.items() if item not in (None, ""))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "-" if value in (None, "") else shown(str(value))


def duration(text: str) -> timedelta:
    """The type of an option with a duration like `90d`."""
    found = DURATION.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"Write a whole number up to 9999 and a unit, {NAMED_UNITS}, like 12h or 90d.")
    return timedelta(**{UNITS[found[2]]: int(found[1])})
