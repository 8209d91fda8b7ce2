"""A document's content over MCP: in parts, of any version, and never in a record."""

import pytest

from tests.make import Project, a_document
from tests.mcp_tools.client import Agent

TEXT = "".join(f"Line {number} 🥖\n" for number in range(500))


@pytest.mark.contract("decided-mcp.content")
def test_content_is_read_in_parts_that_make_up_the_whole(agent_of_era: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown=TEXT)
    read, offset = [], 0

    while offset is not None:
        part = agent_of_era.call("read_document_content", documentId=document["id"], offset=offset, limit=999)
        read.append(part["markdown"])
        offset = part["nextOffset"]

    assert "".join(read) == TEXT
    assert part["length"] == len(TEXT)
    assert max(map(len, read)) == 999


@pytest.mark.needs_mongod
def test_every_version_can_be_read(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="one")
    agent.call("write_content", documentId=document["id"], markdown="two", baseVersion=1)

    assert agent.call("read_document_content", documentId=document["id"])["markdown"] == "two"
    assert agent.call("read_document_content", documentId=document["id"], version=1)["markdown"] == "one"
    assert agent.refused("read_document_content", documentId=document["id"], version=3)["_tag"] == "NotFound"


def test_a_document_without_content_has_an_empty_part(agent: Agent, project: Project) -> None:
    document = a_document(project.context())

    part = agent.call("read_document_content", documentId=document["id"])

    assert (part["markdown"], part["length"], part["nextOffset"]) == ("", 0, None)


@pytest.mark.contract("decided-mcp.content")
def test_records_leave_the_content_out(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown=TEXT)

    for record in (agent.call("get_document", documentId=document["id"]), *agent.call("list_documents")["items"]):
        assert not {"content", "publishedMarkdown"} & set(record)


@pytest.mark.needs_mongod
def test_a_revision_leaves_its_markdown_out(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown=TEXT)

    assert "markdown" not in agent.call("get_revision", documentId=document["id"], version=1)


@pytest.mark.needs_mongod
def test_the_largest_content_goes_in_and_out(agent: Agent, project: Project) -> None:
    largest = "🥖" * 2_097_152

    draft = agent.call("create_document_intent", title="Long", markdown=largest)
    document = agent.call("confirm_intent", intentId=draft["id"])["document"]
    part = agent.call("read_document_content", documentId=document["id"], offset=2_097_000, limit=1_000)

    assert part["markdown"] == largest[2_097_000:]
    assert part["length"] == 2_097_152
