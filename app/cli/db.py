"""`db`: creates the indexes and validators in MongoDB, and lists what differs."""

import sys

import click

from app.cli.calling import store
from app.core.store import indexes, validators
from app.core.store.store import Store
from app.projects.operations import all_projects


@click.group()
def command() -> None:
    """Create indexes and validators, and check them."""


@command.command()
def init() -> None:
    """Create every missing index and validator, say which, and list what still differs.

    An index that is not one of the service's is listed and does no harm. Exit code 1 when something else differs.
    """
    opened = store()
    before, left = differences(opened), prepare(opened)
    for line in before:
        if line not in left:
            click.echo(f"Created {line.partition(' is ')[0]}.")
    _print(left)


@command.command()
def check() -> None:
    """List the indexes and validators that differ; exit code 1 when one of the service's does."""
    lines = differences(store())
    if any(" is missing" in line for line in lines):
        click.echo("`content-workflow db init` creates what is missing.", err=True)
    _print(lines)


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


def _print(lines: list[str]) -> None:
    for line in lines or ["All indexes and validators are as they should be."]:
        click.echo(line)
    sys.exit(1 if any(not line.endswith(indexes.FOREIGN) for line in lines) else 0)
