"""MCP over stdio: on the database for a client of today, and handed on to a service elsewhere for one of before."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import mcp_types as t
import pytest
from click.testing import CliRunner
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from app.cli.mcp import command as mcp_command
from app.core.store.store import Store
from tests.make import Project, a_ready_brief
from tests.mcp_tools.servers import a_server

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

PROGRAM = "from app.cli import main; main()"


def _environment(uri: str, store: Store, secret: str) -> dict[str, str]:
    named = {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name, "CONTENT_WORKFLOW_TOKEN": secret}
    return {**os.environ, **named, "LOG_LEVEL": "CRITICAL"}


@pytest.fixture(scope="module")
def url(mongodb_uri: str, store: Store) -> Iterator[str]:
    """The service elsewhere that messages are handed on to."""
    with a_server(mongodb_uri, store.database.name) as address:
        yield address


def _claim(arguments: list[str], environment: dict[str, str], mode: str) -> dict[str, Any]:
    """Claims the next brief with the SDK's client and returns the record."""
    program = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp", *arguments], env=environment)

    async def main() -> dict[str, Any]:
        info = t.Implementation(name="desk", version="1")
        async with Client(stdio_client(program), client_info=info, mode=mode) as client:
            tools = await client.list_tools()
            assert "claim_next_brief" in {tool.name for tool in tools.tools}
            claimed = await client.call_tool("claim_next_brief", {"leaseSeconds": 60})
            assert not claimed.is_error, claimed
            record: dict[str, Any] = claimed.structured_content or {}
            return record

    return asyncio.run(main())


@pytest.mark.contract("decided-mcp.stdio")
def test_stdio_serves_the_tools_on_the_database(mongodb_uri: str, store: Store, project: Project) -> None:
    a_ready_brief(project.context())
    token = project.token()

    claimed = _claim([], _environment(mongodb_uri, store, token.secret), "auto")

    assert claimed["brief"]["claimedBy"] == {"type": "token", "id": token.id, "name": "A script", "agent": "desk"}


def test_stdio_hands_messages_on_to_a_service_elsewhere(url: str, store: Store, project: Project) -> None:
    a_ready_brief(project.context())
    environment = _environment("mongodb://nowhere.invalid", store, project.token().secret)

    claimed = _claim(["--url", f"{url}/mcp"], environment, "legacy")

    assert claimed["brief"]["claimedBy"]["agent"] == "desk"


def test_stdio_says_that_the_token_is_not_set() -> None:
    ended = CliRunner().invoke(
        mcp_command, env={"MONGODB_URI": "mongodb://nowhere.invalid", "CONTENT_WORKFLOW_TOKEN": ""}
    )

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "CONTENT_WORKFLOW_TOKEN is not set" in ended.stderr


def _lines(*messages: dict[str, Any]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def _piped(text: str, environment: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    """Runs the command on a text that ends, and returns it when it has ended too."""
    command = [sys.executable, "-c", PROGRAM, "mcp", *options]
    return subprocess.run(command, input=text, env=environment, capture_output=True, text=True, check=True, timeout=120)


def test_the_end_of_a_pipe_cuts_no_answer_off(mongodb_uri: str, store: Store, project: Project) -> None:
    called = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": "create_cluster_intent", "arguments": {"name": f"Cluster {number}"}},
        }
        for number in range(2, 7)
    ]
    messages = [HANDSHAKE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *called]

    ended = _piped(_lines(*messages), _environment(mongodb_uri, store, project.token().secret))

    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4, 5, 6]
    assert all("id" in answer["result"]["structuredContent"] for answer in answers if answer["id"] > 1)


HANDSHAKE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "n", "version": "1"}},
}


def _relayed(url: str, environment: dict[str, str]) -> dict[str, Any]:
    """Hands one message on, and returns the one answer before the pipe ends."""
    ended = _piped(_lines(HANDSHAKE), environment, "--url", url)
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def test_an_unreachable_service_is_an_error_in_the_response(mongodb_uri: str, store: Store) -> None:
    answer = _relayed("http://127.0.0.1:9/mcp", _environment(mongodb_uri, store, "cwm_any"))

    assert answer["id"] == 1
    assert "can't be reached" in answer["error"]["message"]
