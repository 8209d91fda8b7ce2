"""No agent produces the record of a person's review: every operation, interface and combination of scopes.

(decisions, section 18)
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.documents.steps import a_document, ok, path_of
from tests.make import Project, Token
from tests.mcp_tools.client import ERAS, Agent
from tests.rest.client import Rest
from tests.valid_calls import EVERY, Call, Scene
from tests.walks.sending import over_mcp, over_rest, routes_of

pytestmark = pytest.mark.needs_mongod

REVIEW = {"facts": True, "sources": True, "examined": "All of it.", "responsible": "Ada"}
SCOPES = [set(some) for number in range(1, 5) for some in combinations(Scope, number)]


def reviews(project: Project) -> int:
    """Returns how many records of reviews a project has."""
    recorded = {"projectId": ObjectId(project.id), "review": {"$ne": None}}
    return project.store.database.revisions.count_documents(recorded)


def tokens(project: Project) -> Iterator[tuple[Token, bool]]:
    """Yields a token of each combination of scopes with an agent's name and one without, and whether it has one."""
    for scopes in SCOPES:
        yield project.token("Agent", agent="writer-1", scopes=scopes), True
        yield project.token("Nameless", scopes=scopes), False


@pytest.mark.contract("decided-reviews.walk")
@pytest.mark.parametrize("demand", ["off", "required"])
def test_no_combination_of_scopes_lets_an_agent_attest_a_review(app: Flask, project: Project, demand: str) -> None:
    owner = Rest(app.test_client(), project.token("Owner"))
    ok(owner.patch("/project", {"reviewRecord": demand}))
    for token, is_agent in tokens(project):
        document = a_document(owner, title=f"By {token.id}")
        body: dict[str, Any] = {"review": REVIEW, "baseVersion": 1}
        if is_agent:
            for more in ({}, {"If_Match": "*"}, {"Idempotency_Key": token.id}, {"User_Agent": "Mozilla/5.0"}):
                assert owner.by(token).post(f"{path_of(document)}/approve", body, **more).status_code in (403, 409)
            visitor = Visitor(app)
            visitor.sign_in(token)
            form = {f"review.{name}": str(value) for name, value in REVIEW.items()} | {"baseVersion": "1"}
            visitor.post(f"/console{path_of(document)}/actions/approve_document", **form)
        for era, name in zip(ERAS, ("Claude", ""), strict=True):
            arguments = {"documentId": document["id"], **body}
            agent = Agent(app.test_client(), token, era=era, name=name)
            agent.post("tools/call", {"name": "approve_document", "arguments": arguments})
        assert reviews(project) == 0, (token, is_agent)
    assert ok(owner.post(f"{path_of(document)}/approve", body))["status"] == "approved"
    assert reviews(project) == 1


@pytest.mark.parametrize("name", [one for one in EVERY if one != "get_review_record"])
def test_no_operation_of_an_agent_takes_a_review(service: Flask, scene: Scene, name: str) -> None:
    """Each valid call of each operation by an agent's token that may do everything, with a review added."""
    agent = scene.project.token("Agent", agent="writer-1", scopes=set(Scope))
    call = EVERY[name](scene if "invitation" in name or name == "invite_member" else Scene(scene.project, agent))
    with_review = Call(call.ids, {**call.fields, "review": REVIEW})
    for route in routes_of(name):
        over_rest(service.test_client(), agent, route, with_review)
    for one in (with_review, call):
        over_mcp(service.test_client(), agent, name, one)
    for row in scene.project.store.database.documents.find({"projectId": ObjectId(scene.project.id)}):
        Rest(service.test_client(), agent).post(f"/documents/{row['_id']}/approve", {"review": REVIEW})

    assert reviews(scene.project) == 0
