"""MCP over HTTP: which tokens, hosts and origins it accepts, and the names of agents."""

import asyncio
import base64
import logging
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any
from unittest.mock import Mock

import httpx2
import mcp_types as t
import pytest
from flask import Flask
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from app.core.errors import Unauthorized
from app.core.features import Features
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.features import ALL
from mcp_tools.tools import tools_of
from tests.http.servers import a_server
from tests.make import Project, a_document, a_ready_brief, an_app
from tests.mcp_tools.client import ERAS, HANDSHAKE, MODERN, Agent, with_sdk

TOOLS = tools_of(ALL)

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_only_post_is_taken(agent: Agent, method: str) -> None:
    answer = agent.client.open("/mcp", method=method, headers={"Authorization": f"Bearer {agent.token.secret}"})

    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]
    assert answer.json["_tag"] == "MethodNotAllowed"


def test_a_host_that_is_not_ours_is_refused(agent_of_era: Agent) -> None:
    assert agent_of_era.post("tools/list", Host="evil.example").status_code == 421


@pytest.mark.contract("decided-mcp.origin")
@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:9999", "null"])
def test_a_page_of_another_origin_is_refused(agent_of_era: Agent, origin: str) -> None:
    assert agent_of_era.post("tools/list", Origin=origin).status_code == 403


def test_a_page_of_our_own_address_and_a_client_without_origin_are_served(agent_of_era: Agent) -> None:
    assert agent_of_era.post("tools/list", Host="localhost:8000", Origin="http://localhost:8000").status_code == 200
    assert agent_of_era.post("tools/list").status_code == 200


@pytest.mark.parametrize(
    ("settings", "host"),
    [
        ({"mcp_allowed_hosts": ("content.example",)}, "content.example"),
        ({"mcp_allowed_hosts": ("content.example",)}, "content.example:8443"),
        ({"public_url": "https://content.example"}, "content.example"),
        ({"mcp_allowed_hosts": ("*",)}, "any.example"),
    ],
)
def test_hosts_are_opened_by_the_settings(store: Store, agent: Agent, settings: dict[str, object], host: str) -> None:
    elsewhere = Agent(an_app(store, **settings).test_client(), agent.token)

    assert elsewhere.post("tools/list", Host=host).status_code == 200
    assert elsewhere.post("tools/list", Host=host, Origin="https://evil.example").status_code == 403


@pytest.mark.parametrize("era", ERAS)
def test_a_rate_limit_is_reported_in_the_tool_result(store: Store, agent: Agent, era: str) -> None:
    hasty = Agent(an_app(store, rate_limit=1).test_client(), agent.token, era)
    hasty.call("get_project")

    answer = hasty.post("tools/call", {"name": "get_project", "arguments": {}})

    result = answer.json["result"]
    assert result["isError"]
    assert result["structuredContent"]["_tag"] == "RateLimited"
    assert answer.headers["Retry-After"] in result["content"][1]["text"]
    assert hasty.post("tools/list").json["error"]["data"]["_tag"] == "RateLimited"


def test_failed_authentications_are_limited(store: Store, agent: Agent) -> None:
    client = an_app(store, failed_auth_limit=1).test_client()
    stranger = Agent(client, agent.token)

    refused = [stranger.post("tools/list", Authorization="Bearer cwm_guess").status_code for _ in range(2)]

    assert refused == [401, 429]
    assert stranger.post("tools/list").status_code == 200


@pytest.mark.contract("decided-mcp.limits")
def test_the_limits_of_rest_and_mcp_are_one(store: Store, agent: Agent) -> None:
    client = an_app(store, rate_limit=1).test_client()
    client.get("/project", headers={"Authorization": f"Bearer {agent.token.secret}"})

    assert Agent(client, agent.token).refused("get_project")["_tag"] == "RateLimited"


def _claimed_by(agent: Agent, project: Project, **headers: str) -> str:
    document = a_ready_brief(project.context())
    result = agent.ask("tools/call", {"name": "claim_brief", "arguments": {"documentId": document["id"]}}, **headers)
    name: str = result["structuredContent"]["brief"]["claimedBy"]["agent"]
    return name


def _handshake(agent: Agent, revision: str = HANDSHAKE) -> str:
    info = {"name": agent.name, "version": "1"}
    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": info}
    return agent.post("initialize", params, MCP_Protocol_Version="").headers["Mcp-Session-Id"]


