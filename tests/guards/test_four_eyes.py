"""Four eyes: who made or submitted a version doesn't approve, schedule or publish it (decisions, section 13)."""

from typing import Any

import pytest
from bson import ObjectId

from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from tests.documents.steps import a_category, a_document, a_member, in_hours, make_due, ok, path_of, refused
from tests.make import Project
from tests.mcp_tools.client import Agent
from tests.races.crowd import at_once
from tests.rest.client import Rest

BODIES: dict[str, Any] = {"approve": None, "schedule": {"publishAt": in_hours(24)}, "publish": None}
TOOLS = {"approve": "approve_document", "schedule": "schedule_document", "publish": "publish_document"}
EVERY_STEP = pytest.mark.parametrize("step", BODIES)


@pytest.fixture
def demanding(rest: Rest) -> Rest:
    """The API of a project that demands four eyes, called with an editor's token."""
    assert ok(rest.patch("/project", {"fourEyes": True}))["fourEyes"] is True
    return rest


@pytest.fixture
def writer(demanding: Rest, project: Project) -> Rest:
    return demanding.by(project.token("Writer", scopes=Scope))


def take(caller: Rest, document: Any, step: str) -> Any:
    return caller.post(f"{path_of(document)}/{step}", BODIES[step])


@EVERY_STEP
@pytest.mark.contract("decided-four-eyes.refused")
def test_what_another_server_was_told_to_demand_holds_at_once(rest: Rest, project: Project, step: str) -> None:
    document = a_document(rest)
    ok(rest.get(f"{path_of(document)}/actions"))
    project.store.database.projects.update_one({"_id": ObjectId(project.id)}, {"$set": {"fourEyes": True}})

    actions = {one["action"]: one["refusal"] for one in ok(rest.get(f"{path_of(document)}/actions"))}

    assert refused(take(rest, document, step), "FourEyes") == actions[TOOLS[step]]


@EVERY_STEP
@pytest.mark.contract("decided-four-eyes.refused")
def test_who_submitted_it_last_is_refused_too(demanding: Rest, writer: Rest, project: Project, step: str) -> None:
    document = a_document(writer)
    ok(demanding.post(f"{path_of(document)}/submit"))

    assert refused(take(demanding, document, step), "FourEyes")["by"]["id"] == demanding.token.id
    assert refused(take(writer, document, step), "FourEyes")["by"]["id"] == writer.token.id
    ok(take(demanding.by(project.token("Third")), document, step))


@EVERY_STEP
@pytest.mark.contract("decided-four-eyes.agent")
def test_tokens_of_the_same_agent_count_as_one(demanding: Rest, project: Project, step: str) -> None:
    document = a_document(demanding.by(project.token("One", agent="writer-1")))

    body = refused(take(demanding.by(project.token("Two", agent="writer-1")), document, step), "FourEyes")

    assert body["by"]["name"] == "One"
    ok(take(demanding.by(project.token("Three", agent="writer-2")), document, step))


@EVERY_STEP
@pytest.mark.contract("decided-four-eyes.agent")
def test_the_name_of_a_client_is_not_the_agents(app: Any, demanding: Rest, project: Project, step: str) -> None:
    one = Agent(app.test_client(), project.token("One"), name="same-client")
    two = Agent(app.test_client(), project.token("Two"), name="same-client")
    document = a_document(demanding)
    one.call("write_content", documentId=document["id"], markdown="Rye.", baseVersion=1)

    assert one.refused(TOOLS[step], documentId=document["id"], **BODIES[step] or {})["_tag"] == "FourEyes"
    two.call(TOOLS[step], documentId=document["id"], **BODIES[step] or {})


@pytest.mark.contract("decided-four-eyes.order")
def test_the_status_comes_before_and_the_review_after(demanding: Rest, writer: Rest) -> None:
    ok(demanding.patch("/project", {"reviewRequired": True}))
    document = a_document(writer)

    refused(take(writer, document, "publish"), "FourEyes")
    refused(take(demanding, document, "publish"), "ReviewRequired")
    ok(take(demanding, document, "approve"))
    refused(take(writer, document, "approve"), "InvalidTransition")
    conflict = writer.post(f"{path_of(document)}/publish", {"baseVersion": 9})
    refused(conflict, "VersionConflict")
    empty = a_document(writer, markdown=None)
    refused(take(writer, empty, "approve"), "FourEyes")


@pytest.mark.contract("decided-four-eyes.refused")
def test_the_worker_publishes_what_another_caller_scheduled(demanding: Rest, writer: Rest, project: Project) -> None:
    document = a_document(writer)
    ok(take(demanding, document, "schedule"))
    make_due(project.store, document)

    assert list(publish_due(project.store, project.id, project.context().now)) == [(document["id"], None)]


@pytest.mark.race
@pytest.mark.needs_mongod
@pytest.mark.contract("decided-four-eyes.refused")
def test_nobody_approves_what_they_wrote_at_the_same_time(demanding: Rest, writer: Rest) -> None:
    for _ in range(5):
        document = a_document(demanding)
        path = path_of(document)

        at_once(
            [
                lambda path=path: writer.put(f"{path}/content", {"markdown": "Mine.", "baseVersion": 1}),
                *([lambda path=path: writer.post(f"{path}/approve")] * 3),
            ]
        )

        now = ok(demanding.get(path))
        approved = [one for one in ok(demanding.get(f"{path}/activity")) if one["type"] == "document.approved"]
        assert now["version"] == 1 or not approved
        assert all(one["details"]["version"] == 1 for one in approved)


def test_without_the_setting_a_writer_may_publish(rest: Rest) -> None:
    ok(take(rest, a_document(rest), "publish"))


@pytest.mark.contract("decided-guards.at-once")
@pytest.mark.parametrize("setting", ["reviewRequired", "fourEyes"])
def test_an_agent_changes_nothing_that_the_site_shows_without_a_publication(
    rest: Rest, project: Project, setting: str
) -> None:
    agent, script = (rest.by(project.token(agent=name)) for name in ("writer-1", None))
    bread, ada = a_category(rest), a_member(rest)
    live, draft = a_document(rest), a_document(rest)
    ok(take(rest, live, "publish"))
    path, author = f"/categories/{bread['id']}", {"authorId": ada["id"]}
    changes = [
        lambda by: by.patch(path, {"description": "Of an agent."}),
        lambda by: by.patch(path_of(live), author),
        lambda by: by.delete(path),
    ]
    ok(rest.patch("/project", {setting: True}))

    for change in changes:
        refused(change(agent), "ReviewRequired")
    ok(agent.patch(path, {"name": bread["name"]}))
    ok(agent.patch(path_of(draft), author))
    ok(agent.patch(path_of(live), {"dueDate": "2027-01-31"}))
    over_mcp = Agent(rest.client, script.token, name="a-client")
    over_mcp.call("update_document", documentId=live["id"], dueDate="2027-02-01", **author)
    ok(rest.patch("/project", {setting: False}))
    ok(changes[0](agent))
    ok(rest.patch("/project", {setting: True}))
    for change in changes:
        ok(change(script))
