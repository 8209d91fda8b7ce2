"""A revision by an agent: few calls, short answers, refusals that lead to the next call (decisions, section 17)."""

from typing import Any

import pytest

from app.features import ALL
from mcp_tools.tools import tools_of
from tests.documents.steps import ok
from tests.make import Project, a_ready_brief
from tests.mcp_tools.client import SETS, Agent
from tests.rest.client import Rest

TOOLS = tools_of(ALL)

NOWHERE = "0" * 24

pytestmark = pytest.mark.needs_mongod

MOST_CALLS, MOST_BYTES = 8, 20 * 1024

SECTIONS = ("Flour", "Water", "Salt", "Yeast", "Heat")
TEXT = "\n".join(f"## {name}\n\n{name} matters for a loaf that rises, more than many think.\n" for name in SECTIONS)
MUST = [{"text": f"Say how much {name}.", "level": "must", "quote": {"exact": f"{name} matters"}} for name in SECTIONS]
SUGGESTIONS = [
    {"text": "Plainer.", "quote": {"exact": f"## {name}"}, "suggestion": f"## The {name.lower()}"}
    for name in SECTIONS[:2]
]


@pytest.fixture
def document(rest: Rest, project: Project) -> str:
    """A document that was sent back with five demands and two suggestions."""
    made: str = a_ready_brief(project.context(), title="A loaf", markdown=TEXT, brief={"audience": "bakers"})["id"]
    meta = {"metaTitle": "How to bake a loaf that rises", "metaDescription": "Flour, water and salt. " * 5}
    ok(rest.patch(f"/documents/{made}", meta))
    ok(rest.post(f"/documents/{made}/submit"))
    sent = {"note": "Nearly there.", "threads": [*MUST, *SUGGESTIONS], "offer": True}
    assert ok(rest.post(f"/documents/{made}/request-changes", sent))["brief"]["state"] == "ready"
    return made


@pytest.mark.contract("decided-threads.revision")
def test_a_revision_takes_at_most_8_calls_and_20_kb_of_answers(document: str, writer: Agent, rest: Rest) -> None:
    answers = []

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = writer.post("tools/call", {"name": tool, "arguments": arguments})
        result = answer.json["result"]
        assert not result["isError"], result["structuredContent"]
        answers.append(answer)
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    packet = call("claim_next_brief", packet=True)["packet"]
    musts = [one["id"] for one in packet["threads"] if one["level"] == "must"]
    for thread in packet["threads"]:
        if "suggestion" in thread:
            call("accept_suggestion", documentId=document, threadId=thread["id"])
    texts = {one["number"]: one["markdown"] for one in packet["passages"]}
    outline = call("get_outline", documentId=document)["sections"]
    edits = [
        {"hash": one["hash"], "markdown": f"## {one['title']}\n\n{texts[one['number']].split()[2]}: 5 g.\n"}
        for one in outline
    ]
    call("edit_content", documentId=document, edits=edits)
    replies = [{"threadId": one, "text": "Done."} for one in musts]
    answered = call("reply_to_thread", documentId=document, replies=replies)
    assert call("submit_document", documentId=document)["status"] == "review"

    assert packet["review"]["note"] == "Nearly there."
    assert answered["threads"] == [{"id": one, "state": "answered"} for one in musts]
    assert len(answers) <= MOST_CALLS
    assert sum(len(answer.data) for answer in answers) <= MOST_BYTES
    threads = ok(rest.get(f"/documents/{document}/threads"))
    assert [one["state"] for one in threads] == ["answered"] * 5
    assert ok(rest.get(f"/documents/{document}"))["content"].startswith("## The flour\n\nFlour: 5 g.\n")


