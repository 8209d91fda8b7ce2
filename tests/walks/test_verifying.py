"""No agent makes a source look compared: every operation, order of calls and interface (decisions, section 22)."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.documents.steps import ok
from tests.make import Project, Token
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest
from tests.valid_calls import EVERY, Call, Scene
from tests.walks.sending import over_mcp, over_rest, routes_of

pytestmark = pytest.mark.needs_mongod

EXCERPT = "Rye is dark, and bakes slowly in any oven."
SAYS = {"verified": True, "verifiedAt": "2026-11-01T10:00:00.000Z", "verifiedBy": {"type": "token", "name": "Ada"}}


def verified(project: Project) -> list[dict[str, Any]]:
    """Returns the sources of a project that look compared."""
    return [*project.store.database.sources.find({"projectId": ObjectId(project.id), "verifiedAt": {"$ne": None}})]


@pytest.mark.contract("decided-sources.walk")
@pytest.mark.parametrize("name", EVERY)
def test_no_operation_of_an_agent_verifies_a_source(service: Flask, scene: Scene, name: str) -> None:
    agent = scene.project.token("Agent", agent="writer-1", scopes=set(Scope))
    by_person = "invitation" in name or name in ("invite_member", "get_review_record")
    call = EVERY[name](scene if by_person else Scene(scene.project, agent))
    said = Call(call.ids, {**call.fields, **SAYS})
    for one in (said, call):
        for route in routes_of(name):
            over_rest(service.test_client(), agent, route, one)
        over_mcp(service.test_client(), agent, name, one)
        over_mcp(service.test_client(), scene.project.token("Nameless"), name, one)
    for row in scene.project.store.database.sources.find({"projectId": ObjectId(scene.project.id)}):
        for later in ("verify", "verify?dryRun=true"):
            path = f"/documents/{row['documentId']}/sources/{row['_id']}/{later}"
            assert Rest(service.test_client(), agent).post(path).status_code == 409
    assert verified(scene.project) == []


@pytest.mark.contract("decided-sources.walk")
def test_no_order_of_calls_of_an_agent_changes_what_was_compared(service: Flask, scene: Scene) -> None:
    owner = Rest(service.test_client(), scene.token)
    agent = scene.project.token("Agent", agent="writer-1", scopes=set(Scope))
    steps: dict[str, Callable[[Token, str, str], object]] = {
        "change": lambda token, *ids: over_mcp(
            service.test_client(), token, "update_source", Call(ids, {"excerpt": "Rye is light."})
        ),
        "change back": lambda token, *ids: Rest(service.test_client(), token).patch(
            f"/documents/{ids[0]}/sources/{ids[1]}", {"excerpt": EXCERPT, **SAYS}
        ),
        "verify": lambda token, *ids: verify_everywhere(service, token, *ids),
        "restore": lambda token, *ids: over_mcp(
            service.test_client(), token, "restore_revision", Call((ids[0], "1"), {"baseVersion": 1})
        ),
        "again": lambda token, *ids: (
            over_mcp(service.test_client(), token, "delete_source", Call(ids)),
            over_mcp(service.test_client(), token, "add_source", Call(ids[:1], {"title": "Rye", "excerpt": EXCERPT})),
        ),
    }
    filed = {"categoryId": scene.filed("category")}
    for number, order in enumerate(permutations(steps)):
        document = scene.document(title=f"Rye {'-'.join(order)}", slug=f"rye-{number}", **filed)
        source = scene.call("add_source", document, title="Rye", excerpt=EXCERPT)
        ok(owner.post(f"/documents/{document}/sources/{source['id']}/verify"))
        for step in order:
            steps[step](agent, document, source["id"])
        rows = [one for one in verified(scene.project) if str(one["documentId"]) == document]
        assert rows == [], order


def verify_everywhere(service: Flask, token: Token, document: str, source: str) -> None:
    """Tries to say over each interface that somebody compared a source."""
    client = service.test_client()
    Rest(client, token).post(f"/documents/{document}/sources/{source}/verify", {"verified": True})
    arguments = {"documentId": document, "sourceId": source, "verified": True}
    answer = Agent(client, token).post("tools/call", {"name": "verify_source", "arguments": arguments})
    assert "error" in answer.json or answer.json["result"]["isError"]
    visitor = Visitor(service)
    visitor.sign_in(token)
    visitor.post(f"/console/documents/{document}/sources/{source}/verify", verified="true", rev="1")
