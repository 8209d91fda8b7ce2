"""Other people's clients connect from the address alone: they list tools, claim a brief, refresh, and are revoked."""

import html
import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

from app.core.store.store import Store
from tests.clients.npm import installed
from tests.conftest import CHECKOUT
from tests.make import Project, Token, a_ready_brief
from tests.oauth.conftest import serving_connectable
from tests.oauth.flow import onward

pytestmark = [pytest.mark.clients, pytest.mark.slow, pytest.mark.needs_mongod]

NODE = Path(__file__).parents[1] / "clients" / "mcp"
FASTMCP = Path(__file__).parents[1] / "clients" / "fastmcp"
PATIENCE = 280


class Person:
    """Somebody at a browser, whom clients ask."""

    def __init__(self, address: str, token: Token) -> None:
        self.http = httpx.Client(base_url=address)
        self.http.post("/console/sign-in", data={"token": token.secret})

    def agree(self, asked: str) -> str:
        """Agrees to what a client asks for, and returns the address with the answer."""
        page = self.http.get(onward(self.http.get(asked)))  # type: ignore[arg-type]
        assert page.status_code == 200, page.text
        action = re.search(r'<form method="post" action="([^"]*/connect[^"]*)"', page.text)
        csrf = re.search(r'name="_csrf" value="(\w+)"', page.text)
        assert action, page.text
        assert csrf
        form = {
            "_csrf": csrf[1],
            "scopes": re.findall(r'name="scopes" value="(\w+)"', page.text),
            **{name: _value(page.text, name) for name in ("agent", "writesPerHour", "days")},
            "answer": "yes",
        }
        response = self.http.post(html.unescape(action[1]), data=form)
        assert response.status_code == 303, response.text
        return response.headers["Location"]


def _value(page: str, name: str) -> str:
    found = re.search(rf'name="{name}"[^>]* value="([^"]*)"', page)
    assert found, page
    return html.unescape(found[1])


@pytest.fixture
def address(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a server looks tokens up on each request, as each does after a few seconds."""
    monkeypatch.setattr("app.projects.access.Access.__init__.__defaults__", (0,))
    with serving_connectable(store) as address:
        yield address


@pytest.fixture
def person(address: str, editor: Token) -> Person:
    """The person who agrees."""
    return Person(address, editor)


@pytest.fixture(autouse=True)
def _brief(project: Project) -> None:
    """A brief to claim."""
    a_ready_brief(project.context())


def expire(project: Project) -> None:
    """Has the access token of the project's connection end now."""
    ended = {"$set": {"connection.accessExpiresAt": datetime.now(UTC)}}
    changed = project.store.database.tokens.update_many({"grantedBy": {"$ne": None}, "revokedAt": None}, ended)
    assert changed.modified_count


def revoke(project: Project, address: str) -> None:
    """Revokes the project's connection."""
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    listed = httpx.get(f"{address}/tokens", headers=owner).json()
    (made,) = (one["id"] for one in listed if one["client"] and not one["revokedAt"])
    assert httpx.delete(f"{address}/tokens/{made}", headers=owner).status_code == 200


@pytest.fixture(scope="session")
def node() -> Path:
    """The folder with the clients, installed from the lock file."""
    installed(NODE, "the clients that connect by OAuth are not tried", "--ignore-scripts")
    return NODE


@pytest.fixture(scope="session")
def fastmcp() -> Path:
    """The folder with fastmcp's client, installed from the lock file into an environment of its own."""
    uv, lock, there = Path(sys.executable).with_name("uv"), FASTMCP / "requirements.txt", FASTMCP / ".venv" / "done"
    if not there.exists() or there.stat().st_mtime < lock.stat().st_mtime:
        python = FASTMCP / ".venv" / "bin" / "python"
        made = [uv, "venv", "--quiet", "--clear", "--python", sys.executable, FASTMCP / ".venv"]
        synced = [uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python, lock]
        for command in (made, synced):
            subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE)
        there.touch()
    return FASTMCP


