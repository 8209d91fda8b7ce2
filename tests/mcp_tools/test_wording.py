"""Errors in the words of their interface: REST speaks of routes, MCP of tools (decisions, section 11)."""

import re
from pathlib import Path
from typing import Any

import pytest

import app
from app.core.vocabulary import Channel
from app.features import ALL
from mcp_tools.tools import tools_of
from tests.make import Project, a_document, a_ready_brief, an_expired_claim, end_expired_claims
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

TOOLS = tools_of(ALL)

A_ROUTE = re.compile(r"`?(GET|POST|PUT|PATCH|DELETE) /")


NAMED = re.compile(r"""(?:name_of|say)\(['"](\w+)['"]\)""")
APP = Path(app.__file__).parent


def test_every_operation_that_a_rule_names_has_a_name_on_each_interface() -> None:
    named = {name for module in APP.rglob("*.py") for name in NAMED.findall(module.read_text())}

    assert {"claim_brief", "reply_to_thread", "withdraw_brief", "list_threads"} <= named
    assert [name for name in named if not (ALL.by_name[name].route and ALL.by_name[name].button)] == []
    assert ALL.by_name["reply_to_thread"].name_on(Channel.REST) == "`POST /documents/:id/threads/:threadId/replies`"
    assert ALL.by_name["reply_to_thread"].name_on(Channel.MCP) == "`reply_to_thread`"
    assert ALL.by_name["reply_to_thread"].name_on(Channel.CONSOLE) == '"Reply"'


def test_the_holder_of_a_claim_reads_that_it_is_theirs_and_what_to_call_next(
    agent: Agent, rest: Rest, project: Project
) -> None:
    document = a_ready_brief(project.context())
    agent.call("claim_brief", documentId=document["id"])

    by_tool = agent.refused("claim_brief", documentId=document["id"])
    by_route = rest.by(agent.token).post(f"/documents/{document['id']}/brief/claim").json

    assert by_tool["_tag"] == by_route["_tag"] == "BriefClaimed"
    assert "already holds this claim" in by_tool["message"]
    assert "already holds this claim" in by_route["message"]
    assert "`write_content`" in by_tool["message"]
    assert "`PUT /documents/:id/content`" in by_route["message"]


def test_a_status_that_does_not_allow_a_tool_names_the_tools_that_it_allows(agent: Agent, project: Project) -> None:
    document = a_document(project.context(), markdown="Rye.", status="drafting")
    agent.call("submit_document", documentId=document["id"])

    refused = agent.refused("submit_document", documentId=document["id"])

    assert refused["allowed"] == ["approve", "request-changes", "schedule", "publish"]
    named = re.findall("`([^`]*)`", refused["message"])
    assert named == ["approve_document", "request_changes", "schedule_document", "publish_document"]
    assert set(named) <= set(TOOLS)


def test_an_agent_sees_in_the_list_which_claims_are_its_own(agent: Agent, rest: Rest, project: Project) -> None:
    own, others = (a_ready_brief(project.context(), title=title)["id"] for title in ("Rye", "Wheat"))
    a_ready_brief(project.context(), title="Oats")
    agent.call("claim_brief", documentId=own)
    agent.by(project.token("Another", agent=agent.name)).call("claim_brief", documentId=others)

    listed = agent.call("list_briefs", state=["ready", "claimed"])["items"]

    assert [one["id"] for one in listed if one.get("isYours")] == [own]
    assert rest.by(agent.token).get("/briefs?state=ready,claimed").json == listed


@pytest.mark.parametrize("tool", ["schedule_document", "publish_document"])
def test_what_waits_for_an_approval_is_approved_and_not_submitted_again(
    agent: Agent, rest: Rest, project: Project, tool: str
) -> None:
    rest.patch("/project", {"reviewRequired": True})
    document = a_document(project.context(), markdown="Rye.", status="drafting")["id"]
    at = {"publishAt": "2099-01-31T09:00:00Z"} if tool == "schedule_document" else {}

    drafted = agent.refused(tool, documentId=document, **at)
    agent.call("submit_document", documentId=document)
    submitted = agent.refused(tool, documentId=document, **at)
    by_route = rest.post(f"/documents/{document}/{tool.partition('_')[0]}", at).json

    assert {drafted["_tag"], submitted["_tag"], by_route["_tag"]} == {"ReviewRequired"}
    assert "submit the document" in drafted["message"]
    assert submitted["message"].endswith(": have it approved with `approve_document` first.")
    assert by_route["message"].endswith(": have it approved with `POST /documents/:id/approve` first.")


