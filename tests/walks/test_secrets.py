"""No secret is found where it does not belong: a service runs with secrets planted in it, and is searched afterwards.

It is searched in the log, the feed of events, the export, the messages to webhooks, the command lines of processes, all
that is read again, and the database, which has hashes alone; but for the secrets that webhooks are signed with.
"""

import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from app.cli import calling, main
from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from tests.databases import everything
from tests.live import free_port, until, until_listening
from tests.make import OPERATIONS, Project, a_project
from tests.webhooks.receiver import Receiver, receiving

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

CHECKOUT = Path(__file__).parents[2]
COMMAND = Path(sys.executable).with_name("content-workflow")
TEXT = "Saffron is dearer than gold."
"""What a document says, which is no secret, and not for the log either."""

SENT = {"query of a webhook", "header of a webhook"}
BELONG = {"webhooks": {*SENT, "secret of a webhook"}, "messages": SENT}
"""The secrets that have to be in a place: what a message is sent to, and signed with."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        one.statuses = [500, 200]
        yield one


@pytest.fixture(scope="module")
def planted() -> dict[str, str]:
    """The secrets, by what they are; the run adds those that the service makes."""
    return {name: secrets.token_urlsafe(24) for name in ("password of MongoDB", "metrics token", *sorted(SENT))}


@pytest.fixture(scope="module")
def environment(own_store: Store, planted: dict[str, str]) -> Iterator[dict[str, str]]:
    """The settings of the service, with a user of MongoDB that has a password."""
    database, password = own_store.database, planted["password of MongoDB"]
    database.command("createUser", "service", pwd=password, roles=["readWrite"])
    host, port = database.client.primary
    replica_set = database.client.topology_description.replica_set_name
    yield {
        **os.environ,
        "MONGODB_URI": f"mongodb://service:{password}@{host}:{port}/{database.name}?replicaSet={replica_set}",
        "LOG_LEVEL": "DEBUG",
        "SERVE_METRICS": "1",
        "METRICS_TOKEN": planted["metrics token"],
        "WEBHOOKS_ALLOW_LOCAL": "1",
    }
    database.command("dropUser", "service")


@contextmanager
def serving(environment: dict[str, str], log: Path) -> Iterator[tuple[str, int]]:
    """Yields the address and the process of a server with the worker inside; what they write goes to a file."""
    port = free_port()
    with log.open("wb") as out:
        process = subprocess.Popen(
            [COMMAND, "serve", "--port", str(port)], env=environment, stdout=out, stderr=out, start_new_session=True
        )
    try:
        until_listening(port, process)
        yield f"http://127.0.0.1:{port}", process.pid
        process.send_signal(signal.SIGTERM)
        process.wait(30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def command(environment: dict[str, str], *arguments: str) -> str:
    """Returns everything that a command writes."""
    calling.store.cache_clear()
    done = CliRunner().invoke(main, arguments, env=environment)
    if calling.store.cache_info().currsize:
        calling.store().database.client.close()
    calling.store.cache_clear()
    assert done.exception is None or isinstance(done.exception, SystemExit), "it ends in a traceback"
    return done.output


@pytest.fixture(scope="module")
def found(
    own_store: Store,
    environment: dict[str, str],
    planted: dict[str, str],
    receiver: Receiver,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, str]:
    """What is written in each place while the service runs; `planted` has the secrets afterwards."""
    project, log = a_project(own_store), tmp_path_factory.mktemp("log") / "log"
    places: dict[str, str] = {}
    with serving(environment, log) as (url, pid):
        with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
            places["answers"] = work(client, project, planted, receiver)
        until(lambda: len(receiver.requests) >= 2)
        places["command lines"] = command_lines()
        assert f"{pid}" in places["command lines"]
        places["export"] = command(environment, "export", "--project", project.id)
        uri = environment["MONGODB_URI"]
        wrong = [uri + "&w=x", uri.replace("@", "x@"), uri.replace("@", "/@"), uri.replace("@", ":@"), f"x{uri}"]
        outputs = [
            command({**environment, "MONGODB_URI": one, "DEADLINE_SECONDS": "1"}, "db", "check") for one in wrong
        ]
        outputs += [command(environment, "token", "list", "--project", project.id)]
        places["command line"] = "".join(outputs)
    places["log"] = log.read_text()
    places["messages"] = repr(receiver.requests)
    rows = everything(own_store)
    places["webhooks"] = repr(rows.pop("webhooks"))
    places["database"] = repr(rows)
    return places


def work(client: httpx.Client, project: Project, planted: dict[str, str], receiver: Receiver) -> str:
    """Does what makes and uses secrets, on every interface, wrong requests too; returns what is read afterwards."""
    ada = OPERATIONS["create_member"](project.context(), fields={"name": "Ada"}).body["id"]
    owner, delivery = project.token("Owner", memberId=ada), project.token(kind=TokenKind.DELIVERY)
    planted |= {"management token": owner.secret, "delivery token": delivery.secret}
    bearer, site = ({"Authorization": f"Bearer {one.secret}"} for one in (owner, delivery))

    def rest(method: str, path: str, body: Any = None, **headers: str) -> Any:
        return client.request(method, path, json=body, headers={**bearer, **headers}).json()

    hook = f"{receiver.url}?key={planted['query of a webhook']}"
    headers = {"Authorization": planted["header of a webhook"]}
    planted["secret of a webhook"] = rest("POST", "/webhooks", {"url": hook, "headers": headers})["secret"]
    made = rest("POST", "/tokens", {"name": "Night writer"}, **{"Idempotency-Key": "one"})
    planted["token made over REST"] = made["token"]
    rest("POST", "/tokens", {"name": "Night writer"}, **{"Idempotency-Key": "one"})
    planted["rotated token"] = rest("POST", f"/tokens/{made['id']}/rotate")["token"]
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    mcp = {**bearer, "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}

    def tool(name: str, /, **arguments: Any) -> Any:
        message = {**call, "params": {"name": name, "arguments": arguments}}
        return client.post("/mcp", json=message, headers=mcp).json()["result"]["structuredContent"]

    planted["token made over MCP"] = tool("create_token", name="Day writer")["token"]
    tool("create_token", name=5)
    draft = rest("POST", "/document-intents", {"title": "Saffron", "markdown": TEXT})["id"]
    document = rest("POST", f"/document-intents/{draft}/confirm")["document"]["id"]
    rest("POST", f"/documents/{document}/publish")
    member = rest("POST", "/members", {"name": "Mateo"})["id"]
    graphql = [{"query": "{ documents { title } }"}, {"query": "{ nothing }"}, {"query": "{"}]
    read = [client.post("/graphql", json=one, headers=site).text for one in graphql]

    link = rest("POST", f"/documents/{document}/review-links", {"name": "Lee"})["link"].partition("#")[2]
    client.post("/console/review", data={"link": link})
    client.cookies.clear()
    planted["review link"] = link
    planted["session"], invitation, planted["calendar"] = in_the_console(client, owner.secret, member)
    client.get("/calendar.ics", params={"token": planted["calendar"]})
    planted["invitation"] = invitation
    planted["token of a member"] = accepted(client, invitation)
    for path in ("/documents", "/graphql?query={categories{id}}", "/mcp", "/metrics", "/console/board", "/nowhere"):
        for secret in (*planted.values(), "cwm_wrong"):
            client.get(path, headers={"Authorization": f"Bearer {secret}"})
            client.post(path, content=secret.encode(), headers=bearer)
            client.get(path, params={"token": secret}, headers={"Authorization": secret, "Cookie": f"x={secret}"})
    for secret in (one for one in planted.values() if one.startswith(("cw", "whsec_"))):
        for path in ("", "documents/", "documents/x/", "console/", "graphql/", "mcp/"):
            client.get(f"/{path}{secret}", headers=bearer)
    read += [client.get("/metrics", headers={"Authorization": f"Bearer {planted['metrics token']}"}).text]
    reads = ("/tokens", "/members", "/project", "/documents", f"/documents/{document}/activity", "/events?limit=1000")
    return "".join([*read, *(client.get(path, headers=bearer).text for path in reads)])


def in_the_console(client: httpx.Client, token: str, member: str) -> tuple[str, str, str]:
    """Signs in and invites a member; returns the secrets of the session, the invitation and a calendar."""
    client.post("/console/sign-in", data={"token": "cwm_wrong"})
    client.post("/console/sign-in", data={"token": token})
    session = client.cookies["cw_session"]
    page = f"/console/administration/members/{member}"
    csrf = re.search(r'name="csrf-token" content="(\w+)"', client.get(page).text)
    assert csrf is not None
    sent = {"_csrf": csrf[1], "scopes": "read", "days": "7"}
    link = re.search(r"/console/join#([\w.-]+)", unescape(client.post(f"{page}/invite", data=sent).text))
    calendar = re.search(r"cwc_[\w-]+", client.post("/console/inbox/calendar", data={"_csrf": csrf[1]}).text)
    assert link is not None
    assert calendar is not None
    client.cookies.clear()
    return session, link[1], calendar[0]


def accepted(client: httpx.Client, invitation: str) -> str:
    """Accepts an invitation, also once too often; returns the token that it makes."""
    joined = client.post("/console/join", data={"invitation": invitation})
    client.post("/console/join", data={"invitation": invitation})
    client.cookies.clear()
    token = re.search(r"cwm_[\w-]+", joined.text)
    assert token is not None
    return token[0]


def command_lines() -> str:
    """Returns the command line of every process."""
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            lines.append(f"{process.name} {(process / 'cmdline').read_text()}")
        except OSError:
            continue
    return "\n".join(lines)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads command lines from /proc")
def test_no_secret_is_where_it_does_not_belong(found: dict[str, str], planted: dict[str, str]) -> None:
    assert len(planted) == 15
    assert all(found.values())
    named = {place: {name for name, secret in planted.items() if secret in text} for place, text in found.items()}
    assert named == {place: BELONG.get(place, set()) for place in found}
    assert TEXT not in found["log"]
    assert '"message":"webhook attempted"' in found["log"]
