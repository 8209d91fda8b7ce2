"""Arguments of tools: rules about some of them concern no others, and lists say what their records have."""

from typing import Any

import pytest

from app.core.store.outbox import Outboxes
from app.features import ALL
from app.sources.rules import MOST_SOURCES
from mcp_tools.arguments import DRY_RUN, KEY
from mcp_tools.tools import tools_of
from tests.make import Project, a_ready_brief
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest
from tests.valid_calls import EVERY, Scene

TOOLS = tools_of(ALL)
TYPES: dict[str, Any] = {"string": "rye", "integer": 1, "boolean": True, "array": [], "object": {}}
CITED = ["https://example.org/rye", "https://example.org/oats"]


@pytest.mark.parametrize("name", sorted(TOOLS.keys() & EVERY.keys()))
def test_no_argument_makes_a_tool_refuse_those_that_say_which_record(agent: Agent, project: Project, name: str) -> None:
    tool, call = TOOLS[name], EVERY[name](Scene(project, agent.token))
    properties = tool.definition.input_schema["properties"]
    ids = {
        one: int(value) if one in ("version", "number") else value
        for one, value in zip(tool.operation.id_names, call.ids, strict=True)
    }
    always = ids if tool.operation.reads else {**ids, DRY_RUN: True}

    listed = {
        one
        for one in properties
        if tool.batch and one not in tool.operation.id_names and "instead" in properties[one].get("description", "")
    }
    for one in properties.keys() - always.keys() - {KEY, "packet"} - listed:
        kind = properties[one]["type"]
        sent = {**always, one: TYPES[kind[0] if isinstance(kind, list) else kind]}
        result = agent.ask("tools/call", {"name": name, "arguments": sent})["structuredContent"]
        wrong = {issue["path"] for issue in result.get("issues", ())} | {e["field"] for e in result.get("errors") or ()}
        assert not wrong & always.keys(), (one, result)


def test_sources_are_added_from_the_brief(agent_of_era: Agent, project: Project) -> None:
    document = a_ready_brief(project.context(), brief={"keyword": "rye", "referenceUrls": CITED})["id"]

    added = agent_of_era.call("add_source", documentId=document, fromBrief=True, idempotencyKey="once")["items"]
    both = agent_of_era.refused("add_source", documentId=document, fromBrief=True, title="Rye")
    neither = agent_of_era.refused("add_source", documentId=document)

    assert [one["url"] for one in added] == CITED
    assert [issue["path"] for issue in both["issues"]] == ["title"]
    assert [issue["message"] for issue in neither["issues"]] == ["Is required without `fromBrief`."]


@pytest.mark.parametrize(
    ("tool", "listed", "alone"),
    [
        ("read_section", "numbers", ["number"]),
        ("reply_to_thread", "replies", ["text", "threadId"]),
    ],
)
def test_a_missing_argument_names_the_list_that_may_stand_for_it(
    agent: Agent, project: Project, tool: str, listed: str, alone: list[str]
) -> None:
    document = a_ready_brief(project.context())["id"]

    issues = agent.refused(tool, documentId=document)["issues"]

    message = f"Is required, or send `{listed}` instead."
    assert sorted((one["path"], one["message"]) for one in issues) == [(name, message) for name in alone]
    assert agent.refused(tool)["issues"][0] == {"path": "documentId", "message": "Is required."}


def test_rest_names_no_list_that_it_does_not_take(rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context())["id"]

    reply = rest.post(f"/documents/{document}/threads/{document}/replies", {})

    assert [one["message"] for one in reply.json["issues"]] == ["Is required."]


@pytest.mark.parametrize(
    ("tool", "sent", "expected"),
    [
        ("read_section", {"section": 1}, "`numbers`"),
        ("reply_to_thread", {"reply": []}, "`replies`"),
        ("add_source", {"sourcs": []}, "did you mean `sources`?"),
    ],
)
def test_an_unknown_argument_is_told_the_list_too(
    agent: Agent, project: Project, tool: str, sent: dict[str, Any], expected: str
) -> None:
    document = a_ready_brief(project.context())["id"]

    issues = agent.refused(tool, documentId=document, **sent)["issues"]

    assert [expected in one["message"] for one in issues if one["message"].startswith("Unknown")] == [True]


@pytest.mark.parametrize(
    ("tool", "listed", "alone"),
    [
        ("read_section", {"numbers": [1]}, {"number": 1}),
        ("reply_to_thread", {"replies": [{"threadId": "0" * 24, "text": "Yes."}]}, {"text": "Yes."}),
        ("add_source", {"sources": [{"title": "Rye"}]}, {"title": "Rye", "url": CITED[0]}),
    ],
)
def test_an_argument_beside_the_list_that_stands_for_it_is_refused_by_that_name(
    agent: Agent, project: Project, tool: str, listed: dict[str, Any], alone: dict[str, Any]
) -> None:
    document = a_ready_brief(project.context())["id"]

    issues = agent.refused(tool, documentId=document, **listed, **alone)["issues"]

    message = f"Leave it out with `{next(iter(listed))}`."
    assert sorted((one["path"], one["message"]) for one in issues) == [(name, message) for name in sorted(alone)]


