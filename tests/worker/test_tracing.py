"""Traces by OpenTelemetry: only where they are wanted, and never with a secret or a text."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from app.core.store.store import Store
from app.http.tracing import is_wanted
from app.settings import Settings
from tests.live import Handler, answering, until
from tests.make import Project, a_document

REQUESTS = """
import sys
from app.features import ServerSettings
from app.server import create_app

client = create_app(ServerSettings.from_environment()).test_client()
for path in ("/health", sys.argv[1], "/" + sys.argv[2], "/documents/x?token=" + sys.argv[2]):
    client.get(path, headers={"Authorization": "Bearer " + sys.argv[2]})
"""

COMMAND = "from app.cli import main; main()"


def traced(address: str, mongodb_uri: str, store: Store) -> dict[str, str]:
    """Returns the environment of a process whose traces are sent to an address."""
    return {
        **{name: value for name, value in os.environ.items() if "proxy" not in name.lower()},
        "MONGODB_URI": mongodb_uri,
        "MONGODB_DATABASE": store.database.name,
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "OTEL_EXPORTER_OTLP_COMPRESSION": "none",
    }


@pytest.fixture
def collector() -> Iterator[tuple[str, list[bytes]]]:
    """A collector of traces on loopback: its address, and what arrived."""
    arrived: list[bytes] = []

    class Collector(Handler):
        def do_POST(self) -> None:
            arrived.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.answer()

    with answering(Collector) as address:
        yield address, arrived


@pytest.mark.contract("decided-running.traces")
@pytest.mark.needs_mongod
@pytest.mark.slow
def test_requests_and_what_they_ask_of_mongodb_are_traced_without_secrets_and_texts(
    project: Project, store: Store, mongodb_uri: str, collector: tuple[str, list[bytes]]
) -> None:
    address, arrived = collector
    token = project.token()
    document = a_document(project.context(token), title="Unheard of")
    environment = traced(address, mongodb_uri, store) | {"LOG_LEVEL": "CRITICAL"}

    ran = subprocess.run(
        [sys.executable, "-c", REQUESTS, f"/documents/{document['id']}", token.secret],
        env=environment,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stderr
    told = b"".join(arrived)
    assert b"content-workflow" in told
    assert b"GET /documents/<id>" in told
    assert f"{store.database.name}.find".encode() in told
    assert b"GET /cwm_" in told
    assert b"/health" not in told
    for secret in (token.secret, "Unheard of"):
        assert secret.encode() not in told


@pytest.mark.needs_mongod
@pytest.mark.slow
def test_what_the_worker_asks_of_mongodb_is_traced(
    store: Store, mongodb_uri: str, collector: tuple[str, list[bytes]]
) -> None:
    address, arrived = collector
    environment = traced(address, mongodb_uri, store) | {"OTEL_BSP_SCHEDULE_DELAY": "50"}

    with subprocess.Popen([sys.executable, "-c", COMMAND, "worker"], env=environment) as worker:
        try:
            until(lambda: f"{store.database.name}.find".encode() in b"".join(arrived))
        finally:
            worker.terminate()


@pytest.mark.needs_mongod
@pytest.mark.slow
def test_what_mcp_over_stdio_asks_of_mongodb_is_traced(
    project: Project, store: Store, mongodb_uri: str, collector: tuple[str, list[bytes]]
) -> None:
    address, arrived = collector
    environment = traced(address, mongodb_uri, store) | {"CONTENT_WORKFLOW_TOKEN": project.token().secret}

    ran = subprocess.run([sys.executable, "-c", COMMAND, "mcp"], env=environment, input=b"", capture_output=True)

    assert ran.returncode == 0, ran.stderr
    assert f"{store.database.name}.find".encode() in b"".join(arrived)


def test_without_an_endpoint_nothing_is_traced() -> None:
    assert is_wanted(Settings(mongodb_uri="mongodb://given")) is False


def test_without_the_extra_nothing_is_traced_though_an_endpoint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.instrumentation", None)

    assert is_wanted(Settings(mongodb_uri="mongodb://given", otel_endpoint="http://127.0.0.1:4318")) is False
