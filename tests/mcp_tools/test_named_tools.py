"""Answers name only tools that their caller has, in each toolset and state of a document (decisions, section 8)."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from flask import Flask

from app.core.vocabulary import ALL_TOOLS, TOOLSETS, Scope
from tests.make import Project
from tests.mcp_tools.client import HANDSHAKE, TOOLS, Agent
from tests.valid_calls import EVERY, Scene

pytestmark = pytest.mark.needs_mongod

NAMED = re.compile(r"`([a-z]+(?:_[a-z]+)+)`(?! \(of the toolset `)")
EACH_TOOLSET = pytest.mark.parametrize("toolset", TOOLSETS)
MERGE = "Read it again with `{}`, merge, and send its `version` as `baseVersion`."
STEPS: tuple[tuple[str, ...], ...] = (
    ("withdraw_brief",),
    (),
    ("claim_brief",),
    ("submit_document",),
    ("submit_document", "approve_document"),
    ("schedule_document",),
    ("publish_document",),
    ("delete_document",),
)


class OneCategory(Scene):
    """A scene whose documents are all in the same category."""

    def filed(self, kind: str) -> str:
        records = self.call("list_categories" if kind == "category" else "list_clusters", limit=1, offset=0)
        return str(records[0]["id"]) if records else super().filed(kind)


@pytest.fixture
def scene(project: Project) -> Scene:
    return OneCategory(project, project.token())


@pytest.fixture
def reader(app: Flask, project: Project, toolset: str) -> Agent:
    """An agent that may read and write, with the tools of one set."""
    token = project.token("Night writer", agent="writer-1", scopes=(Scope.READ, Scope.WRITE))
    return Agent(app.test_client(), token, toolset=toolset)


def tools_of(agent: Agent) -> dict[str, str]:
    """Returns the descriptions of the agent's tools by name."""
    return {tool["name"]: tool["description"] for tool in agent.ask("tools/list")["tools"]}


def missing_tools(agent: Agent, texts: Iterable[str]) -> dict[str, set[str]]:
    """Returns the tools that texts name and the agent does not have, by the beginning of the text."""
    others = TOOLS.keys() - tools_of(agent).keys()
    return {text[:80]: names for text in texts if (names := {*NAMED.findall(text)} & others)}


def documents(scene: Scene, agent: Agent) -> Iterator[str]:
    """Yields documents in every state, two of them with threads, and one that the agent has claimed."""
    for steps in STEPS:
        yield scene.document(*steps)
    for state in ((), ("resolve_thread",)):
        yield scene.thread(*state, level="must")[0]
    claimed = scene.document()
    agent.by(agent.token, toolset=None).call("claim_brief", documentId=claimed)
    yield claimed


def wrong_calls(tool: str, scene: Scene, states: list[str]) -> Iterator[dict[str, Any]]:
    """Yields arguments of a tool for documents in every state, for records that are not there, and outdated ones."""
    call, operation = EVERY[tool](scene), TOOLS[tool].operation
    ids: dict[str, Any] = dict(zip(operation.id_names, call.ids, strict=True))
    numbers = {"version", "number"} & ids.keys()
    ids |= {name: int(ids[name]) for name in numbers}
    arguments = {**ids, **call.fields} | ({} if operation.reads else {"dryRun": True})
    yield from ({**arguments, "documentId": one} for one in states if "documentId" in ids)
    yield from ({**arguments, name: 99_999 if name in numbers else "0" * 24} for name in ids)
    outdated = {"baseVersion": 77, "claimedAt": "2020-01-01T00:00:00.000Z"}
    known = TOOLS[tool].definition.input_schema["properties"]
    yield from ({**arguments, name: value} for name, value in outdated.items() if name in known)


@pytest.mark.contract("decided-mcp.named-tools")
@pytest.mark.parametrize("toolset", [one for one in TOOLSETS if one != ALL_TOOLS])
def test_every_refusal_names_the_tool_to_go_on_with_and_none_that_the_caller_lacks(reader: Agent, scene: Scene) -> None:
    states, texts, dead_ends = [*documents(scene, reader)], [], set()

    for tool in tools_of(reader):
        for arguments in wrong_calls(tool, scene, states):
            result = reader.ask("tools/call", {"name": tool, "arguments": arguments})
            texts += [block["text"] for block in result["content"]]
            refusal = result["structuredContent"]
            if result["isError"] and not re.search("`[a-z]+_[a-z_]+`", refusal["message"]):
                dead_ends.add((refusal["_tag"], tool))

    assert missing_tools(reader, texts) == {}
    assert dead_ends <= {("Forbidden", "delete_image")}  # which says which pictures an agent deletes
    assert len(texts) > len(states)


NAMED_ANYWHERE = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
DOUBLED = re.compile(r"\b(list|read|reopen|edit|mark)\b.*\. .*\b\1", re.IGNORECASE)