def test_null_for_what_is_required_is_not_told_to_leave_it_out(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context())["id"]

    refused = agent.refused("write_content", documentId=document, markdown="Rye.", baseVersion=None)

    assert refused["issues"] == [{"path": "baseVersion", "message": "Must not be null."}]


@pytest.mark.parametrize(("tool", "listed"), [("add_source", "sources"), ("reply_to_thread", "replies")])
def test_a_list_says_which_keys_its_records_have(tool: str, listed: str) -> None:
    properties = TOOLS[tool].definition.input_schema["properties"]
    records = properties[listed]["items"]

    assert records["properties"].keys() >= {*records["required"]}
    assert {name: one["type"] for name, one in records["properties"].items()} == dict.fromkeys(
        records["properties"], "string"
    )
    assert records["additionalProperties"] is False


@pytest.mark.contract("decided-mcp.writing")
def test_a_writer_corrects_the_excerpt_that_a_check_names(writer: Agent, project: Project) -> None:
    a_ready_brief(project.context())
    claimed = writer.call("claim_next_brief")
    document = claimed["id"]
    source = writer.call("add_source", documentId=document, title="Rye", excerpt="Rye needs four days.")["id"]
    text = 'They say "a starter needs five days".[^s1]\n'
    writer.call("write_content", documentId=document, markdown=text, baseVersion=claimed["version"])
    before = writer.call("check_document", documentId=document)["checks"]

    writer.call("update_source", documentId=document, sourceId=source, excerpt="A starter needs five days.")

    after = writer.call("check_document", documentId=document)["checks"]
    assert "correct the excerpt" in next(one["message"] for one in before if one["check"] == "quotes_verbatim")
    assert "quotes_verbatim" not in {one["check"] for one in after}


def test_a_source_that_is_cited_already_makes_a_version_that_its_answer_has(writer: Agent, project: Project) -> None:
    a_ready_brief(project.context(), markdown="Rye needs four days.[^s1]")
    claimed = writer.call("claim_next_brief")
    described = {tool["name"]: tool["description"] for tool in writer.ask("tools/list")["tools"]}["add_source"]

    [added] = writer.call("add_source", documentId=claimed["id"], sources=[{"title": "Rye"}])["sources"]

    version = claimed["version"] + 1
    assert writer.call("get_outline", documentId=claimed["id"])["version"] == added["version"] == version
    writer.call("write_content", documentId=claimed["id"], markdown="Four days.[^s1]", baseVersion=added["version"])
    assert "Cited already, it makes a new version." in described


def test_written_sources_come_back_without_their_excerpts(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context())["id"]
    source = {"title": "Rye", "excerpt": "Rye is dark. " * 1_000}

    one = agent.call("add_source", documentId=document, **source)
    several = agent.call("add_source", documentId=document, sources=[source, source])["sources"]
    changed = agent.call("update_source", documentId=document, sourceId=one["id"], note="Old.")
    listed = agent.call("list_sources", documentId=document)["items"]

    assert not any("excerpt" in shown for shown in (one, *several, changed))
    assert [shown["excerpt"] for shown in listed] == [source["excerpt"]] * 3
    assert len(listed) <= MOST_SOURCES


def test_a_list_over_64_kb_is_cut_and_says_where_the_rest_begins(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context())["id"]
    sources = [{"title": f"Rye {number}", "excerpt": "Rye is dark. " * 1_500} for number in range(10)]
    agent.call("add_source", documentId=document, sources=sources)

    seen: list[int] = []
    pages, arguments = 0, {"documentId": document}
    while True:
        result = agent.ask("tools/call", {"name": "list_sources", "arguments": arguments})
        page = result["structuredContent"]
        seen += [source["number"] for source in page["items"]]
        pages += 1
        assert len(result["content"][0]["text"]) <= 66_000
        assert ("`nextOffset`" in result["content"][1]["text"]) == ("nextOffset" in page)
        if "nextOffset" not in page:
            break
        arguments["offset"] = page["nextOffset"]

    assert (seen, pages) == ([*range(1, 11)], 4)


def test_a_page_of_events_fits_into_a_context_and_loses_none(agent: Agent, project: Project) -> None:
    ctx = project.context()
    documents = [a_ready_brief(ctx, title=f"Rye {number}")["id"] for number in range(100)]
    for document in documents:
        agent.call("update_document", documentId=document, title="Oats")
    project.store[Outboxes].publish_all(project.id)

    seen: list[int] = []
    sizes, after = [], {}
    while True:
        page = agent.call("list_events", limit=1_000, **after)
        if not page["events"]:
            break
        seen += [event["sequence"] for event in page["events"]]
        sizes.append(
            len(agent.post("tools/call", {"name": "list_events", "arguments": {"limit": 1_000, **after}}).data)
        )
        after = {"after": page["cursor"]}

    assert seen == list(range(1, len(seen) + 1))
    assert len(sizes) > 1
    assert max(sizes) < 3 * 65_536  # as structured content and, escaped, as text