@contextmanager
def program(folder: Path, *command: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a client."""
    with subprocess.Popen(
        command, cwd=folder, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """Returns the next line of a client."""
    assert process.stdout
    line = process.stdout.readline().strip()
    assert line, process.stderr.read() if process.stderr else ""
    return line


def tell(process: subprocess.Popen[str], line: str = "") -> None:
    """Sends a line to a client."""
    assert process.stdin
    process.stdin.write(line + "\n")
    process.stdin.flush()


@pytest.mark.contract("decided-oauth.clients")
@pytest.mark.parametrize(
    "command", [("connect.mjs", "sdk"), ("connect.mjs", "client"), ("connect_oauth4webapi.mjs",)], ids=" ".join
)
def test_the_clients_of_node(
    node: Path, address: str, person: Person, project: Project, command: tuple[str, ...]
) -> None:
    with program(node, "node", *command, f"{address}/mcp") as process:
        asked = said(process).removeprefix("authorize ")
        tell(process, urlsplit(person.agree(asked)).query)
        assert int(said(process).removeprefix("tools ")) > 40
        assert said(process) == "claimed claimed"
        expire(project)
        tell(process)
        assert said(process) == "refreshed true"
        if "oauth4webapi" not in command[0]:  # which revokes its token itself
            revoke(project, address)
        tell(process)
        assert said(process) == "refused"


@pytest.mark.contract("decided-oauth.clients")
def test_fastmcp(fastmcp: Path, address: str, person: Person, project: Project) -> None:
    with program(fastmcp, ".venv/bin/python", "connect.py", f"{address}/mcp") as process:
        assert httpx.get(person.agree(said(process).removeprefix("authorize "))).status_code == 200
        assert int(said(process).removeprefix("tools ")) > 40
        assert said(process) == "claimed claimed"
        expire(project)
        tell(process)
        assert said(process) == "refreshed True"
        revoke(project, address)
        tell(process)
        assert said(process).startswith("authorize "), "it asks the person again"


class Kept:
    """What the Python SDK's client remembers."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Returns the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Remembers the tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Returns the registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Remembers the registration."""
        self.client = client_info


@pytest.mark.contract("decided-oauth.clients")
def test_the_python_sdk(address: str, person: Person, project: Project) -> None:
    kept, answers = Kept(), []

    async def redirected(asked: str) -> None:
        answers.append(await anyio.to_thread.run_sync(person.agree, asked))

    async def called_back() -> AuthorizationCodeResult:
        sent = {name: values[0] for name, values in parse_qs(urlsplit(answers[-1]).query).items()}
        return AuthorizationCodeResult(code=sent["code"], state=sent["state"], iss=sent["iss"])

    provider = OAuthClientProvider(
        server_url=f"{address}/mcp",
        client_metadata=OAuthClientMetadata.model_validate(
            {"redirect_uris": ["http://127.0.0.1:3456/callback"], "client_name": "python-sdk"}
        ),
        storage=kept,
        redirect_handler=redirected,
        callback_handler=called_back,
    )

    async def work() -> None:
        async with (
            httpx2.AsyncClient(auth=provider, trust_env=False, timeout=30) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
        ):
            assert len((await client.list_tools()).tools) > 40
            claimed = (await client.call_tool("claim_next_brief", {})).structured_content
            assert claimed
            assert claimed["brief"]["state"] == "claimed"
            before = kept.tokens
            await anyio.to_thread.run_sync(expire, project)
            provider.context.token_expiry_time = 1
            brief = (await client.call_tool("get_brief", {"documentId": claimed["id"]})).structured_content
            assert brief
            assert brief["id"] == claimed["id"]
            assert kept.tokens != before
            assert len(answers) == 1
            await anyio.to_thread.run_sync(revoke, project, address)
            await client.call_tool("list_briefs", {})
            assert len(answers) == 2, "it asks the person again"

    anyio.run(work)


@pytest.mark.contract("decided-oauth.clients")
def test_mcp_remote(node: Path, address: str, person: Person, project: Project, tmp_path: Path) -> None:
    environment = {**os.environ, "MCP_REMOTE_CONFIG_DIR": str(tmp_path), "BROWSER": "true", "DISPLAY": ""}
    command = ["node", "node_modules/mcp-remote/dist/proxy.js", f"{address}/mcp", "--allow-http"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=node, env=environment, text=True, **pipes) as process:
        assert process.stderr
        try:
            log = (line.strip() for line in process.stderr)
            asked = next(line for line in log if line.startswith(f"{address}/oauth/authorize"))
            threading.Thread(target=process.stderr.read, daemon=True).start()
            assert httpx.get(person.agree(asked)).status_code == 200
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
            assert "serverInfo" in message(process, "initialize", hello)
            assert len(message(process, "tools/list", {})["tools"]) > 40
            claimed = message(process, "tools/call", {"name": "claim_next_brief", "arguments": {}})
            assert claimed["structuredContent"]["brief"]["state"] == "claimed"
            expire(project)
            asked_for = {"name": "get_brief", "arguments": {"documentId": claimed["structuredContent"]["id"]}}
            assert message(process, "tools/call", asked_for)["structuredContent"]["brief"]["state"] == "claimed"
        finally:
            process.kill()
    revoke(project, address)


def test_mcp_remote_with_a_token(node: Path, address: str, project: Project, tmp_path: Path) -> None:
    """With the arguments that docs/agents.md shows for clients that know only stdio."""
    environment = {"MCP_REMOTE_CONFIG_DIR": str(tmp_path), "TOKEN": f"Bearer {project.token(agent='desk').secret}"}
    documented = ["--transport", "http-only", "--header", "Authorization:${TOKEN}"]
    assert ", ".join(f'"{one}"' for one in documented) in (CHECKOUT / "docs" / "agents.md").read_text("utf-8")
    command = ["node", "node_modules/mcp-remote/dist/proxy.js", f"{address}/mcp", *documented, "--allow-http"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=node, env={**os.environ, **environment}, text=True, **pipes) as process:
        try:
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
            assert "serverInfo" in message(process, "initialize", hello)
            claimed = message(process, "tools/call", {"name": "claim_next_brief", "arguments": {}})
            assert claimed["structuredContent"]["brief"]["claimedBy"]["agent"] == "desk"
        finally:
            process.kill()


def message(process: subprocess.Popen[str], method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Sends a message to a server on standard input, and returns its result."""
    tell(process, json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))
    response = json.loads(said(process))
    while response.get("id") != method:
        response = json.loads(said(process))
    result: dict[str, Any] = response["result"]
    return result