@pytest.mark.parametrize("scopes", [(Scope.READ, Scope.WRITE), (Scope.READ, Scope.WRITE, Scope.PUBLISH)])
@pytest.mark.parametrize("toolset", ["planning", "reviewing", "writing"])
def test_the_advice_of_a_refusal_is_for_the_caller_who_gets_it_and_is_said_once(
    app: Flask, project: Project, scene: Scene, toolset: str, scopes: tuple[Scope, ...]
) -> None:
    caller = Agent(app.test_client(), project.token("Night", agent="writer-1", scopes=scopes), toolset=toolset)
    states, wrong = [*documents(scene, caller)], set()
    allowed = tools_of(caller).keys()
    of_others = {"claim_next_brief", "claim_brief", "write_content", "get_work_packet", "submit_document"} - allowed
    of_others |= {name for name, tool in TOOLS.items() if tool.operation.scope not in scopes}

    for tool in allowed:
        for arguments in wrong_calls(tool, scene, states):
            result = caller.ask("tools/call", {"name": tool, "arguments": arguments})
            message = result["structuredContent"].get("message", "")
            if "claimedAt" in arguments or not result["isError"]:
                continue  # who names a claim writes under it
            if of_others & {*NAMED_ANYWHERE.findall(message)} or DOUBLED.search(message):
                wrong.add(f"{tool}: {message}")

    assert wrong == set()


@pytest.mark.contract("decided-mcp.named-tools")
@pytest.mark.parametrize(
    ("toolset", "tag", "then"),
    [
        ("writing", "VersionConflict", MERGE.format("get_outline")),
        ("planning", "VersionConflict", MERGE.format("get_document")),
        ("writing", "InvalidTransition", "Read the present state with `get_work_packet`."),
        ("planning", "InvalidTransition", "Read the present state with `get_document`."),
    ],
)
def test_a_refusal_of_a_state_names_the_tool_that_reads_the_present_one(
    reader: Agent, scene: Scene, tag: str, then: str
) -> None:
    in_review = tag == "InvalidTransition"
    document = scene.document(*["submit_document"] * in_review)

    refused = reader.refused("update_document", documentId=document, title="Wheat", baseVersion=1 if in_review else 7)

    assert refused["_tag"] == tag
    assert refused["message"].endswith(f". {then}")


@pytest.mark.contract("decided-mcp.named-tools")
@pytest.mark.parametrize("toolset", ["writing", ALL_TOOLS])
@pytest.mark.parametrize(
    ("tool", "sent", "then"),
    [
        ("write_content", {"markdown": "Wheat.", "baseVersion": 7}, MERGE.format("get_outline")),
        (
            "edit_content",
            {"edits": [{"hash": "0" * 16, "markdown": "Wheat."}]},
            "`number`. Read its outline with `get_outline`, and edit what it has.",
        ),
    ],
)
def test_who_writes_an_outdated_text_is_told_to_read_its_outline(
    reader: Agent, scene: Scene, tool: str, sent: dict[str, Any], then: str
) -> None:
    refused = reader.refused(tool, documentId=scene.document(), **sent)

    assert refused["_tag"] == "VersionConflict"
    assert refused["message"].endswith(then)


def test_who_approves_an_outdated_version_is_told_to_read_the_text(agent: Agent, scene: Scene) -> None:
    refused = agent.refused("approve_document", documentId=scene.document("submit_document"), baseVersion=7)

    assert refused["message"].endswith(". " + MERGE.format("read_document_content").replace("merge", "decide anew"))


@pytest.mark.parametrize("toolset", ["writing"])
def test_an_id_of_the_wrong_form_and_a_quote_that_stands_nowhere_name_what_shows_the_right_one(
    reader: Agent, scene: Scene
) -> None:
    quote = {"exact": "nowhere"}

    unknown = reader.refused("get_work_packet", documentId="abc")
    misquoted = reader.refused("open_thread", documentId=scene.document(), text="Why?", quote=quote)

    assert unknown["message"].endswith("Find it with `list_briefs`.")
    assert misquoted["errors"][0]["message"].endswith("Find it with `read_section`.")


@pytest.mark.parametrize("wrong", ["0" * 24, "rye-bread"])
@pytest.mark.parametrize("name", [name for name, tool in TOOLS.items() if len(tool.operation.id_names) > 1])
def test_of_two_records_the_one_that_the_project_lacks_is_to_be_found(
    agent: Agent, name: str, wrong: str, scene: Scene
) -> None:
    call, names = EVERY[name](scene), TOOLS[name].operation.id_names
    last = int(call.ids[-1]) if names[-1] in ("version", "number") else call.ids[-1]

    refused = agent.refused(name, **call.fields, **{names[0]: wrong, names[-1]: last})

    listed = {"documentId": "list_documents", "memberId": "list_members", "webhookId": "list_webhooks"}[names[0]]
    assert refused["message"].endswith(f"Find it with `{listed}`.")