@pytest.mark.parametrize(
    ("demanded", "status", "named"),
    [
        (True, "drafting", ["submit_document", "approve_document"]),
        (True, "approved", ["request_changes", "schedule_document", "publish_document"]),
        (False, "drafting", ["submit_document", "approve_document", "schedule_document", "publish_document"]),
    ],
)
def test_a_status_offers_no_publication_that_is_refused_for_lack_of_an_approval(
    agent: Agent, rest: Rest, project: Project, demanded: bool, status: str, named: list[str]
) -> None:
    rest.patch("/project", {"reviewRequired": demanded})
    document = a_document(project.context(), markdown="Rye.", status="drafting")["id"]
    if status == "approved":
        agent.call("approve_document", documentId=document)

    refused = agent.refused("unschedule_document", documentId=document)

    assert refused["message"].endswith(f"What it allows: {', '.join(f'`{tool}`' for tool in named)}.")
    assert {*refused["allowed"]} == {name.partition("_d")[0].replace("_", "-") for name in named} | {
        "schedule",
        "publish",
    }


def test_a_publication_in_the_future_is_scheduled_by_the_name_of_the_interface(
    agent: Agent, rest: Rest, project: Project
) -> None:
    document = a_document(project.context(), markdown="Rye.")["id"]
    at = {"publishedAt": "2099-01-31T09:00:00Z"}

    by_tool = agent.refused("publish_document", documentId=document, **at)["errors"]
    by_route = rest.post(f"/documents/{document}/publish", at).json["errors"]

    assert [one["message"] for one in by_tool] == ["Must not be in the future: `schedule_document` publishes later."]
    [told] = by_route
    assert told["message"] == "Must not be in the future: `POST /documents/:id/schedule` publishes later."


@pytest.mark.parametrize(("lease", "until"), [({}, False), ({"leaseSeconds": 600}, True)])
def test_others_read_who_holds_the_claim_since_when_until_when_and_to_take_another(
    agent: Agent, rest: Rest, project: Project, lease: dict[str, Any], until: bool
) -> None:
    document = a_ready_brief(project.context())
    brief = agent.call("claim_brief", documentId=document["id"], **lease)["brief"]
    other = project.token("Another")

    by_tool = agent.by(other).refused("claim_brief", documentId=document["id"])["message"]
    by_route = rest.by(other).post(f"/documents/{document['id']}/brief/claim").json["message"]

    for message in (by_tool, by_route):
        assert brief["claimedBy"]["agent"] in message
        assert brief["claimedAt"] in message
        assert (f"until {brief['claimExpiresAt']}" in message) == until
    assert by_tool.endswith("Claim another with `claim_next_brief`.")
    assert "`POST /briefs/claim`" in by_route
    assert "`POST /documents/:id/brief/withdraw`" in by_route


def test_a_claim_of_another_agent_with_the_same_token_is_not_the_callers(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context())
    agent.call("claim_brief", documentId=document["id"])

    refused = agent.refused("submit_document", documentId=document["id"], claimedAt="2020-01-01T00:00:00.000Z")

    assert refused["_tag"] == "BriefClaimed"
    assert "already holds" not in refused["message"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("create_document_intent", {"title": "Rye", "categoryId": "0" * 24, "assigneeId": "0" * 24}),
        ("create_cluster_intent", {}),
    ],
)
def test_what_confirming_refuses_names_no_route(agent: Agent, tool: str, arguments: dict[str, Any]) -> None:
    draft = agent.call(tool, **arguments)

    refused = agent.refused("confirm_intent", intentId=draft["id"])

    assert refused["errors"]
    assert not any(A_ROUTE.search(one["message"]) for one in refused["errors"])


