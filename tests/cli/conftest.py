"""The command line as one types it: in this process, on the session's database."""

from collections.abc import Callable, Iterator

import pytest
from click.testing import CliRunner, Result

from app.cli import calling, main
from app.core.store.store import Store

Cli = Callable[..., Result]


@pytest.fixture
def cli(store: Store, mongodb_uri: str) -> Iterator[Cli]:
    """Runs a command on the database that the tests share."""
    calling.store.cache_clear()
    environment = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": store.database.name}

    def run(*arguments: object, charset: str = "utf-8") -> Result:
        return CliRunner(charset).invoke(main, [str(argument) for argument in arguments], env=environment)

    yield run
    if calling.store.cache_info().currsize:
        calling.store().database.client.close()
    calling.store.cache_clear()
