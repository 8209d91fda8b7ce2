"""`db`: makes the indexes and validators in MongoDB, and tells what differs."""

import sys

import click

from app.cli.calling import store
from app.store import indexes, validators
from app.store.store import Store


@click.group()
def command() -> None:
    """Make indexes and validators, and check them."""


@command.command()
def init() -> None:
    """Make every index and validator that is not there yet, and tell what still differs."""
    _tell(prepared(store()))


@command.command()
def check() -> None:
    """Tell which indexes and validators differ; exit code 1 when one does."""
    _tell(differences(store()))


def prepared(opened: Store) -> list[str]:
    """Makes what is missing and returns what still differs: foreign indexes, and changed ones, which are left alone."""
    with opened.deadline():
        validators.create_validators(opened.database)
        indexes.create_indexes(opened.database)
    return differences(opened)


def differences(opened: Store) -> list[str]:
    """Returns a line for each index and validator that is not as it should be."""
    with opened.deadline():
        return [*indexes.differences(opened.database), *validators.differences(opened.database)]


def _tell(lines: list[str]) -> None:
    for line in lines or ["All indexes and validators are as they should be."]:
        click.echo(line)
    sys.exit(1 if lines else 0)
