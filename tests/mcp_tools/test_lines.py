"""Lines over stdio: each is sent to an MCP endpoint and answered by one line, or by none where none is due."""

from typing import Any

import pytest
from click.testing import CliRunner
from flask import Flask
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.version import LATEST_PROTOCOL_VERSION

from app.cli.mcp import command
from app.core.vocabulary import TOOLSETS
from mcp_tools.over_stdio import StdioServer
from tests.make import Project
from tests.mcp_tools.client import GREETING, SETS, over_stdio

LISTING = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def test_every_request_is_answered_once_and_no_notification(app: Flask, project: Project) -> None:
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    calls = [{**LISTING, "id": number} for number in range(2, 30)]

    answers = over_stdio(app, project.token().secret, GREETING, noted, *calls)

    assert answers[0]["id"] == 1
    assert sorted(answer["id"] for answer in answers) == list(range(1, 30))


def test_what_fails_unexpectedly_is_answered_with_an_error(project: Project) -> None:
    def broken(environ: Any, start_response: Any) -> Any:
        raise RuntimeError("a bug")

    answers = over_stdio(broken, project.token().secret, GREETING, LISTING)  # type: ignore[arg-type]

    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(1, -32603), (2, -32603)]


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"{", -32700), (b"\xff", -32700), (b"null", -32600), (b"[]", -32600), (b"5", -32600), (b"{}", -32600)],
)
def test_a_line_that_is_no_message_is_answered_as_over_http(
    app: Flask, project: Project, line: bytes, code: int
) -> None:
    [answer] = over_stdio(app, project.token().secret, line)

    assert (answer["id"], answer["error"]["code"]) == (None, code)


@pytest.mark.parametrize("text", [rb'"\ud800"', b"NaN"])
def test_a_request_that_is_no_strict_json_is_answered_under_its_id(app: Flask, project: Project, text: bytes) -> None:
    line = b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "list_briefs", "arguments": %b}}'

    [answer] = over_stdio(app, project.token().secret, line % text)

    assert (answer["id"], answer["error"]["code"]) == (7, -32700)


def test_an_empty_line_is_ignored(app: Flask, project: Project) -> None:
    assert over_stdio(app, project.token().secret, b"", b"  ") == []


NEWEST = {PROTOCOL_VERSION_META_KEY: LATEST_PROTOCOL_VERSION}
LONG = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"_meta": NEWEST, "name": "é" * 9_000}}


@pytest.mark.parametrize(
    ("message", "id"),
    [
        ({"id": 7, "params": "x"}, 7),
        ({"jsonrpc": "2.0", "id": 7, "method": 5}, 7),
        ({"jsonrpc": "2.0", "id": 7, "method": ["ping"]}, 7),
        ({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}, "a"),
        ({"jsonrpc": "20", "id": 7, "method": "ping"}, 7),
        ({"jsonrpc": "2.0", "id": 7}, 7),
        ({"jsonrpc": "2.0", "id": {"a": [1]}, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None),
        pytest.param(LONG, 7, id="a name that is too long for the header that repeats it"),
        pytest.param({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": "x" * 20_971_520}}, 7, id="20 MB"),
    ],
)
def test_a_message_of_the_wrong_form_or_length_is_an_invalid_request(
    app: Flask, project: Project, message: Any, id: Any
) -> None:
    [answer] = over_stdio(app, project.token().secret, message)

    assert (answer["id"], answer["error"]["code"]) == (id, -32600)


@pytest.mark.parametrize(("method", "revision"), [("töols/list", LATEST_PROTOCOL_VERSION), ("tools/list", "ü")])
def test_a_method_or_a_revision_that_no_header_can_hold_is_answered_with_an_error(
    app: Flask, project: Project, method: str, revision: str
) -> None:
    params = {"_meta": {PROTOCOL_VERSION_META_KEY: revision}}

    [answer] = over_stdio(app, project.token().secret, {"jsonrpc": "2.0", "id": 7, "method": method, "params": params})

    assert (answer["id"], answer["error"]["code"] < 0) == (7, True)


def test_the_clients_name_of_the_handshake_goes_with_every_call(app: Flask, project: Project) -> None:
    created = {"name": "create_cluster_intent", "arguments": {"name": "Rye"}}

    answers = over_stdio(app, project.token().secret, GREETING, {**LISTING, "method": "tools/call", "params": created})

    assert answers[1]["result"]["structuredContent"]["createdBy"]["agent"] == "desk"


def test_an_invalid_token_is_an_error_that_says_so(app: Flask) -> None:
    [answer] = over_stdio(app, "cwm_unknown", GREETING)

    assert answer["id"] == 1
    assert answer["error"]["message"].startswith("CONTENT_WORKFLOW_TOKEN holds no valid management token")


def test_a_toolset_goes_in_the_address(app: Flask, project: Project) -> None:
    url = "http://localhost/mcp?toolset=writing"

    [_, answer] = over_stdio(app, project.token().secret, GREETING, LISTING, url=url)

    assert {tool["name"] for tool in answer["result"]["tools"]} == set(SETS["writing"])


def test_an_unknown_toolset_of_the_command_is_refused_with_those_there_are() -> None:
    ended = CliRunner().invoke(command, ["--toolset", "painting"])

    assert ended.exit_code == 2
    assert all(f"'{name}'" in ended.output for name in TOOLSETS)


def test_a_token_that_no_header_can_hold_is_invalid() -> None:
    ended = CliRunner().invoke(command, env={"CONTENT_WORKFLOW_TOKEN": "cwm_\u2026"})

    assert ended.exit_code == 1
    assert "CONTENT_WORKFLOW_TOKEN holds no valid management token" in ended.output


def test_white_space_around_the_token_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(StdioServer, "serve", lambda self, lines: sent.append(self._http.headers["Authorization"]))

    monkeypatch.setattr("app.cli.mcp._this_process", lambda: None)

    CliRunner().invoke(command, env={"CONTENT_WORKFLOW_TOKEN": " cwm_x\n"})

    assert sent == ["Bearer cwm_x"]
