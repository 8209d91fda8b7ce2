"""`serve`: the production server."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import httpx
import pytest
from click.testing import CliRunner

from app.cli import main
from app.cli.db import differences
from app.cli.server_process import KILL_SECONDS
from app.core.context import Server
from app.core.store.store import Store
from app.projects.access import hash_of
from tests import live
from tests.cli.running import CHECKOUT, Running, answers, running, until
from tests.live import free_port, slowdown
from tests.make import OPERATIONS, a_document, a_project

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]


@pytest.mark.contract("decided-commands.serve")
def test_it_serves_until_sigterm_and_logs_json_alone(tmp_path: Path, mongodb_uri: str, fresh_store: Store) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    a_project(fresh_store)
    fresh_store.database.members.create_index([("nobody", 1)])
    for index in ("projectId_words_live", "projectId_deletedAt"):
        fresh_store.database.documents.drop_index(index)
    with running(tmp_path, "serve", "--port", str(port), "--workers", "2", **options) as server:
        until(lambda: answers(url), server)
        with ExitStack() as idle:
            for _ in range(150):
                client = idle.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
                client.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert client.recv(12) == b"HTTP/1.1 200", "clients that keep their connection open stop no other"
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(b"POST /briefs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n")
            answer = client.makefile("rb").read()
            assert b"connection: close" in answer.lower(), "a client that sends slowly is told that it ends"
        assert server.end(signal.SIGTERM) == 0

    assert not answers(url)
    assert all(line.startswith("{") for line in server.said.splitlines()), server.said
    # The worker looks for missing indexes each minute, which this takes on a busy machine.
    [differing] = [line for line in map(json.loads, server.said.splitlines()) if "differences" in line]
    assert [differing[name] for name in ("message", "differences", "remedy")] == [
        *("database differs", 3, "content-workflow db check lists them")
    ]
    assert " is missing" in differing["first"]


@pytest.mark.contract("decided-commands.db")
def test_a_database_without_projects_is_made_ready_and_all_processes_end_with_a_killed_parent(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    fresh_store.database.client.drop_database(fresh_store.database.name)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    options = {
        "MONGODB_URI": mongodb_uri,
        "MONGODB_DATABASE": fresh_store.database.name,
        "PUBLIC_URI": "https://a.example",
    }
    with running(tmp_path, "serve", "--port", str(port), "--no-worker", **options) as server:
        until(lambda: answers(url), server)
        server.end(signal.SIGKILL)

    assert differences(fresh_store) == []
    assert "PUBLIC_URI is not a setting: did you mean PUBLIC_URL?" in server.said
    live.until(lambda: not answers(url, "/health"))
    socket.create_server(("127.0.0.1", port)).close()  # nobody holds the port any more


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="only Linux has the folder")
def test_the_counters_are_not_on_the_disk_that_bodies_may_fill(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    """They are mapped into memory: on a full disk the kernel would end each process that counts something new."""
    (disk := tmp_path / "disk").mkdir()
    url = f"http://127.0.0.1:{(port := free_port())}"
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name, "TMPDIR": str(disk)}
    with running(tmp_path, "serve", "--port", str(port), SERVE_METRICS="1", **options) as server:
        until(lambda: answers(url), server)
        assert "content_workflow_requests_total" in httpx.get(f"{url}/metrics").text
        assert [*disk.iterdir()] == []
        assert server.end(signal.SIGTERM) == 0


def test_metrics_answer_and_say_that_the_database_cant_be_used_while_it_is_unreachable(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    nowhere = f"mongodb://127.0.0.1:{free_port()}/?replicaSet=none"
    options = {"MONGODB_URI": nowhere, "DEADLINE_SECONDS": "1", "SERVE_METRICS": "1"}
    with running(tmp_path, "serve", "--port", str(port), **options) as server:
        until(lambda: answers(url, "/metrics"), server)
        until(lambda: "content_workflow_database_unusable 1.0" in httpx.get(f"{url}/metrics").text, server)
        assert server.end(signal.SIGTERM) == 0


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_it_ends_within_ten_seconds_while_a_webhook_does_not_answer(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store, command: str
) -> None:
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name, "WEBHOOKS_ALLOW_LOCAL": "1"}
    project = a_project(fresh_store)
    with socket.create_server(("127.0.0.1", 0)) as receiver:
        address = f"http://127.0.0.1:{receiver.getsockname()[1]}"
        OPERATIONS["create_webhook"](
            replace(project.context(), server=Server(webhooks_allow_local=True)), fields={"url": address}
        )
        a_document(project.context())
        port = ("--port", str(free_port())) if command == "serve" else ()
        with running(tmp_path, command, *port, **options) as process:
            sending, _ = receiver.accept()
            began = time.monotonic()
            assert process.end(signal.SIGTERM) == 0
            assert (time.monotonic() - began) / slowdown() < 10
            sending.close()

    assert [line for line in process.said.splitlines() if not line.startswith("{")] == []


def test_under_load_it_ends_soon_after_its_last_answer_and_logs_json_alone(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name, "RATE_LIMIT_PER_MINUTE": "0"}
    headers = {"Authorization": f"Bearer {a_project(fresh_store).token().secret}"}
    answered: list[float] = []

    def call(path: str) -> None:
        with httpx.Client(headers=headers, timeout=60) as client, suppress(httpx.TransportError):
            while True:
                client.get(f"{url}{path}")
                answered.append(time.monotonic())

    with running(tmp_path, "serve", "--port", str(port), "--workers", "2", **options) as server:
        until(lambda: server.said.count("Started worker-") == 2 and answers(url), server)
        with ThreadPoolExecutor(48) as load:
            for path in ("/documents", "/briefs", "/openapi.json", "/events?wait=30") * 12:
                load.submit(call, path)
            until(lambda: len(answered) > 200, server)
            assert server.end(signal.SIGTERM) == 0
            ended = time.monotonic()

    assert (ended - max(answered)) / slowdown() < 10
    assert [line for line in server.said.splitlines() if not line.startswith("{")] == []
    assert "Killing" not in server.said, server.said


@pytest.mark.contract("decided-http.rate-limit")
def test_failed_authentications_are_limited_over_all_processes_and_the_log_says_whose_they_are(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    url = f"http://127.0.0.1:{(port := free_port())}"
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    options |= {"FAILED_AUTH_LIMIT_PER_MINUTE": "5", "TRUSTED_PROXIES": "127.0.0.1"}
    headers = {"Authorization": "Bearer cwm_guess", "X-Forwarded-For": "192.0.2.7"}
    with running(tmp_path, "serve", "--port", str(port), "--workers", "2", "--no-worker", **options) as server:
        until(lambda: server.said.count("Started worker-") == 2 and answers(url), server)
        statuses = [httpx.get(f"{url}/briefs", headers=headers).status_code for _ in range(40)]  # each its connection
        until(lambda: server.said.count('"status":429') == 35, server)

    assert statuses == [401] * 5 + [429] * 35
    logged = [line for line in map(json.loads, server.said.splitlines()) if line.get("path") == "/briefs"]
    assert {(line["address"], line["refusedHash"]) for line in logged} == {("192.0.2.7", hash_of("cwm_guess")[:8])}


@pytest.mark.parametrize(("command", "code"), [("serve", 1), ("worker", 0)])
def test_the_health_check_of_the_image_asks_servers_alone(tmp_path: Path, command: str, code: int) -> None:
    text = (CHECKOUT / "Dockerfile").read_text("utf-8").replace("\\\n", "")
    [line] = [line for line in text.splitlines() if line.startswith("HEALTHCHECK")]
    program = json.loads(line.partition("CMD ")[2])[-1]
    own = tmp_path / "cmdline"
    own.write_bytes(b"\0".join([b"/venv/bin/python", b"/venv/bin/content-workflow", command.encode(), b""]))
    program = program.replace("/proc/1/cmdline", str(own)).replace(":8000", f":{free_port()}")

    assert subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode == code


def test_a_request_under_way_is_answered_before_it_ends(tmp_path: Path, mongodb_uri: str, fresh_store: Store) -> None:
    port = free_port()
    token = a_project(fresh_store).token().secret
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    body = b'{"title": "Begun before the end"}'
    head = (
        f"POST /document-intents HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    with running(tmp_path, "serve", "--host", "localhost", "--port", str(port), "--no-worker", **options) as server:
        # A name of this machine is an address too.
        until(lambda: answers(f"http://127.0.0.1:{port}"), server)
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(head.encode())
            assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n", "the body is being read"
            client.sendall(body[:10])
            os.killpg(server.process.pid, signal.SIGINT)
            until(lambda: "Stopping worker" in server.said, server)
            client.sendall(body[10:])
            assert client.recv(12) == b"HTTP/1.1 201"
        assert server.process.wait(30) == 0


def test_ctrl_c_ends_it_at_once(tmp_path: Path, mongodb_uri: str, fresh_store: Store) -> None:
    """The terminal signals the whole group; a worker signalled twice would be waited for until it is killed."""
    port = free_port()
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    with running(tmp_path, "serve", "--port", str(port), "--workers", "2", **options) as server:
        until(lambda: all(f"Started worker-{number}" in server.said for number in (1, 2)), server)
        assert [os.getpgid(pid) == pid for pid in _workers(server)] == [True, True]
        began = time.monotonic()
        assert server.ctrl_c() == 0

    assert time.monotonic() - began < KILL_SECONDS
    assert "refused to gracefully stop" not in server.said


def _workers(server: Running) -> list[int]:
    """Returns the server processes."""
    return [pid for pid in _children(server.process.pid) if "spawn_main" in _command(pid)]


def _children(process: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, check=True)
    return [int(pid) for pid in listed.stdout.split()]


def _command(process: int) -> str:
    with suppress(FileNotFoundError):  # it has ended
        return Path(f"/proc/{process}/cmdline").read_text()
    return ""


def refusal(*options: str) -> str:
    """Returns the line with which `serve` refuses to start."""
    refused = CliRunner().invoke(main, ["serve", *options], env={"MONGODB_URI": "mongodb://127.0.0.1:1"})
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    return refused.stderr


@pytest.mark.parametrize(("host", "name"), [("no.such.host.invalid",) * 2, ("192.0.2.1",) * 2, ("", "''")])
def test_an_address_that_is_not_of_this_machine_is_refused_with_its_reason(host: str, name: str) -> None:
    """An empty one is as in `--host "$HOST"`, where the variable is not set: to listen everywhere, say 0.0.0.0."""
    assert refusal("--host", host, "--port", "8000").startswith(f"Error: Can't listen on port 8000 of {name}: ")


def test_a_port_in_use_is_refused_with_one_message() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        assert refusal("--port", port) == f"Error: Port {port} of 127.0.0.1 is in use: choose another with --port.\n"


def test_of_two_that_start_at_once_on_a_port_one_is_refused(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name}
    port = str(free_port())
    with (
        running(tmp_path / "one", "serve", "--port", port, **options) as one,
        running(tmp_path / "two", "serve", "--port", port, **options) as two,
    ):
        live.until(lambda: one.process.poll() is not None or two.process.poll() is not None, seconds=30)
        refused, serving = (one, two) if one.process.poll() is not None else (two, one)
        assert refused.said == f"Error: Port {port} of 127.0.0.1 is in use: choose another with --port.\n"
        until(lambda: answers(f"http://127.0.0.1:{port}"), serving)


def test_the_metrics_of_a_worker_are_at_the_address_that_is_named_for_the_token_that_is_set(
    tmp_path: Path, mongodb_uri: str, fresh_store: Store
) -> None:
    options = {"MONGODB_URI": mongodb_uri, "MONGODB_DATABASE": fresh_store.database.name, "METRICS_TOKEN": "s3cret"}
    port = str(free_port())
    address = f"http://127.0.0.2:{port}/metrics"

    def metrics(authorization: str = "Bearer s3cret") -> str:
        with urlopen(Request(address, headers={"Authorization": authorization})) as response:
            return str(response.read())

    with running(tmp_path, "worker", "--metrics-host", "127.0.0.2", "--metrics-port", port, **options) as worker:
        until(lambda: "worker started" in worker.said, worker)

        assert "content_workflow_events_relayed_total" in metrics()
        until(lambda: 'job_last_run_timestamp_seconds{job_name="relay events"}' in metrics(), worker)
        assert not answers(f"http://127.0.0.1:{port}")
        for wrong in ("", "Bearer wrong", "Bearer s3cret\xff"):
            with pytest.raises(HTTPError) as refused:
                metrics(wrong)
            assert (refused.value.code, json.load(refused.value)["_tag"]) == (401, "Unauthorized")
