"""A document's content over MCP: in parts, of any version, and never in a record."""

from typing import Any

import orjson
import pytest

from tests.make import Project, a_document
from tests.mcp_tools.client import TOOLS, Agent
from tests.rest.client import Rest

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


LARGE = "# Rye\n\n" + 'Rye is "dark".\n\n' * 130_000


@pytest.mark.needs_mongod
def test_no_answer_grows_with_the_text_beyond_64_kb(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="Rye.")["id"]
    agent.call("write_content", documentId=document, markdown=LARGE, baseVersion=1)
    draft = agent.call("create_document_intent", title="Long", markdown=LARGE)["id"]
    known = {"documentId": document, "intentId": draft, "version": 2, "number": 1, "from": 1, "to": 2}
    sizes = {}

    for name, tool in TOOLS.items():
        required = {*tool.definition.input_schema.get("required", ()), *tool.operation.id_names}
        if tool.operation.reads and known.keys() >= required and name != "get_review_record":  # there is none
            sizes[name] = len(orjson.dumps(agent.call(name, **{one: known[one] for one in required})))

    assert {name: size for name, size in sizes.items() if size > 67_000} == {}


@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    ("tool", "path", "arguments"),
    [
        ("read_section", "markdown", {"number": 1}),
        ("diff_revisions", "diff", {"from": 1, "to": 2}),
        ("get_provenance", "paragraphs", {}),
        ("get_intent", "markdown", {}),
    ],
)
def test_what_is_long_is_read_in_parts_that_make_up_the_whole(
    agent: Agent, rest: Rest, project: Project, tool: str, path: str, arguments: dict[str, Any]
) -> None:
    document = a_document(project.context(), markdown="Rye.")["id"]
    agent.call("write_content", documentId=document, markdown=LARGE[:200_001], baseVersion=1)
    draft = agent.call("create_document_intent", title="Long", markdown=LARGE[:200_001])["id"]
    ids = {"intentId": draft} if tool == "get_intent" else {"documentId": document}
    parts, offset = [], 0

    while offset is not None:
        answer = agent.ask("tools/call", {"name": tool, "arguments": {**ids, **arguments, "offset": offset}})
        body = answer["structuredContent"]
        parts.append(body.get("fields", body)[path])
        offset = body.get("nextOffset")
        assert ("`nextOffset` as `offset`" in answer["content"][-1]["text"]) == (offset is not None)

    routes = {
        "read_section": f"/documents/{document}/sections/1",
        "diff_revisions": f"/documents/{document}/diff?from=1&to=2",
        "get_provenance": f"/documents/{document}/provenance",
        "get_intent": f"/document-intents/{draft}",
    }
    whole = rest.by(agent.token).get(routes[tool]).json
    assert len(parts) > 2
    assert [one for part in parts for one in part] == [*whole.get("fields", whole)[path]]


@pytest.mark.needs_mongod
def test_several_sections_share_64_kb(agent: Agent, project: Project) -> None:
    text = "".join(f"# {name}\n\n{'Rye is dark. ' * 3_000}\n\n" for name in "ABC")
    document = a_document(project.context(), markdown=text)["id"]

    asked = {"name": "read_section", "arguments": {"documentId": document, "numbers": [1, 2, 3]}}
    answer = agent.ask("tools/call", asked)
    sections, more = answer["structuredContent"]["sections"], answer["structuredContent"]["more"]
    rest_of_it = agent.call("read_section", documentId=document, number=2, offset=sections[1]["nextOffset"])

    assert "nextOffset" not in sections[0]
    assert sections[1]["markdown"] + rest_of_it["markdown"] == text[len(text) // 3 : len(text) // 3 * 2]
    assert (len(sections), more) == (2, [3])
    assert "send those in `more` as `numbers`" in answer["content"][-1]["text"]
    assert "more" not in agent.call("read_section", documentId=document, numbers=more)


@pytest.mark.needs_mongod
def test_a_page_of_long_threads_is_cut_at_64_kb(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="Rye.")["id"]
    for _ in range(15):
        agent.call("open_thread", documentId=document, text="x" * 5_000)

    first = agent.call("list_threads", documentId=document)
    rest_of_it = agent.call("list_threads", documentId=document, offset=first["nextOffset"])

    assert len(first["items"]) + len(rest_of_it["items"]) == 15
    assert len(orjson.dumps(first)) < 66_000
