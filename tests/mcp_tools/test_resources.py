"""Resources and the prompt: what a client attaches to a conversation, and how it starts one."""

import json
from typing import Any

import pytest

from app.core.vocabulary import Scope
from mcp_tools.resources import ATTACHED
from tests.make import OPERATIONS, Project, a_document, a_ready_brief, made
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

NOWHERE = "0" * 24


def _read(agent: Agent, uri: str) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = agent.ask("resources/read", {"uri": uri})["contents"]
    return contents


@pytest.mark.contract("decided-mcp.resources")
def test_a_brief_is_a_resource(agent_of_era: Agent, rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context())

    [content] = _read(agent_of_era, f"brief://{document['id']}")

    assert content["mimeType"] == "application/json"
    assert json.loads(content["text"]) == rest.get(f"/documents/{document['id']}/brief").json


@pytest.mark.contract("decided-mcp.resources")
def test_a_documents_markdown_is_a_resource(agent_of_era: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="# Rye\n")

    [content] = _read(agent_of_era, f"document://{document['id']}")

    assert (content["mimeType"], content["text"]) == ("text/markdown", "# Rye\n")


@pytest.mark.needs_mongod
def test_a_long_document_is_attached_in_part_and_says_how_to_read_on(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="x" * (ATTACHED + 1))

    [part, note] = _read(agent, f"document://{document['id']}")

    assert len(part["text"]) == ATTACHED
    assert "read_document_content" in note["text"]
    assert str(ATTACHED) in note["text"]


@pytest.mark.parametrize("uri", [f"brief://{NOWHERE}", f"document://{NOWHERE}", "brief://abc", "file:///etc/passwd"])
def test_what_is_no_resource_is_not_found(agent_of_era: Agent, uri: str) -> None:
    error = agent_of_era.post("resources/read", {"uri": uri}).json["error"]

    assert error["data"]["_tag"] == "NotFound"
    assert error["data"]["uri"] == uri


def test_ready_briefs_and_recent_documents_are_offered(agent_of_era: Agent, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye")

    offered = {one["uri"]: one["name"] for one in agent_of_era.ask("resources/list")["resources"]}

    assert offered == {f"brief://{document['id']}": "Brief: Rye", f"document://{document['id']}": "Rye"}
    assert len(agent_of_era.ask("resources/templates/list")["resourceTemplates"]) == 2


def test_a_token_that_may_not_read_is_offered_nothing(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context())
    writer = agent.by(project.token(scopes=[Scope.WRITE]))

    assert writer.ask("resources/list")["resources"] == []
    error = writer.post("resources/read", {"uri": f"brief://{document['id']}"}).json["error"]
    assert error["data"]["_tag"] == "Forbidden"


def _prompt(agent: Agent, **arguments: str) -> str:
    asked = {"name": "write_document_from_brief", "arguments": arguments}
    [message] = agent.ask("prompts/get", asked)["messages"]
    text: str = message["content"]["text"]
    return text


@pytest.mark.contract("decided-mcp.prompt")
@pytest.mark.needs_mongod
def test_the_prompt_hands_over_the_brief_with_its_category_cluster_and_links(
    agent_of_era: Agent, project: Project
) -> None:
    ctx = project.context()
    category = made(ctx, "category", name="Basics", slug="basics", description="For people who begin.")
    cluster = made(ctx, "cluster", name="Starters", description="All about starters.", keywords=["levain", "poolish"])
    link = a_document(ctx, title="Feeding a starter")
    brief = {
        "keyword": "sourdough starter",
        "audience": "Beginners",
        "outline": "Flour\nWater",
        "internalLinks": [link["id"]],
        "referenceUrls": ["https://example.com/a"],
    }
    document = a_ready_brief(
        ctx, title="How to begin", categoryId=category["id"], clusterId=cluster["id"], brief=brief, dueDate="2027-01-31"
    )

    text = _prompt(agent_of_era, documentId=document["id"])

    for told in (
        "How to begin",
        "The Crust",
        "sourdough starter",
        "Beginners",
        "Flour\nWater",
        "Due: 2027-01-31",
        "Category: Basics\nFor people who begin.",
        "Cluster: Starters\nAll about starters.\nKeywords: levain, poolish",
        f"Feeding a starter (slug `{link['slug']}`)",
        "https://example.com/a",
        f'`claim_brief` with documentId "{document["id"]}"',
        "baseVersion 1",
    ):
        assert told in text


@pytest.mark.parametrize(("state", "told"), [("ready", "Call `claim_brief`"), ("claimed", "Claimed by: test-agent")])
def test_the_prompt_states_the_claim(agent: Agent, project: Project, state: str, told: str) -> None:
    document = a_ready_brief(project.context())
    if state == "claimed":
        agent.call("claim_brief", documentId=document["id"])

    assert told in _prompt(agent, documentId=document["id"])


@pytest.mark.parametrize(("move", "status"), [("submit", "review"), ("publish", "published")])
@pytest.mark.parametrize("claimed", [False, True])
def test_the_prompt_of_a_document_past_drafting_leads_to_no_write(
    agent: Agent, project: Project, claimed: bool, move: str, status: str
) -> None:
    document = a_ready_brief(project.context())
    if claimed:
        agent.call("claim_brief", documentId=document["id"])
    agent.call("write_content", documentId=document["id"], baseVersion=1, markdown="Text.")
    OPERATIONS[f"{move}_document"](project.context(), document["id"], fields={})

    text = _prompt(agent, documentId=document["id"])

    assert f"past drafting (`{status}`)" in text
    tools = ("claim_brief", "mark_brief_ready", "write_content", "submit_document", "release_brief")
    assert [tool for tool in tools if tool in text] == []


def test_the_prompt_of_a_document_without_a_brief_asks_first(agent: Agent, project: Project) -> None:
    document = a_document(project.context())

    assert "not offered yet" in _prompt(agent, documentId=document["id"])


@pytest.mark.parametrize(
    ("arguments", "tag"),
    [({}, "HttpApiDecodeError"), ({"documentId": "abc"}, "NotFound"), ({"id": NOWHERE}, "HttpApiDecodeError")],
)
def test_a_prompt_for_nothing_is_refused(agent: Agent, arguments: dict[str, str], tag: str) -> None:
    asked = {"name": "write_document_from_brief", "arguments": arguments}

    assert agent.post("prompts/get", asked).json["error"]["data"]["_tag"] == tag


@pytest.mark.contract("decided-unknown.mcp")
def test_unknown_arguments_of_a_prompt_are_refused_as_those_of_a_tool(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), brief={"keyword": "rye"})
    asked = {"name": "write_document_from_brief", "arguments": {"documentId": document["id"], "document_id": "x"}}

    answer = agent.post("prompts/get", asked).json["error"]
    error = answer["data"]

    assert error["_tag"] == "HttpApiDecodeError"
    assert error["issues"] == [{"path": "document_id", "message": "Unknown argument; did you mean `documentId`?"}]
    assert "`document_id`: Unknown argument; did you mean `documentId`?" in answer["message"]  # clients show no data


def test_an_unknown_prompt_is_a_protocol_error(agent: Agent) -> None:
    assert agent.post("prompts/get", {"name": "rewrite", "arguments": {}}).json["error"]["code"] == -32602


def test_the_prompts_are_listed(agent_of_era: Agent) -> None:
    assert [one["name"] for one in agent_of_era.ask("prompts/list")["prompts"]] == ["write_document_from_brief"]
