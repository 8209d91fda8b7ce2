"""`db`: creates the indexes and validators in MongoDB, and lists what differs."""

import sys

import click

from app.cli.calling import store
from app.operations.delivery import add_delivered_words
from app.operations.projects import all_projects
from app.store import indexes, validators
from app.store.store import Store


@click.group()
def command() -> None:
    """Create indexes and validators, and check them."""


@command.command()
def init() -> None:
    """Create every missing index and validator, complete older records, and list what still differs."""
    _print(prepare(store()))


@command.command()
def check() -> None:
    """List the indexes and validators that differ; exit code 1 when one does."""
    _print(differences(store()))


def prepare(opened: Store) -> list[str]:
    """Creates what is missing and returns what still differs: unknown and changed indexes, which are not touched."""
    with opened.deadline():
        validators.create_validators(opened.database)
        indexes.create_indexes(opened.database)
    for project in all_projects(opened):
        add_delivered_words(opened, project["id"])
    return differences(opened)


def differences(opened: Store) -> list[str]:
    """Returns a line for each index and validator that is not as it should be."""
    with opened.deadline():
        return [*indexes.differences(opened.database), *validators.differences(opened.database)]


def _print(lines: list[str]) -> None:
    for line in lines or ["All indexes and validators are as they should be."]:
        click.echo(line)
    sys.exit(1 if lines else 0)
