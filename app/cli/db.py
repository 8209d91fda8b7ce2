"""`db`: the database's form, its indexes and validators: creates them, lists what differs, and what sharding needs."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from app.cli.calling import as_json, of_any_form, print_json, progress
from app.core.store import form, indexes, sharding, validators
from app.core.store.migration import COMMENT, Migration
from app.core.store.store import Store
from app.projects.operations import all_projects


@click.group()
def command() -> None:
    """Create indexes and validators, check them, and bring the database to the form of this release."""


@command.command()
def init() -> None:
    """Create every missing index and validator, say which, and list what still differs.

    An index that is not one of the service's is listed and does no harm. Exit code 1 when something else differs.
    """
    opened = of_any_form()
    version = _version(opened)
    opened.check_form()
    click.echo(f"The database has form {version}.")
    before, left = differences(opened), prepare(opened)
    for line in before:
        if line not in left:
            click.echo(f"Created {line.partition(' is ')[0]}.")
    _print(left)


@command.command()
@click.option("--sharding", "with_sharding", is_flag=True, help="List what `sh.shardCollection` would refuse, too.")
@as_json
def check(with_sharding: bool, json: bool) -> None:
    """List the indexes and validators that differ, and the form; exit code 1 when one of the service's does."""
    opened = of_any_form()
    version, needs = _version(opened), form.newest(opened.features.steps)
    lines = differences(opened) if version == needs else []
    refused = _refused(opened) if with_sharding else []
    if json:
        steps = [step.name for step in Migration(opened).needed(version)]
        found: Mapping[str, Any] = {"version": version, "needs": needs, "steps": steps, "differences": lines}
        print_json({**found, "sharding": refused} if with_sharding else found)
        sys.exit(_exit_code([*lines, *refused], fits=version == needs))
    click.echo(f"The database has form {version}.")
    opened.check_form()
    with opened.deadline():
        if not opened.database.list_collection_names():
            lines = ["The database is empty: every index and validator is missing."]
    if any(" is missing" in line for line in lines):
        click.echo("`content-workflow db init` creates what is missing.", err=True)
    if with_sharding:
        for line in refused or ["Every collection can be sharded."]:
            click.echo(line)
    _print(lines, refused)


@command.command()
def migrate() -> None:
    """Bring the database to the form of this release, step by step.

    Make a backup before. It is safe to interrupt and to run again, then it goes on where it was; servers of this
    release answer 503 until it is done. Stop servers and workers of the release before, unless the changelog says
    otherwise. Refused, before anything is changed, where no majority of the replica set takes writes, and where
    records contradict the new form: each is listed.
    """
    opened = of_any_form()
    bar: Any = None

    def begin(step: form.Step) -> None:
        click.echo(f"{step.name}: {step.why}.")

    def report(name: str, records: int) -> None:
        nonlocal bar
        if bar is None or bar.label != name:
            length = opened.database[name].estimated_document_count(comment=COMMENT)
            bar = progress(name, length=length, show_pos=True)
        bar.update(records)

    try:
        ran = Migration(opened, begin, report).run()
    except KeyboardInterrupt:
        raise click.ClickException(
            "Interrupted. Run `content-workflow db migrate` again: it goes on from here."
        ) from None
    click.echo(f"The database has form {_version(opened)}{'' if ran else ' already'}.")


def prepare(opened: Store) -> list[str]:
    """Creates what is missing and returns what still differs, which is not touched.

    Any number of processes may do this at once, while servers run.
    """
    return [*create_missing(opened), *differences(opened)]


def create_in_new(opened: Store) -> None:
    """Creates every index and validator of a database without projects: what the service promises rests on them."""
    with opened.deadline():
        is_new = not all_projects(opened)
    if is_new:
        create_missing(opened)


def create_missing(opened: Store) -> list[str]:
    """Creates every missing index and validator; returns a line for each that can't be created."""
    with opened.translating_errors():  # to build indexes takes as long as it needs
        refused = indexes.create_indexes(opened.database, opened.features.indexes)
        validators.create_validators(opened.database, opened.features.validators)
        return refused


def differences(opened: Store) -> list[str]:
    """Returns a line for each index and validator that is not as it should be."""
    database, features = opened.database, opened.features
    with opened.deadline():
        return [
            *indexes.differences(database, features.indexes),
            *validators.differences(database, features.validators),
        ]


def _version(opened: Store) -> int:
    with opened.deadline():
        return form.read(opened.database, opened.features.steps)


def _refused(opened: Store) -> list[str]:
    with opened.translating_errors():
        return sharding.refused(opened.database, opened.features.shard_keys)


def _exit_code(lines: Sequence[str], *, fits: bool = True) -> int:
    return 0 if fits and all(line.endswith(indexes.FOREIGN) for line in lines) else 1


def _print(lines: Sequence[str], others: Sequence[str] = ()) -> None:
    for line in lines or ["All indexes and validators are as they should be."]:
        click.echo(line)
    sys.exit(_exit_code([*lines, *others]))