@pytest.mark.parametrize("toolset", ["planning"])
def test_a_problem_with_a_field_that_names_a_record_names_the_tool_that_lists_them(reader: Agent, scene: Scene) -> None:
    draft = reader.call("create_document_intent", title="Rye", categoryId="0" * 24, assigneeId="0" * 24)

    refused = reader.refused("confirm_intent", intentId=draft["id"])

    assert "with `update_document_intent`, then" in refused["message"]
    assert [one["message"].rpartition(". ")[2] for one in refused["errors"]] == [
        "Find it with `list_members`.",
        "Find it with `list_categories`.",
    ]


@pytest.mark.parametrize("toolset", ["planning"])
def test_a_problem_of_a_result_names_that_tool_as_one_of_a_refusal_does(reader: Agent, scene: Scene) -> None:
    draft = reader.call("create_document_intent", title="Rye", categoryId="0" * 24)
    [piece] = reader.call("plan_documents", pieces=[{"key": "rye", "title": "Rye", "category": "Bread"}])["pieces"]
    [of_draft] = reader.call("validate_intent", intentId=draft["id"])["errors"]

    for problem in (*piece["errors"], of_draft):
        assert problem["message"].endswith(" Find it with `list_categories`.")
        assert not DOUBLED.search(problem["message"])


@pytest.mark.parametrize("toolset", ["writing"])
def test_an_id_of_a_category_that_is_none_is_said_to_be_none(reader: Agent, scene: Scene) -> None:
    refused = reader.refused("claim_next_brief", categoryId="Bread")

    assert refused["_tag"] == "NoBriefReady"
    assert refused["message"].startswith("`categoryId` is no id")
    assert "`list_categories` (of the toolset `planning`)" in refused["message"]


@pytest.mark.parametrize("toolset", ["writing"])
def test_of_several_answers_the_thread_that_is_not_there_is_named(reader: Agent, scene: Scene) -> None:
    document, thread = scene.thread(level="must")
    replies = [{"threadId": one, "text": "Done."} for one in (thread, "0" * 24)]

    refused = reader.refused("reply_to_thread", documentId=document, replies=replies)

    assert refused["message"] == f"The document has no thread {'0' * 24}. Find it with `list_threads`."


@pytest.mark.contract("decided-mcp.named-tools")
@EACH_TOOLSET
def test_no_text_for_a_model_names_a_tool_that_its_toolset_lacks(reader: Agent, scene: Scene) -> None:
    handshake = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    texts = [reader.by(reader.token, era=HANDSHAKE).ask("initialize", handshake)["instructions"]]
    texts.append(reader.ask("server/discover")["instructions"])
    texts += tools_of(reader).values()
    for document in (scene.document(), scene.document("withdraw_brief"), scene.document("submit_document")):
        asked = {"name": "write_document_from_brief", "arguments": {"documentId": document}}
        texts.append(reader.ask("prompts/get", asked)["messages"][0]["content"]["text"])

    assert missing_tools(reader, texts) == {}


@pytest.mark.contract("decided-mcp.named-tools")
@pytest.mark.parametrize("toolset", ["writing"])
def test_the_actions_of_a_packet_are_tools_of_the_caller(reader: Agent, scene: Scene) -> None:
    packet = reader.call("get_work_packet", documentId=scene.document())

    assert {"claim_brief", "open_thread", "write_content"} <= set(packet["actions"]) <= tools_of(reader).keys()


@pytest.mark.contract("decided-mcp.named-tools")
@pytest.mark.parametrize("toolset", ["reviewing"])
def test_the_actions_on_a_document_are_tools_and_no_routes(reader: Agent, scene: Scene) -> None:
    actions = reader.call("list_document_actions", documentId=scene.document())["items"]

    assert {"open_thread", "submit_document"} & {one["action"] for one in actions} == {"open_thread"}
    assert all(set(one) == {"action", "allowed", "refusal"} for one in actions)


@pytest.mark.parametrize("toolset", ["writing"])
def test_a_second_submit_offers_a_writer_nothing_that_needs_publish(reader: Agent, scene: Scene) -> None:
    document = scene.document("submit_document")

    refused = reader.refused("submit_document", documentId=document)

    assert (refused["_tag"], refused["status"], refused["allowed"]) == ("InvalidTransition", "review", [])
    assert "publish" not in refused["message"]


@pytest.mark.contract("decided-mcp.named-tools")
def test_who_submits_nothing_is_told_to_write_and_who_confirms_twice_where_the_document_is(agent: Agent) -> None:
    draft = agent.call("create_document_intent", title="Rye")["id"]
    document = agent.call("confirm_intent", intentId=draft)["document"]["id"]

    empty, again = (
        agent.refused("submit_document", documentId=document),
        agent.refused("confirm_intent", intentId=draft),
    )

    assert empty["message"] == "The document has no content. Write some with `write_content`."
    assert again["message"].endswith("Find it with `list_intents`, and what was confirmed with `list_documents`.")