@pytest.mark.contract("decided-mcp.agent")
def test_the_agent_is_the_clients_name(agent: Agent, project: Project) -> None:
    assert _claimed_by(agent, project) == "test-agent"


@pytest.mark.contract("decided-mcp.agent", "decided-mcp.stateless")
def test_the_agent_of_a_client_that_shakes_hands_is_known_on_every_server(
    agent: Agent, store: Store, project: Project
) -> None:
    here = agent.by(agent.token, era=HANDSHAKE, name="Schreibhilfe ✍")
    elsewhere = Agent(an_app(store).test_client(), agent.token, HANDSHAKE)

    assert _claimed_by(elsewhere, project, Mcp_Session_Id=_handshake(here)) == "Schreibhilfe ✍"


@pytest.mark.parametrize("session", ["", "AAAA", "no session", "x" * 500])
def test_an_invalid_session_id_names_no_client(agent: Agent, project: Project, session: str) -> None:
    here = agent.by(agent.token, era=HANDSHAKE)

    assert _claimed_by(here, project, Mcp_Session_Id=session) == ""


def test_a_session_id_is_not_unpacked_before_its_signature_is_checked(agent: Agent, monkeypatch: Any) -> None:
    monkeypatch.setattr("itsdangerous.url_safe.zlib.decompress", Mock(side_effect=AssertionError))
    packed = base64.urlsafe_b64encode(zlib.compress(b"[" * 2_000)).decode()

    assert agent.by(agent.token, era=HANDSHAKE).post("ping", Mcp_Session_Id=f".{packed}.AAAA").status_code == 200


def test_a_session_id_holds_for_its_token_alone(agent: Agent, project: Project) -> None:
    here = agent.by(agent.token, era=HANDSHAKE)

    assert _claimed_by(here.by(project.token()), project, Mcp_Session_Id=_handshake(here)) == ""


@pytest.mark.contract("decided-mcp.agent")
def test_the_agent_of_a_token_comes_before_the_clients_name(agent_of_era: Agent, project: Project) -> None:
    named = agent_of_era.by(project.token(agent="night-writer"))

    assert _claimed_by(named, project) == "night-writer"


@pytest.mark.parametrize(("name", "kept"), [("a\u0000b\nc", "abc"), ("x" * 300, "x" * 100), ("  ", "")])
def test_a_clients_name_is_stored_in_a_form_that_records_allow(
    agent: Agent, project: Project, name: str, kept: str
) -> None:
    assert _claimed_by(agent.by(agent.token, name=name), project) == kept


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_every_revision_with_a_handshake_is_spoken(agent: Agent, revision: str) -> None:
    here = agent.by(agent.token, era=revision)
    info = {"name": "old", "version": "1"}

    params = {"protocolVersion": revision, "capabilities": {}, "clientInfo": info}
    result = here.ask("initialize", params, MCP_Protocol_Version="")

    assert result["protocolVersion"] == revision
    assert "claim_next_brief" in result["instructions"]
    assert "Send your claim's `claimedAt` to each tool that takes it." in result["instructions"]
    assert len(here.ask("tools/list")["tools"]) == len(TOOLS)


@pytest.mark.contract("decided-mcp.stateless")
def test_the_newest_revision_is_discovered(agent: Agent) -> None:
    assert MODERN in agent.ask("server/discover")["supportedVersions"]