@pytest.mark.contract("decided-threads.revision")
def test_a_refusal_names_the_tools_that_lead_on(document: str, writer: Agent, project: Project) -> None:
    writer.call("claim_brief", documentId=document)

    refused = writer.refused("submit_document", documentId=document)

    assert refused["_tag"] == "ThreadsOpen"
    assert len(refused["threads"]) == 5
    assert "`reply_to_thread`" in refused["message"]
    thread = {"documentId": document, "threadId": refused["threads"][0]}
    all_tools = writer.by(writer.token, toolset=None)
    settled = all_tools.refused("resolve_thread", **thread)
    assert settled["_tag"] == "ThreadNotYours"
    assert "`reply_to_thread`" in settled["message"]


@pytest.mark.contract("decided-mcp.batches")
def test_fifty_long_threads_are_read_and_answered_with_the_tools_of_a_writer(
    rest: Rest, writer: Agent, project: Project
) -> None:
    document = a_ready_brief(project.context(), markdown="Rye.")["id"]
    for number in range(50):
        ok(rest.post(f"/documents/{document}/threads", {"text": f"{number} " + "x" * 2_990, "level": "must"}), 201)
    writer.call("claim_brief", documentId=document)

    pages = [writer.call("list_threads", documentId=document, limit=20, offset=20 * page)["items"] for page in range(3)]
    threads = [one["id"] for page in pages for one in page]
    replies = [{"threadId": one, "text": "Done."} for one in threads]
    writer.call("reply_to_thread", documentId=document, replies=replies)

    assert len(set(threads)) == 50
    assert writer.call("submit_document", documentId=document)["status"] == "review"


@pytest.mark.contract("decided-mcp.batches")
def test_answers_to_several_threads_are_all_written_or_none(rest: Rest, writer: Agent, document: str) -> None:
    threads = [one["id"] for one in ok(rest.get(f"/documents/{document}/threads"))]
    ok(rest.post(f"/documents/{document}/threads/{threads[1]}/resolve"))

    def refused(*ids: str, **more: Any) -> dict[str, Any]:
        replies = [{"threadId": one, "text": "Done."} for one in ids]
        return writer.refused("reply_to_thread", documentId=document, replies=replies, **more)

    assert threads[1] in refused(*threads[:2])["message"]
    assert refused(threads[0], NOWHERE)["_tag"] == "NotFound"
    assert refused(threads[0], threads[0].upper())["errors"][0]["field"] == "replies[1].threadId"
    assert refused(threads[0], text="Done.")["issues"][0]["path"] == "text"
    assert refused()["issues"][0]["path"] == "replies"
    missing = writer.refused("reply_to_thread", documentId=document)["issues"]
    assert [one["path"] for one in missing] == ["text", "threadId"]
    left = ok(rest.get(f"/documents/{document}/threads"))
    assert {len(one["comments"]) for one in left} == {1}


@pytest.mark.contract("decided-mcp.batches")
def test_several_sections_are_read_at_once(document: str, writer: Agent) -> None:
    read = writer.call("read_section", documentId=document, numbers=[3, 1])

    one = writer.call("read_section", documentId=document, number=3)
    assert read["version"] == one["version"]
    assert [section["title"] for section in read["sections"]] == ["Salt", "Flour"]
    assert read["sections"][0] == one
    assert writer.refused("read_section", documentId=document, numbers=[1, 9])["_tag"] == "NotFound"


def test_the_sets_have_what_a_writer_and_a_reviewer_need() -> None:
    assert {"reply_to_thread", "accept_suggestion", "get_work_packet"} <= set(SETS["writing"])
    reviewing = {"list_threads", "open_thread", "resolve_thread", "reopen_thread", "request_changes"}
    assert reviewing <= set(SETS["reviewing"]) <= set(TOOLS)


@pytest.mark.contract("decided-threads.agents")
def test_a_person_answers_by_any_client_while_another_holds_the_brief(
    document: str, agent: Agent, writer: Agent, rest: Rest
) -> None:
    writer.call("claim_brief", documentId=document)
    path = f"/documents/{document}/threads"
    thread = ok(rest.by(writer.token).post(path, {"text": "Which flour?"}), 201)["id"]

    answered = agent.call("reply_to_thread", documentId=document, threadId=thread, text="Rye.")

    assert answered["state"] == "answered"
