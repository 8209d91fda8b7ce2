"""Every race runs as many rounds as `--rounds` says."""

from collections.abc import Callable, Iterable
from itertools import cycle, islice

import pytest
from flask import Flask

from tests.make import Project, Token
from tests.rest.client import Rest


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    rounds = metafunc.config.getoption("rounds")
    if rounds > 1 and metafunc.definition.get_closest_marker("race"):
        metafunc.fixturenames.append("round_")
        metafunc.parametrize("round_", range(rounds))


@pytest.fixture
def crowd(app: Flask, project: Project) -> Callable[..., list[Rest]]:
    """Makes a crowd of callers of the management API, who share a few tokens (or are given theirs)."""

    def gather(many: int, tokens: Iterable[Token] = ()) -> list[Rest]:
        shared = list(tokens) or [project.token(f"Writer {number}", agent=f"writer-{number}") for number in range(5)]
        return [Rest(app.test_client(), token) for token in islice(cycle(shared), many)]

    return gather
