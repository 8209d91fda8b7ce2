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

pytestmark = pytest.mark.needs_mongod

MOST_CALLS, MOST_BYTES = 8, 16 * 1024

SECTIONS = ("Flour", "Water", "Salt")
TEXT = "\n".join(f"## {name}\n\n{name} matters for a loaf that rises, more than many think.\n" for name in SECTIONS)
REMARKS = [
    {"text": "Say which flour.", "level": "must", "quote": {"exact": "Flour matters"}},
    {"text": "How warm?", "level": "must", "quote": {"exact": "Water matters"}},
    {"text": "Too long altogether."},
    {"text": "Plainer.", "quote": {"exact": "Salt matters for a loaf that rises"}, "suggestion": "Salt slows a loaf"},
]


@pytest.fixture
def document(rest: Rest, project: Project) -> str:
    """A document that was sent back with four remarks, one of them with a suggestion."""
    made: str = a_ready_brief(project.context(), title="A loaf", markdown=TEXT, brief={"audience": "bakers"})["id"]
    meta = {"metaTitle": "How to bake a loaf that rises", "metaDescription": "Flour, water and salt. " * 5}
    ok(rest.patch(f"/documents/{made}", meta))
    ok(rest.post(f"/documents/{made}/submit"))
    sent = {"note": "Nearly there.", "threads": REMARKS, "offer": True}
    assert ok(rest.post(f"/documents/{made}/request-changes", sent))["brief"]["state"] == "ready"
    return made


@pytest.mark.contract("decided-threads.revision")
def test_a_revision_takes_at_most_8_calls_and_16_kb_of_answers(document: str, writer: Agent, rest: Rest) -> None:
    answers = []

    def call(tool: str, **arguments: Any) -> dict[str, Any]:
        answer = writer.post("tools/call", {"name": tool, "arguments": arguments})
        result = answer.json["result"]
        assert not result["isError"], result["structuredContent"]
        answers.append(answer)
        structured: dict[str, Any] = result["structuredContent"]
        return structured

    packet = call("claim_next_brief", packet=True)["packet"]
    by_text = {one["comments"][0]["text"]: one for one in packet["threads"]}
    suggested = by_text.pop("Plainer.")
    call("accept_suggestion", documentId=document, threadId=suggested["id"])
    sections = {one["title"]: one["hash"] for one in packet["outline"]["sections"]}
    edits = [
        {"hash": sections["Flour"], "markdown": "## Flour\n\nStrong wheat flour.\n"},
        {"hash": sections["Water"], "markdown": "## Water\n\nLukewarm, 28 °C.\n"},
    ]
    call("edit_content", documentId=document, edits=edits)
    for thread in by_text.values():
        call("reply_to_thread", documentId=document, threadId=thread["id"], text="Done.")
    assert call("submit_document", documentId=document)["status"] == "review"

    assert packet["review"]["note"] == "Nearly there."
    assert len(answers) <= MOST_CALLS
    assert sum(len(answer.data) for answer in answers) <= MOST_BYTES
    threads = ok(rest.get(f"/documents/{document}/threads"))
    assert {one["state"] for one in threads} == {"answered"}
    assert "Salt slows a loaf, more" in ok(rest.get(f"/documents/{document}"))["content"]


@pytest.mark.contract("decided-threads.revision")
def test_a_refusal_names_the_tools_that_lead_on(document: str, writer: Agent, project: Project) -> None:
    writer.call("claim_brief", documentId=document)

    refused = writer.refused("submit_document", documentId=document)

    assert refused["_tag"] == "ThreadsOpen"
    assert len(refused["threads"]) == 2
    assert "`reply_to_thread`" in refused["message"]
    thread = {"documentId": document, "threadId": refused["threads"][0]}
    all_tools = writer.by(writer.token, toolset=None)
    settled = all_tools.refused("resolve_thread", **thread)
    assert settled["_tag"] == "ThreadNotYours"
    assert "`reply_to_thread`" in settled["message"]


def test_the_sets_have_what_a_writer_and_a_reviewer_need() -> None:
    assert {"reply_to_thread", "accept_suggestion", "get_work_packet"} <= set(SETS["writing"])
    reviewing = {"list_threads", "open_thread", "resolve_thread", "reopen_thread", "request_changes"}
    assert reviewing <= set(SETS["reviewing"]) <= set(TOOLS)