@pytest.mark.contract("decided-mcp.body")
def test_a_body_over_20_mb_is_refused(agent: Agent) -> None:
    answer = agent.post("tools/call", {"name": "get_project", "arguments": {"padding": "x" * 20 * 1024 * 1024}})

    assert answer.status_code == 413
    assert answer.json["_tag"] == "PayloadTooLarge"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_reports_why_a_request_is_refused(app: Flask, project: Project, mode: str) -> None:
    async def send(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("get_project", {"padding": "x" * 20 * 1024 * 1024})
        return refused.value.message

    assert "over 20 MB" in with_sdk(app, project.token(), send, mode=mode)


@pytest.mark.needs_mongod
def test_a_client_that_is_still_sending_reads_that_its_body_is_too_long(
    mongodb_uri: str, store: Store, project: Project
) -> None:
    async def send(url: str) -> tuple[str, bool | None]:
        headers = {"Authorization": f"Bearer {project.token().secret}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            with pytest.raises(MCPError) as refused:
                await client.call_tool("get_project", {"padding": "x" * 30 * 1024 * 1024})
            return refused.value.message, (await client.call_tool("get_project", {})).is_error

    with a_server(mongodb_uri, store.database.name) as url:
        message, is_error = asyncio.run(send(url))

    assert "over 20 MB" in message
    assert not is_error


@pytest.mark.parametrize(
    ("body", "code", "request_id"),
    [
        (rb'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "\ud800"}}', -32700, 7),
        (b'{"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": NaN}', -32700, "a"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600, 7),
        (b'{"jsonrpc": "2.0", "id": [7], "method": "tools/list"}', -32600, None),
        (b'{"jsonrpc": "2.0", "id": 7, "method"', -32700, None),
    ],
)
def test_a_message_that_is_no_request_is_refused_under_its_id(
    agent: Agent, body: bytes, code: int, request_id: object
) -> None:
    headers = {"Authorization": f"Bearer {agent.token.secret}", "Accept": "application/json"}

    answer = agent.client.post("/mcp", data=body, headers=headers, content_type="application/json")

    assert (answer.status_code, answer.json["error"]["code"], answer.json["id"]) == (400, code, request_id)


def test_a_refusal_of_a_request_is_an_error_of_json_rpc_too(agent: Agent) -> None:
    answer = agent.post("tools/call", {"name": "get_project", "arguments": {"padding": "x" * 20 * 1024 * 1024}})
    unknown = agent.post("tools/list", Authorization="Bearer cwm_unknown")

    assert (answer.status_code, answer.json["_tag"], answer.json["id"]) == (413, "PayloadTooLarge", None)
    assert answer.json["error"]["message"] == answer.json["message"]
    assert (unknown.status_code, unknown.json["_tag"]) == (401, "Unauthorized")
    assert unknown.json["error"]["message"] == unknown.json["message"] == Unauthorized.message


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdk_reports_what_is_wrong_with_a_token_and_who_gives_a_new_one(
    app: Flask, project: Project, mode: str
) -> None:
    async def use(client: Client) -> None:
        await client.list_tools()

    with pytest.raises((MCPError, ExceptionGroup)) as refused:
        with_sdk(app, replace(project.token(), secret="cwm_unknown"), use, mode=mode)

    error = refused.value
    while isinstance(error, ExceptionGroup):
        [error] = error.exceptions
    assert "unknown, expired, revoked" in str(error)
    assert "ask an administrator of the project for a new one" in str(error)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"5", b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}', b'{"a":' + b"9" * 5_000 + b"}", b"\xff\xfe"],
)
def test_what_is_no_message_is_answered_with_a_client_error(agent: Agent, era: str, body: bytes) -> None:
    headers = {
        "Authorization": f"Bearer {agent.token.secret}",
        "Accept": "application/json",
        "MCP-Protocol-Version": era,
    }
    answer = agent.client.post("/mcp", data=body, content_type="application/json", headers=headers)

    assert 400 <= answer.status_code < 500
    assert answer.json["error"]["code"] < 0


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/unheard_of"])
def test_a_notification_is_taken_and_not_answered(agent_of_era: Agent, method: str) -> None:
    answer = agent_of_era.send({"jsonrpc": "2.0", "method": method})

    assert (answer.status_code, answer.get_data()) == (202, b"")
    assert "Content-Type" not in answer.headers


def test_an_unknown_protocol_revision_is_refused_with_those_that_are_known(agent: Agent) -> None:
    stranger = agent.by(agent.token, era="2031-01-01")
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2031-01-01"}}
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {}

    asked = stranger.post("tools/list", params, Mcp_Method="tools/list")
    told = stranger.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    assert asked.status_code == told.status_code == 400
    assert MODERN in asked.json["error"]["data"]["supported"]
    assert MODERN in told.json["error"]["data"]["supported"]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Accept": "text/event-stream"}, 406),
        ({"Accept": "text/html, image/*;q=0.8"}, 406),
        ({"Accept": ""}, 406),
        ({"Accept": "*/*"}, 200),
        ({"Accept": "text/html, Application/JSON;q=0.1"}, 200),
        ({"Content-Type": "text/plain"}, 400),
        ({"Content-Type": "application/json-patch+json"}, 400),
        ({"Content-Type": "application/json; charset=utf-8"}, 200),
    ],
)
def test_both_sides_speak_json(agent_of_era: Agent, changed: dict[str, str], status: int) -> None:
    answer = agent_of_era.post("tools/list", **changed)

    assert answer.status_code == status
    assert status == 200 or answer.json["error"]["code"] < 0


