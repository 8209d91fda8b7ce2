"""Sets of tools: fewer for clients whose work needs few (`/mcp?toolset=writing`)."""

import re
from pathlib import Path

import pytest

from app.core.vocabulary import ALL_TOOLS, TOOLSETS, Scope
from app.features import ALL, OPERATIONS
from mcp_tools.tools import tools_of
from tests.make import Project
from tests.mcp_tools.client import SETS, Agent

TOOLS = tools_of(ALL)

AGENT = (Scope.READ, Scope.WRITE)
MOST_BYTES = {"writing": 16 * 1024, "planning": 36_000, "reviewing": 29_500, "admin": 26_000}


def test_every_tool_is_in_a_toolset_that_exists() -> None:
    assert all(bool(operation.toolsets) == operation.tool for operation in OPERATIONS)
    assert {toolset for operation in OPERATIONS for toolset in operation.toolsets} == set(TOOLSETS) - {ALL_TOOLS}


@pytest.mark.parametrize(("toolset", "described"), [("writing", SETS["writing"]), ("reviewing", ["request_changes"])])
def test_what_a_tool_says_to_call_next_is_in_its_set(toolset: str, described: list[str]) -> None:
    tools = tools_of(ALL, toolset)
    named = {name for tool in described for name in re.findall("`(\\w+)`", tools[tool].definition.description or "")}

    assert named & set(TOOLS)
    assert named & set(TOOLS) <= set(SETS[toolset])


@pytest.mark.parametrize("toolset", SETS)
def test_a_toolset_lists_its_tools_of_the_tokens_scopes(agent_of_era: Agent, project: Project, toolset: str) -> None:
    writer = agent_of_era.by(project.token(scopes=AGENT), toolset=toolset)

    listed = [tool["name"] for tool in writer.ask("tools/list")["tools"]]

    assert listed == [n for n, tool in TOOLS.items() if n in SETS[toolset] and tool.operation.scope in AGENT]


@pytest.mark.parametrize("toolset", SETS)
def test_a_toolset_is_a_good_deal_smaller_than_all_tools(agent: Agent, toolset: str) -> None:
    answer = agent.by(agent.token, toolset=toolset).post("tools/list")

    assert len(answer.get_data()) <= MOST_BYTES[toolset]


@pytest.mark.parametrize(("scopes", "scope"), [(tuple(Scope), None), (AGENT, "publish")])
def test_a_tool_of_another_set_is_a_refusal_that_says_how_to_connect(
    agent_of_era: Agent, project: Project, scopes: tuple[Scope, ...], scope: str | None
) -> None:
    refused = agent_of_era.by(project.token(scopes=scopes), toolset="writing").refused("publish_document")

    assert (refused["_tag"], refused.get("scope")) == ("Forbidden", scope)
    assert "ask your operator to connect with `toolset=reviewing`" in refused["message"]
    assert ("the scope `publish`" in refused["message"]) == (scope is not None)


@pytest.mark.parametrize("toolset", SETS)
def test_every_tool_of_another_set_is_refused_that_way(agent: Agent, toolset: str) -> None:
    caller = agent.by(agent.token, toolset=toolset)

    for name in TOOLS.keys() - {*SETS[toolset]}:
        assert caller.refused(name)["_tag"] == "Forbidden"


SIZES = re.compile(
    r"^\| `(\w+)`(?: \(default\))? \|.*\| (\d+) KB(?: with `read` and `write`, (\d+) KB.*)? \|$", re.MULTILINE
)


def test_the_page_for_agents_states_the_sizes_of_the_lists(agent: Agent, project: Project) -> None:
    page = (Path(__file__).parents[2] / "docs" / "agents.md").read_text()
    stated = {name: (int(first), int(whole or first)) for name, first, whole in SIZES.findall(page)}

    def size(toolset: str, scopes: tuple[Scope, ...]) -> int:
        caller = agent.by(project.token(scopes=scopes), toolset=toolset)
        return -(-len(caller.post("tools/list").get_data()) // 1024)

    whole = {name: size(name, tuple(Scope)) for name in TOOLSETS}
    assert stated == {name: (size(name, AGENT) if name == ALL_TOOLS else whole[name], whole[name]) for name in TOOLSETS}


def test_what_people_alone_do_is_in_no_toolset(agent_of_era: Agent) -> None:
    answer = agent_of_era.post("tools/call", {"name": "verify_source", "arguments": {}}).json

    assert answer["error"]["message"].startswith("There is no tool 'verify_source' in the toolset 'all'")
    assert "toolset=" not in answer["error"]["message"]


@pytest.mark.parametrize("toolset", ["painting", "", "Writing"])
def test_an_unknown_toolset_is_refused_with_those_there_are(agent_of_era: Agent, toolset: str) -> None:
    answer = agent_of_era.by(agent_of_era.token, toolset=toolset).post("tools/list")

    assert answer.status_code == 400
    assert all(name in answer.json["error"]["message"] for name in TOOLSETS)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        *((f"{name}=true", 400) for name in ("dryRun", "dryrun", "dry_run")),
        *((f"return={value}", 400) for value in ("", "Minimal", "representation")),
        ("return=minimal", 200),
        *((f"{name}=x", 400) for name in ("toolsets", "Toolset", "tolset", "tool-set", "tools", "returns", "retrun")),
        ("profile=x", 200),
    ],
)
def test_what_is_wrong_in_the_address_is_refused(agent: Agent, query: str, status: int) -> None:
    headers = {"Authorization": f"Bearer {agent.token.secret}", "Accept": "application/json"}
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": agent.meta()}}

    answer = agent.client.post(f"/mcp?{query}", json=listing, headers=headers | {"Mcp-Method": "tools/list"})

    assert answer.status_code == status
    named = "dryRun" if "true" in query else "return" if "ret" in query else "toolset"
    assert f"`{named}`" in answer.text or status == 200


def test_the_set_of_all_tools_may_be_named(agent_of_era: Agent) -> None:
    assert len(agent_of_era.by(agent_of_era.token, toolset="all").ask("tools/list")["tools"]) == len(TOOLS)
