"""MCP over stdio, on the database at hand, for clients of today and of before."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import mcp_types as t
import pytest
from click.testing import CliRunner
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from app.cli.mcp import command as mcp_command
from app.core.store.store import Store
from tests.make import Project, a_ready_brief
from tests.mcp_tools.client import GREETING

pytestmark = [pytest.mark.needs_mongod, pytest.mark.slow]

PROGRAM = "from app.cli import main; main()"


def _environment(uri: str, store: Store, secret: str) -> dict[str, str]:
    named = {"MONGODB_URI": uri, "MONGODB_DATABASE": store.database.name, "CONTENT_WORKFLOW_TOKEN": secret}
    return {**os.environ, **named, "LOG_LEVEL": "CRITICAL"}


def _claim(environment: dict[str, str], mode: str) -> dict[str, Any]:
    """Claims the next brief with the SDK's client and returns the record."""
    program = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp"], env=environment)

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
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_stdio_serves_the_tools_on_the_database(mongodb_uri: str, store: Store, project: Project, mode: str) -> None:
    a_ready_brief(project.context())
    token = project.token()

    claimed = _claim(_environment(mongodb_uri, store, token.secret), mode)

    assert claimed["brief"]["claimedBy"] == {"type": "token", "id": token.id, "name": "A script", "agent": "desk"}


def test_stdio_says_that_the_token_is_not_set() -> None:
    ended = CliRunner().invoke(
        mcp_command, env={"MONGODB_URI": "mongodb://nowhere.invalid", "CONTENT_WORKFLOW_TOKEN": ""}
    )

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "CONTENT_WORKFLOW_TOKEN is not set" in ended.stderr


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
    messages = [GREETING, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *called]

    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, "mcp"],
        input="".join(json.dumps(message) + "\n" for message in messages),
        env=_environment(mongodb_uri, store, project.token().secret),
        **{"capture_output": True, "text": True, "check": True, "timeout": 120},
    )

    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == [1, 2, 3, 4, 5, 6]
    assert all("id" in answer["result"]["structuredContent"] for answer in answers if answer["id"] > 1)