@pytest.mark.parametrize("name", ["member", "category", "cluster", "webhook", "document"])
def test_a_record_that_is_not_there_is_refused_without_a_route(agent: Agent, name: str) -> None:
    key = next(iter(TOOLS[f"get_{name}"].operation.id_names))

    assert not A_ROUTE.search(agent.refused(f"get_{name}", **{key: "0" * 24})["message"])


@pytest.mark.parametrize(
    ("moves", "says", "then"),
    [
        (["approve_document"], "rev (A reviewer) moved the document to `approved` at ", "claim_next_brief"),
        (["publish_document"], "rev (A reviewer) moved the document to `published` at ", "claim_next_brief"),
        (
            ["approve_document", "request_changes"],
            "(A reviewer) moved the document to `drafting` at ",
            "claim_next_brief",
        ),
        (
            ["approve_document", "request_changes", "mark_brief_ready"],
            "before the brief was offered again",
            "claim_brief",
        ),
    ],
)
def test_a_writer_whose_claim_others_ended_reads_who_moved_the_document(
    agent: Agent, project: Project, moves: list[str], says: str, then: str
) -> None:
    document = a_ready_brief(project.context(), markdown="Rye.")["id"]
    named = {"documentId": document, "claimedAt": agent.call("claim_brief", documentId=document)["brief"]["claimedAt"]}
    reviewer = agent.by(project.token("A reviewer", agent="rev"))
    for tool in moves:
        reviewer.call(tool, documentId=document)
    edit = {"edits": [{"hash": agent.call("get_outline", documentId=document)["sections"][0]["hash"], "markdown": "x"}]}

    calls = {"write_content": {"markdown": "x", "baseVersion": 1}, "edit_content": edit, "submit_document": {}}
    refused = [agent.refused(tool, **named, **more) for tool, more in calls.items()]
    refused.append(agent.refused("renew_claim", documentId=document))

    for one in refused:
        assert (one["_tag"], one["claimedBy"], one["claimedAt"]) == ("BriefClaimed", None, None)
        assert says in one["message"]
        assert re.findall("`([a-z]+_[a-z_]+)`", one["message"]) == [then]


@pytest.mark.parametrize(
    ("tool", "says", "then"),
    [
        ("submit_document", "your token moved the document to `review` at ", "claim_next_brief"),
        ("withdraw_brief", "was withdrawn. Don't go on with this document: a person can", "claim_next_brief"),
        ("release_brief", "it ended before the brief was offered again", "claim_brief"),
    ],
)
def test_a_writer_who_ended_their_claim_reads_how(
    agent: Agent, project: Project, tool: str, says: str, then: str
) -> None:
    document = a_ready_brief(project.context(), markdown="Rye.")["id"]
    claimed = agent.call("claim_brief", documentId=document)["brief"]["claimedAt"]
    agent.call(tool, documentId=document)

    refused = agent.refused("write_content", documentId=document, markdown="x", baseVersion=1, claimedAt=claimed)

    assert says in refused["message"]
    assert refused["message"].endswith(f" with `{then}`.")


def test_a_writer_whose_lease_ran_out_reads_so(agent: Agent, project: Project) -> None:
    document = an_expired_claim(project, agent.token, markdown="Rye.")
    end_expired_claims(project.store)
    named = {"documentId": document["id"], "claimedAt": document["brief"]["claimedAt"]}

    refused = agent.refused("write_content", markdown="x", baseVersion=1, **named)

    assert refused["message"].startswith("You hold no claim: its lease ran out. The brief is ready")


def test_what_another_fact_than_the_status_refuses_says_which(agent: Agent, project: Project) -> None:
    document = {"documentId": a_document(project.context(), markdown="Rye.")["id"]}
    refused = {tool: agent.refused(tool, **document) for tool in ("restore_document", "unpublish_document")}
    agent.call("publish_document", **document)
    refused["submit_document"] = agent.refused("submit_document", **document)

    assert {tool: one["message"].partition(" What")[0] for tool, one in refused.items()} == {
        "restore_document": "The document is not in the trash: there is nothing to restore.",
        "unpublish_document": "The document is not on the website: there is nothing to take off.",
        "submit_document": "The document has no changes since it was published: there is nothing to submit.",
    }