def test_an_unknown_method_is_refused_as_each_era_does(agent: Agent) -> None:
    newest = agent.post("tools/forget")
    older = agent.by(agent.token, era=HANDSHAKE).post("tools/forget")

    assert (newest.status_code, older.status_code) == (404, 200)
    assert newest.json["error"]["code"] == older.json["error"]["code"] == -32601


def test_a_subscription_is_refused_at_once(agent_of_era: Agent) -> None:
    asked = agent_of_era.post("subscriptions/listen", {"notifications": {}, "_meta": agent_of_era.meta()})

    assert asked.json["error"]["code"] == -32601


def test_a_message_that_takes_long_delays_no_other(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, let_go = Event(), Event()

    def listed_late(features: Features, scopes: frozenset[Scope], toolset: str) -> list[t.Tool]:
        begun.set()
        let_go.wait(60)
        return []

    monkeypatch.setattr("mcp_tools.server.tools_for", listed_late)
    with ThreadPoolExecutor(1) as another:
        listing = another.submit(agent.ask, "tools/list")
        begun.wait(60)
        try:
            assert agent.call("get_project")["id"]
            assert not listing.done()
        finally:
            let_go.set()

    assert listing.result()["tools"] == []


@pytest.mark.parametrize("header", ["Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"])
def test_headers_that_say_something_else_than_the_message_are_refused(agent: Agent, header: str) -> None:
    called = {"name": "get_project", "arguments": {}}

    assert agent.post("tools/call", called, **{header: "2026-07-29"}).status_code == 400


@pytest.mark.parametrize("of_a_trace", [5, [1, 2], {}, None, True])
def test_what_is_no_trace_is_passed_over(agent_of_era: Agent, of_a_trace: object) -> None:
    meta = agent_of_era.meta() | dict.fromkeys(("traceparent", "tracestate", "baggage"), of_a_trace)

    assert agent_of_era.post("tools/list", {"_meta": meta}).status_code == 200


def test_a_bug_is_reported_with_the_id_of_its_request(
    agent_of_era: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("mcp_tools.server.tools_for", lambda *given: 1 / 0)
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("ERROR", "content_workflow.mcp")

    answer = agent_of_era.post("tools/list", X_Request_Id="the-one")

    assert answer.json["error"]["code"] == -32603
    assert answer.json["error"]["data"]["_tag"] == "InternalError"
    assert "the-one" in answer.json["error"]["message"]
    assert {vars(record)["requestId"] for record in caplog.records} == {"the-one"}


def test_a_long_message_of_a_token_that_calls_too_often_is_not_read(store: Store, agent: Agent) -> None:
    hasty = Agent(an_app(store, rate_limit=1).test_client(), agent.token)
    hasty.call("get_project")

    answer = hasty.post("tools/call", {"name": "get_project", "arguments": {"padding": "x" * 1024 * 1024}})

    assert (answer.status_code, answer.json["_tag"]) == (429, "RateLimited")


def test_a_request_keeps_its_id(agent_of_era: Agent) -> None:
    for one in (0, -5, "a", "7", "ß"):
        assert agent_of_era.post("tools/list", id=one).json["id"] == one


def test_half_a_surrogate_pair_is_refused(agent_of_era: Agent) -> None:
    answer = agent_of_era.post_raw_title("\\ud800")

    assert answer.status_code == 400
    assert "not valid JSON" in answer.json["error"]["message"]
    assert agent_of_era.call("list_intents")["items"] == []


@pytest.mark.parametrize("mode", ["auto", "legacy", MODERN])
def test_the_sdks_client_is_served_in_every_mode(app: Flask, project: Project, mode: str) -> None:
    document = a_document(project.context())

    async def use(client: Client) -> tuple[int, Any]:
        tools = await client.list_tools()
        read = await client.call_tool("get_document", {"documentId": document["id"]})
        return len(tools.tools), read.structured_content

    many, record = with_sdk(app, project.token(), use, mode=mode)

    assert many == len(TOOLS)
    assert record["title"] == document["title"]
