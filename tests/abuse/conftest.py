"""Each attack has a service of its own; all share a mongod that nobody else uses, so that its memory can be told."""

import sys
from collections.abc import Iterator

import pytest

from app.cli.mongod import running_mongod
from app.features import connect
from tests.abuse.service import FIGURES, MIB, Service, serve


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith("tests/abuse/"):
            item.add_marker(pytest.mark.abuse)
            if not sys.platform.startswith("linux"):
                item.add_marker(pytest.mark.skip(reason="reads memory from /proc"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints what each attack did to everybody else (docs/reliability.md)."""
    if FIGURES:
        terminalreporter.section("what others met during each attack")
        terminalreporter.line("requests   p99 before  during  ratio  slowest  server MB  mongod +MB  recovery  attack")
    for one in FIGURES:
        terminalreporter.line(
            f"{one.requests:8}  {one.p99_before * 1e3:8.0f} ms  {one.p99_during * 1e3:3.0f} ms"
            f"  {one.p99_during / max(one.p99_before, 0.001):5.1f}  {one.slowest * 1e3:4.0f} ms"
            f"  {one.server_peak / MIB:9.0f}  {one.mongod_growth / MIB:10.0f}  {one.recovery:6.1f} s  {one.attack}"
        )


@pytest.fixture(scope="session")
def own_mongod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """The URI and the process id of a mongod of this test process."""
    with running_mongod(tmp_path_factory.mktemp("mongod")) as uri:
        store = connect(uri)
        pid = int(store.database.command("serverStatus")["pid"])
        store.database.client.close()
        yield uri, pid


@pytest.fixture
def service(own_mongod: tuple[str, int]) -> Iterator[Service]:
    """The service, with its defaults."""
    uri, pid = own_mongod
    with serve(uri, pid) as running:
        yield running
