"""A token may do what its scopes say and nothing else: every operation, scope and kind of token, on REST and MCP.

A refusal has the body that the contract documents, and nothing is written before it. (decisions, section 2)
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from app.core.context import this_instant
from app.core.errors import CHALLENGE, Unauthorized
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.projects.access import hash_of, new_secret
from tests.graphql_app.client import GraphQL, delivery_token
from tests.make import an_app
from tests.mcp_tools.client import Agent
from tests.valid_calls import EVERY, Scene
from tests.walks.others import rows_of
from tests.walks.sending import OF_PERSONS, OPERATIONS, over_mcp, over_rest, routes_of
from tests.walks.test_isolation_of_delivery import NAMES, QUERIES, query

pytestmark = pytest.mark.needs_mongod

ALL = [str(scope) for scope in Scope]
SOUND: dict[str, Any] = {"kind": "management", "scopes": ALL, "agent": None, "revokedAt": None, "expiresAt": None}


def invalid_tokens() -> Iterator[dict[str, Any]]:
    """Yields what can be wrong with a token that has all scopes, so that it is no management token that is valid."""
    now = this_instant()
    yield {"kind": str(TokenKind.DELIVERY)}
    yield {"kind": str(TokenKind.DELIVERY), "drafts": True}
    yield {"revokedAt": now}
    yield {"expiresAt": now - timedelta(milliseconds=1)}
    yield {"hash": hash_of(new_secret(TokenKind.MANAGEMENT))}  # the secret is not known


def tokens_without(scope: Scope) -> Iterator[dict[str, Any]]:
    """Yields valid management tokens that have every scope but one."""
    others = [one for one in ALL if one != scope]
    yield {"scopes": others}
    yield {"scopes": others, "agent": "writer-1"}


def become(scene: Scene, **fields: Any) -> None:
    """Has the token of a scene be another one, by what is stored of it."""
    stored = {"hash": hash_of(scene.token.secret), **SOUND, **fields}
    scene.project.store.database.tokens.update_one({"_id": ObjectId(scene.token.id)}, {"$set": stored})


PUBLISH = {"approve", "request", "schedule", "unschedule", "publish", "unpublish", "delete", "restore"}
PUBLISHED = {"document", "changes", "category", "cluster"}
ADMINISTERED = {"member", "invitation", "token", "webhook", "project", "secret"}


@pytest.mark.contract("decided-projects.scopes", "decided-webhooks.admin")
@pytest.mark.parametrize("name", EVERY)
def test_an_operation_needs_the_scope_that_the_decisions_say(name: str) -> None:
    verb, noun = name.split("_")[0], name.split("_")[-1]
    secrets = {"tokens", "invitations", "webhooks", "webhook", "deliveries"}

    if noun in ("link", "links"):
        expected = Scope.ADMIN if "all" in name else Scope.PUBLISH
    elif OPERATIONS[name].reads:
        expected = Scope.ADMIN if noun in secrets else Scope.READ
    elif noun in ADMINISTERED:
        expected = Scope.ADMIN
    else:
        expected = Scope.PUBLISH if verb in PUBLISH and noun in PUBLISHED else Scope.WRITE
    assert OPERATIONS[name].scope == expected


AS_JSON_RPC = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32600, "message": Unauthorized.message, "data": Unauthorized().body()},
}
"""The keys that a 401 of MCP has beside those of REST, so that SDKs show its message."""


@pytest.mark.contract(
    "decided-projects.scopes",
    "decided-projects.no-scope",
    "decided-http.Unauthorized",
    "decided-mcp.scopes",
    "decided-mcp.token",
)
@pytest.mark.parametrize("name", EVERY)
def test_an_operation_is_done_with_its_scope_alone(service: Flask, scene: Scene, name: str) -> None:
    client, operation, call = service.test_client(), OPERATIONS[name], EVERY[name](scene)
    before = rows_of(scene.project, but_token=scene.token.id)

    for token in invalid_tokens():
        become(scene, **token)
        answers = [(over_rest(client, scene.token, route, call), {}) for route in routes_of(name)]
        for answer, more in (*answers, (over_mcp(client, scene.token, name, call), AS_JSON_RPC)):
            assert (answer.status_code, answer.json) == (401, {**Unauthorized().body(), **more}), token
            assert answer.headers["WWW-Authenticate"] == CHALLENGE
    for token in tokens_without(operation.scope):
        become(scene, **token)
        for route in routes_of(name):
            answer = over_rest(client, scene.token, route, call)
            assert (answer.status_code, answer.json) == (403, operation.forbidden().body()), token
        if operation.tool:
            refused = over_mcp(client, scene.token, name, call).json["result"]
            assert (refused["isError"], refused["structuredContent"]) == (True, operation.forbidden().body()), token
    assert rows_of(scene.project, but_token=scene.token.id) == before

    become(scene, scopes=[str(operation.scope)], agent="writer-1")
    if operation.tool:
        done = over_mcp(client, scene.token, name, call, **({} if operation.reads else {"dryRun": True})).json["result"]
        assert done["isError"] == (name in OF_PERSONS), done["structuredContent"]
    become(scene, scopes=[str(operation.scope)])
    for route in routes_of(name)[:1]:
        assert over_rest(client, scene.token, route, call).status_code < 300


@pytest.mark.contract("decided-mcp.scopes")
@pytest.mark.parametrize(("method", "params"), [("resources/read", "uri"), ("prompts/get", "name")])
def test_resources_and_prompts_of_mcp_need_the_scope_read(
    service: Flask, scene: Scene, method: str, params: str
) -> None:
    agent, document = Agent(service.test_client(), scene.token), scene.document()
    asked = {"uri": f"brief://{document}", "name": "write_document_from_brief"}
    sent = {params: asked[params], **({} if params == "uri" else {"arguments": {"documentId": document}})}

    for token in invalid_tokens():
        become(scene, **token)
        assert agent.post(method, sent).status_code == 401
    for token in tokens_without(Scope.READ):
        become(scene, **token)
        refused = agent.post(method, sent)
        assert "needs a token with the scope `read`" in refused.json["error"]["message"]
        assert document not in agent.post("resources/list").text
    become(scene, scopes=["read"])
    assert "result" in agent.post(method, sent).json


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_is_answered_to_a_valid_delivery_token_alone(service: Flask, scene: Scene, name: str) -> None:
    site, sent = GraphQL(service.test_client(), scene.token), query(name, **dict.fromkeys(arguments_of(name), "rye"))

    for token in ({}, *({**one, "kind": "delivery"} for one in invalid_tokens() if "kind" not in one)):
        become(scene, **token)
        answer = site.post(sent)
        assert answer.status_code == 401
        assert [one["extensions"]["code"] for one in answer.json["errors"]] == ["UNAUTHENTICATED"]
        assert answer.headers["WWW-Authenticate"] == CHALLENGE
    become(scene, kind="delivery", drafts=True)
    assert "errors" not in site.post(sent).json


@pytest.mark.parametrize("name", [name for name, field in QUERIES.items() if "includeDrafts" in field.args])
def test_drafts_are_queried_with_the_drafts_permission_alone(service: Flask, scene: Scene, name: str) -> None:
    site = GraphQL(service.test_client(), delivery_token(scene.project))

    assert site.codes(query(name, **dict.fromkeys(arguments_of(name), "rye"))) == ["FORBIDDEN"]


def arguments_of(name: str) -> list[str]:
    """Returns the arguments of a query that name a record; a cursor names a place, and is refused where it is none."""
    return [argument for queried, argument in NAMES if queried == name and argument != "after"]


OPEN = {
    "/health",
    "/ready",
    "/openapi.json",
    "/docs",
    "/docs/<name>",
    "/llms.txt",
    "/graphql/explorer/<path:filename>",
    "/console/assets/<version>/<name>",
    "/console/sign-in",
    "/console/join",
    "/media/<key>",
    "/media/<key>/<name>",
    "/console/review",
    "/console/review/threads",
    "/console/review/threads/<thread>/<change>",
    "/console/oidc",
    "/console/oidc/callback",
    "/console/oidc/project",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/oauth/authorize",
    "/oauth/register",
    "/oauth/revoke",
    "/oauth/token",
}
"""What is answered without a token: that the server lives, its documentation, what clients that connect by OAuth call,
the pages that take a token, and those of visitors, who have a review link."""


@pytest.mark.contract("authentication.1", "authentication.4")
def test_every_other_request_needs_a_token(own_store: Store) -> None:
    service = an_app(own_store, public_url="http://localhost")
    served = [(re.sub(r"<\w+\(.*?\):", "<", rule.rule), rule) for rule in service.url_map.iter_rules()]
    assert {path for path, _ in served} > OPEN

    for path, rule in served:
        for method in rule.methods & {"GET", "POST", "PUT", "PATCH", "DELETE"} if path not in OPEN else ():
            address = re.sub(r"<\w+>", "0" * 24, path.replace("<kind>", "clusters").replace("<form>", "fields"))
            answer = service.test_client().open(address, method=method, json={})
            if path.startswith("/console"):
                assert (answer.status_code, (answer.location or "").split("?")[0]) == (303, "/console/sign-in"), (
                    method,
                    path,
                )
            else:
                assert answer.status_code == (404 if path == "/" else 401), (method, path)
