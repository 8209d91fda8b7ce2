"""Every secret that a caller can get: as whom its holder acts, and what ends it (decisions, sections 13 and 18)."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_type_hints

import pytest
from bson import ObjectId
from flask import Flask

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from app.features import ALL
from app.oauth.oidc import sign_in_member
from app.projects.store import Members
from tests.console.visitor import Visitor
from tests.documents.steps import a_document, in_hours, make_due, ok, path_of, refused
from tests.make import Project, Token, an_uncached_app
from tests.mcp_tools.client import Agent
from tests.oauth.flow import ISSUER, Flow
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

ANSWER_SECRETS = {
    "create_token": "a token of the same agent",
    "rotate_token": "refused for tokens of persons",
    "invite_member": "refused",
    "create_review_link": "a link of the agent",
    "create_webhook": "receives, and calls nothing",
    "rotate_webhook_secret": "receives, and calls nothing",
}
"""The operations that answer a secret, and what an agent gets by each."""


@pytest.fixture
def server(store: Store) -> Flask:
    return an_uncached_app(store, public_url=ISSUER, webhooks_allow_local=True)


@pytest.fixture
def owner(server: Flask, project: Project) -> Rest:
    return Rest(server.test_client(), project.token("Owner"))


@pytest.fixture
def member(owner: Rest) -> dict[str, Any]:
    made: dict[str, Any] = ok(owner.post("/members", {"name": "Ada", "role": "editor"}), 201)
    return made


@pytest.fixture
def robot(owner: Rest, project: Project) -> Rest:
    return owner.by(project.token("Robot", agent="writer-1"))


def by_tool(by: Rest, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """Calls a tool with the token of a script, from a client without a name."""
    return Agent(by.client, by.token, name="").call(tool, **arguments)


def test_the_table_has_every_operation_that_answers_a_secret() -> None:
    shown_once = "null in a dry run"
    hints = {one.name: get_type_hints(one.response, include_extras=True) for one in ALL.operations}
    assert {name for name, keys in hints.items() if shown_once in repr(keys)} == ANSWER_SECRETS.keys()


@pytest.mark.contract("decided-guards.persons")
def test_an_agent_makes_no_person(owner: Rest, robot: Rest, member: dict[str, Any]) -> None:
    made = ok(robot.post("/tokens", {"name": "Ada"}), 201)
    assert (made["agent"], made["scopes"]) == ("writer-1", ["read", "write"])
    for other in (None, "", "writer-2"):
        assert robot.post("/tokens", {"name": "Ada", "agent": other}).status_code == 422, other
    refused(robot.post(f"/tokens/{owner.token.id}/rotate"), "Forbidden")
    refused(robot.post(f"/members/{member['id']}/invitations"), "Forbidden")
    assert ok(robot.post(f"/tokens/{made['id']}/rotate"))["agent"] == "writer-1"


@pytest.mark.contract("decided-guards.persons")
def test_who_calls_over_mcp_makes_no_person(owner: Rest, member: dict[str, Any]) -> None:
    named = Agent(owner.client, owner.token, name="Claude")
    assert named.call("create_token", name="Ada")["agent"] == "Claude"
    [wrong] = named.refused("create_token", name="Ada", agent="writer-1")["errors"]
    assert wrong["field"] == "agent"
    assert "Must be 'Claude' or left out" in wrong["message"]
    assert (
        "in the caller's own agent name alone: a person makes others, in the console or over REST" in wrong["message"]
    )
    assert by_tool(owner, "create_token", name="Ada")["agent"]
    assert by_tool(owner, "create_token", name="Ada", agent="writer-1")["agent"] == "writer-1"
    assert named.refused("rotate_token", tokenId=owner.token.id)["_tag"] == "Forbidden"
    assert named.refused("invite_member", memberId=member["id"])["_tag"] == "Forbidden"


def by_its_own_name(owner: Rest, robot: Rest, document: dict[str, Any]) -> str:
    made: str = ok(robot.post(f"{path_of(document)}/review-links", {"name": "Dr. Ada Miller"}), 201)["link"]
    return made


def over_mcp_without_a_name(owner: Rest, robot: Rest, document: dict[str, Any]) -> str:
    made: str = by_tool(owner, "create_review_link", documentId=document["id"], name="Dr. Ada Miller")["link"]
    return made


@pytest.mark.contract("decided-provenance.links")
@pytest.mark.parametrize("make", [by_its_own_name, over_mcp_without_a_name])
def test_words_by_an_agents_review_link_are_the_agents(
    server: Flask, owner: Rest, robot: Rest, make: Callable[..., str]
) -> None:
    document = a_document(owner)
    visitor = visit(server, make(owner, robot, document))
    remark = {"text": "Better.", "quote": {"exact": "Rye is dark."}, "suggestion": "Wheat is bright."}
    assert visitor.post("/console/review/threads", threads=json.dumps([remark])).status_code == 200
    [thread] = ok(owner.get(f"{path_of(document)}/threads"))
    assert thread["openedBy"]["name"] == "Dr. Ada Miller"
    assert thread["openedBy"]["agent"] == ("writer-1" if make is by_its_own_name else "MCP client")

    ok(owner.post(f"{path_of(document)}/threads/{thread['id']}/accept"))

    written = ok(owner.get(f"{path_of(document)}/provenance"))
    assert written["agents"] == written["words"] == 3
    ok(owner.post(f"{path_of(document)}/publish"))
    assert ok(owner.get("/disclosures"))[0]["disclosure"] == "ai-autonomous"


@pytest.mark.contract("decided-provenance.drafts")
def test_a_draft_stays_whose_it_is_until_its_text_is_replaced(owner: Rest) -> None:
    def agents(draft: str, confirm: Callable[[str], Any]) -> int:
        document = confirm(draft)["document"]
        return int(ok(owner.get(f"{path_of(document)}/provenance"))["agents"])

    def over_rest(draft: str) -> Any:
        return ok(owner.post(f"/document-intents/{draft}/confirm"), 201)

    def over_mcp(draft: str) -> Any:
        return by_tool(owner, "confirm_intent", intentId=draft)

    text = {"title": "Rye", "markdown": "Rye is dark."}
    theirs = [by_tool(owner, "create_document_intent", **text)["id"] for _ in range(2)]
    ours = [ok(owner.post("/document-intents", text), 201)["id"] for _ in range(3)]
    for draft in theirs:
        ok(owner.patch(f"/document-intents/{draft}", text))
    ok(owner.patch(f"/document-intents/{theirs[1]}", {"markdown": "Rye is darker."}))
    by_tool(owner, "update_document_intent", intentId=ours[1], markdown=text["markdown"])
    by_tool(owner, "update_document_intent", intentId=ours[2], markdown="Rye is darker.")

    assert [agents(draft, over_rest) for draft in theirs] == [3, 0]
    assert [agents(draft, over_mcp) for draft in ours] == [0, 0, 3]


# What ends a secret


def visit(server: Flask, link: str) -> Visitor:
    """Opens a review link; returns who came by it."""
    visitor = Visitor(server)
    visitor.client.post("/console/review", data={"link": link})
    visitor.csrf = csrf_of(visitor, "/console/review")
    return visitor


def csrf_of(visitor: Visitor, page: str) -> str:
    return re.findall(r'name="(?:csrf-token|_csrf)" (?:content|value)="(\w+)"', visitor.get(page).text)[0]


def opens(server: Flask, link: str) -> bool:
    return server.test_client().post("/console/review", data={"link": link}).status_code == 303


def secrets_of(server: Flask, maker: Rest, document: dict[str, Any]) -> Iterator[tuple[str, Callable[[], bool]]]:
    """Makes one of each secret; yields its name, and a function that returns whether it is accepted."""
    links = f"{path_of(document)}/review-links"
    link = ok(maker.post(links, {"name": "Lee"}), 201)["link"]
    yield "review link", lambda: opens(server, link)
    person = Visitor(server)
    person.sign_in(maker.token)
    yield "session", lambda: person.get("/console/board").status_code == 200
    [calendar] = re.findall(r"(/calendar\.ics\?token=cwc_[\w-]+)", person.post("/console/inbox/calendar").text)
    yield "calendar", lambda: server.test_client().get(calendar).status_code == 200
    flow = Flow(server)
    form = {"scopes": ["read", "write", "publish"]}
    given = flow.connect(maker.token, form, scope="read write publish")
    headers = {"Authorization": f"Bearer {given['access_token']}"}
    of_client = flow.http.post(links, json={"name": "Lee"}, headers=headers).json["link"]
    given = flow.refresh(given["refresh_token"]).json
    yield "review link of a connection", lambda: opens(server, of_client)
    yield "connection", lambda: flow.calls(given["access_token"]) == 200
    unused = flow.connect(maker.token)
    yield "refresh token", lambda: flow.refresh(unused["refresh_token"]).status_code == 200


def joined(server: Flask, invitation: str) -> bool:
    return "cwm_" in server.test_client().post("/console/join", data={"invitation": invitation.partition("#")[2]}).text


ENDS: dict[str, Callable[[Rest, Project, str, str], object]] = {
    "revoked": lambda owner, project, token, member: ok(owner.delete(f"/tokens/{token}")),
    "rotated": lambda owner, project, token, member: ok(owner.post(f"/tokens/{token}/rotate")),
    "expired": lambda owner, project, token, member: expire(project, token),
    "of a deleted member": lambda owner, project, token, member: ok(owner.delete(f"/members/{member}")),
}


def expire(project: Project, token: str) -> None:
    past = {"expiresAt": this_instant() - timedelta(seconds=1)}
    project.store.database.tokens.update_one({"_id": ObjectId(token)}, {"$set": past})


@pytest.mark.contract("decided-guards.makers")
@pytest.mark.parametrize("end", ENDS)
def test_what_a_token_made_ends_with_it(
    server: Flask, project: Project, owner: Rest, member: dict[str, Any], end: str
) -> None:
    maker = owner.by(project.token("Maker", memberId=member["id"]))
    document = a_document(owner)
    secrets = dict(secrets_of(server, maker, document))
    other = ok(owner.post("/members", {"name": "Lee"}), 201)
    invitations = [ok(maker.post(f"/members/{other['id']}/invitations"), 201)["link"] for _ in range(2)]
    assert {name: accepted() for name, accepted in secrets.items()} == dict.fromkeys(secrets, True)
    assert joined(server, invitations[0])

    ENDS[end](owner, project, maker.token.id, member["id"])

    assert {name: accepted() for name, accepted in secrets.items()} == dict.fromkeys(secrets, False)
    assert not joined(server, invitations[1])
    assert ok(owner.get("/review-links")) == ok(owner.get(f"{path_of(document)}/review-links")) == []
    assert ok(owner.get(f"/members/{other['id']}/invitations")) == []


@pytest.mark.contract("decided-guards.makers")
def test_a_deleted_members_tokens_are_revoked_with_an_event_each(
    project: Project, owner: Rest, member: dict[str, Any], server: Flask
) -> None:
    maker = owner.by(project.token("Maker", memberId=member["id"]))
    list(secrets_of(server, maker, a_document(owner)))
    ok(owner.delete(f"/members/{member['id']}"))

    of_member = [one for one in ok(owner.get("/tokens")) if one["memberId"] == member["id"]]
    assert [one["kind"] for one in of_member] == ["management", "calendar", "management", "management"]
    assert all(one["revokedAt"] for one in of_member)
    project.store[Outboxes].publish_all(project.id)
    events = ok(owner.get("/events?limit=1000"))["events"]
    revoked = [one for one in events if one["type"] == "token.revoked"]
    assert {one["data"]["tokenId"] for one in revoked} == {one["id"] for one in of_member}


@pytest.mark.contract("decided-guards.makers")
def test_no_secret_outlives_the_end_of_its_maker(project: Project, owner: Rest, member: dict[str, Any]) -> None:
    ends = this_instant() + timedelta(hours=1)
    maker = owner.by(project.token("Maker", expiresAt=ends))
    document = a_document(owner)
    for path in (f"{path_of(document)}/review-links", f"/members/{member['id']}/invitations"):
        made = ok(maker.post(path, {"name": "Lee"} if "links" in path else {}), 201)
        assert datetime.fromisoformat(made["expiresAt"]) == ends.astimezone(UTC)


@pytest.mark.contract("decided-guards.makers")
def test_an_administrator_sees_the_review_links_of_all_documents(owner: Rest) -> None:
    documents = [a_document(owner, title=title) for title in ("One", "Two")]
    for document in documents:
        ok(owner.post(f"{path_of(document)}/review-links", {"name": "Lee"}), 201)
    found = ok(owner.get("/review-links"))
    assert {one["documentId"] for one in found} == {document["id"] for document in documents}
    assert ok(owner.get("/review-links?limit=1&offset=1")) == found[1:]


# Two persons


def two_tokens(server: Flask, project: Project, member: dict[str, Any]) -> tuple[Token, str]:
    return project.token("One", memberId=member["id"]), project.token("Two", memberId=member["id"]).secret


def a_connection(server: Flask, project: Project, member: dict[str, Any]) -> tuple[Token, str]:
    granter = project.token("Nobody's")
    return granter, connected(server, granter)


def a_connection_of_another_token(server: Flask, project: Project, member: dict[str, Any]) -> tuple[Token, str]:
    one, secret = two_tokens(server, project, member)
    return one, connected(server, project.token("Three", memberId=member["id"]))


def connected(server: Flask, granter: Token) -> str:
    form = {"scopes": ["read", "write", "publish"]}
    secret: str = Flow(server).connect(granter, form, scope="read write publish")["access_token"]
    return secret


PAIRS = (two_tokens, a_connection, a_connection_of_another_token)


@pytest.mark.contract("decided-four-eyes.persons")
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("turned", [False, True])
def test_one_person_with_two_tokens_does_not_let_a_version_go(
    server: Flask, project: Project, owner: Rest, member: dict[str, Any], pair: Callable[..., Any], turned: bool
) -> None:
    token, secret = pair(server, project, member)
    one, two = owner.by(token), owner.by(replace(token, secret=secret))
    ok(owner.patch("/project", {"fourEyes": True}))
    document = a_document(two if turned else one)

    by = refused((one if turned else two).post(f"{path_of(document)}/publish"), "FourEyes")["by"]

    assert by["id"] == document["contentUpdatedBy"]["id"]
    ok(owner.post(f"{path_of(document)}/publish"))


@pytest.mark.contract("decided-four-eyes.persons")
def test_who_signs_in_with_a_provider_is_who_has_the_members_token(
    server: Flask, project: Project, owner: Rest, member: dict[str, Any]
) -> None:
    ok(owner.patch("/project", {"fourEyes": True}))
    document = a_document(owner.by(project.token("Ada's script", memberId=member["id"])))
    stored = project.store[Members].get(project.id, member["id"])
    assert stored
    visitor = Visitor(server)
    session = sign_in_member(project.store, stored, [*Scope], this_instant())
    visitor.client.set_cookie("cw_session", session, path="/console")
    visitor.csrf = csrf_of(visitor, "/console/calendar")

    visitor.post(f"/console{path_of(document)}/actions/publish_document")

    assert not ok(owner.get(path_of(document)))["isPublished"]


# What is asked when a version goes out


@pytest.mark.contract("decided-reviews.going-out")
def test_a_version_that_was_approved_before_a_record_was_required_does_not_go_out_without_one(
    project: Project, owner: Rest
) -> None:
    approved, scheduled = a_document(owner, title="One"), a_document(owner, title="Two")
    for document in (approved, scheduled):
        ok(owner.post(f"{path_of(document)}/approve"))
    ok(owner.post(f"{path_of(scheduled)}/schedule", {"publishAt": in_hours()}))
    ok(owner.patch("/project", {"reviewRecord": "required"}))
    make_due(project.store, scheduled)

    [(_, reason)] = publish_due(project.store, project.id, this_instant())

    assert "review" in (reason or "")
    assert ok(owner.get(path_of(scheduled)))["status"] == "drafting"
    for step, body in (("publish", None), ("schedule", {"publishAt": in_hours()})):
        told = refused(owner.post(f"{path_of(approved)}/{step}", body), "HumanReviewRequired")
        assert told["missing"] == ["review"]


@pytest.mark.contract("decided-oauth.freeze")
def test_a_code_agreed_before_a_freeze_is_not_exchanged_in_it(server: Flask, owner: Rest, project: Project) -> None:
    flow = Flow(server)
    flow.person.sign_in(project.token("Person", scopes=[Scope.READ, Scope.WRITE]))
    code = flow.code()
    ok(owner.post("/project/freeze"))

    assert flow.token(code).json["error"] == "invalid_grant"
    ok(owner.post("/project/unfreeze"))
    assert flow.token(flow.code()).status_code == 200
