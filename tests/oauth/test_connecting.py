"""Connecting by OAuth, from the address to the token, and to its end (decisions, section 16)."""

import re
from typing import Any

import pytest
from flask import Flask

from app.core.store.outbox import Outboxes
from app.projects.token_store import Tokens
from tests.console.visitor import Visitor
from tests.make import Project, Token
from tests.oauth.conftest import Later, Site, connectable
from tests.oauth.flow import ISSUER, Flow, onward, sent_to

pytestmark = pytest.mark.needs_mongod


@pytest.mark.contract("decided-oauth.challenge", "decided-oauth.tokens", "decided-oauth.record")
def test_a_client_connects_from_the_address_alone(flow: Flow, editor: Token, project: Project) -> None:
    refused = flow.mcp("", "tools/list")
    assert refused.status_code == 401
    document = f"{ISSUER}/.well-known/oauth-protected-resource/mcp"
    expected = f'Bearer realm="content-workflow", resource_metadata="{document}", scope="read write"'
    assert refused.headers["WWW-Authenticate"] == expected

    first = flow.authorize()
    assert first.status_code == 200
    asked = flow.person.get(onward(first))
    assert asked.status_code == 303
    assert asked.headers["Location"].startswith("/console/sign-in?to=")

    flow.person.sign_in(editor)
    page = flow.page()
    assert page.status_code == 200
    assert "Connect Assistant?" in page.text
    assert "client.example.com" in page.text
    assert "The Crust" in page.text
    assert "can't approve, publish or delete" in page.text

    response = flow.answer({"agent": "desk"})
    assert response.status_code == 303
    sent = sent_to(response)
    assert (sent["state"], sent["iss"]) == ("st-1", ISSUER)

    given = flow.token(sent["code"])
    assert given.status_code == 200
    assert given.headers["Cache-Control"] == "no-store"
    secrets = given.get_json()
    assert secrets["access_token"].startswith("cwm_")
    assert secrets["refresh_token"].startswith("cwr_")
    assert (secrets["token_type"], secrets["expires_in"], secrets["scope"]) == ("Bearer", 3600, "read write")
    assert flow.mcp(secrets["access_token"], "tools/list").status_code == 200
    assert flow.calls(secrets["access_token"]) == 200

    owner = project.token()
    listed = flow.http.get("/tokens", headers={"Authorization": f"Bearer {owner.secret}"}).get_json()
    made = next(one for one in listed if one["client"])
    assert made["client"] == {"id": flow.client_id, "name": "Assistant", "uri": None}
    assert made["grantedBy"]["id"] == editor.id
    assert made["agent"] == "desk"
    assert made["budget"] == {"writesPerHour": 600, "publishesPerDay": None}
    assert made["memberId"] is None
    assert not {"connection", "hash"} & made.keys()


@pytest.mark.contract("decided-oauth.refresh")
def test_a_refresh_gives_both_secrets_anew(flow: Flow, editor: Token, later: Later) -> None:
    first = flow.connect(editor)
    later(3601)
    assert flow.calls(first["access_token"]) == 401
    second = flow.refresh(first["refresh_token"]).get_json()
    assert flow.calls(second["access_token"]) == 200
    assert second["refresh_token"] != first["refresh_token"]
    assert second["scope"] == "read write"


@pytest.mark.contract("decided-oauth.refresh")
def test_a_client_that_lost_the_answer_gets_the_same_again_for_10_seconds(
    flow: Flow, editor: Token, later: Later
) -> None:
    first = flow.connect(editor)
    second = flow.refresh(first["refresh_token"]).get_json()
    flow.refresh(second["refresh_token"])
    later(9)
    assert flow.refresh(first["refresh_token"]).get_json() == second
    later(11)
    assert flow.refresh(first["refresh_token"]).get_json()["error"] == "invalid_grant"


@pytest.mark.contract("decided-oauth.documents")
def test_a_client_with_a_document_is_known_by_it(oauth_app: Flask, site: Site, editor: Token) -> None:
    flow = Flow(oauth_app, client_id=site.put())
    flow.person.sign_in(editor)
    page = flow.page()
    assert "Connect Known assistant?" in page.text
    assert site.address.removeprefix("http://") in page.text
    assert "nobody has checked it" not in page.text
    assert flow.calls(flow.connect(editor)["access_token"]) == 200
    assert site.asked == ["/client.json"]  # it is kept for a minute


@pytest.mark.contract("decided-oauth.consent")
def test_ticks_agent_budget_and_end_are_the_persons(flow: Flow, editor: Token, project: Project) -> None:
    form = {"scopes": ["read"], "agent": "reader", "writesPerHour": "7", "days": "1"}
    given = flow.connect(editor, form, scope="read write publish admin unknown")
    assert given["scope"] == "read"
    made: Any = next(one for one in project.store[Tokens].list(project.id, limit=9, offset=0) if one.get("client"))
    assert (made["agent"], made["scopes"]) == ("reader", ["read"])
    assert made["budget"] == {"writesPerHour": 7, "publishesPerDay": None}
    assert (made["expiresAt"] - made["createdAt"]).total_seconds() == pytest.approx(86_400, abs=60)


@pytest.mark.parametrize(("field", "typed"), [("days", "366"), ("days", ""), ("writesPerHour", "0"), ("agent", " ")])
def test_the_page_says_what_is_wrong_with_it(flow: Flow, editor: Token, field: str, typed: str) -> None:
    flow.person.sign_in(editor)
    response = flow.answer({field: typed})
    assert response.status_code in (400, 422)
    assert f'id="e-{field}"' in response.text


def test_refusing_and_ticking_nothing_are_access_denied(flow: Flow, editor: Token) -> None:
    flow.person.sign_in(editor)
    for form in ({"answer": "no"}, {"scopes": []}):
        sent = sent_to(flow.answer(form))
        assert (sent["error"], sent["state"], sent["iss"]) == ("access_denied", "st-1", ISSUER)


@pytest.mark.contract("decided-oauth.sign-in")
def test_signing_in_leads_back(flow: Flow, editor: Token) -> None:
    asked = flow.person.get(onward(flow.authorize()))
    sign_in = flow.person.get(asked.headers["Location"])
    assert "/console/connect?" in sign_in.text
    assert "A client asks to be connected" in sign_in.text
    back = flow.person.client.post("/console/sign-in", data={"token": editor.secret, "to": "/console/connect?a=b"})
    assert back.headers["Location"] == "/console/connect?a=b"


@pytest.mark.contract("decided-oauth.sign-in")
def test_an_invitation_leads_back(flow: Flow, project: Project, oauth_app: Flask) -> None:
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    member = flow.http.post("/members", json={"name": "Ada"}, headers=owner).get_json()
    link = flow.http.post(f"/members/{member['id']}/invitations", headers=owner).get_json()["link"]
    address = onward(flow.authorize())
    flow.person.get(address)
    joined = flow.person.client.post("/console/join", data={"invitation": link.partition("#")[2]})
    assert address.replace("&", "&amp;") in joined.text
    tokens = flow.http.get("/tokens", headers=owner).get_json()
    assert [one["memberId"] for one in tokens if one["name"] == "Ada"] == [member["id"]]


@pytest.mark.contract("decided-oauth.metadata")
def test_the_metadata_documents_say_where_everything_is(oauth_app: Flask) -> None:
    from authlib.oauth2 import rfc8414, rfc9207

    http = oauth_app.test_client()
    for path in ("", "/mcp"):
        response = http.get(f"/.well-known/oauth-protected-resource{path}")
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.get_json() == {
            "resource": f"{ISSUER}/mcp",
            "authorization_servers": [ISSUER],
            "scopes_supported": ["read", "write", "publish"],
            "bearer_methods_supported": ["header"],
            "resource_name": "Content workflow",
        }
    document = http.get("/.well-known/oauth-authorization-server").get_json()
    assert document["issuer"] == ISSUER
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert document["client_id_metadata_document_supported"] is True
    assert document["authorization_response_iss_parameter_supported"] is True
    assert "none" in document["token_endpoint_auth_methods_supported"]
    secure = {name: one.replace("http:", "https:") if isinstance(one, str) else one for name, one in document.items()}
    rfc8414.AuthorizationServerMetadata(secure).validate(metadata_classes=[rfc9207.AuthorizationServerMetadata])
    preflight = http.options("/oauth/token", headers={"Access-Control-Request-Method": "POST", "Origin": "https://a.b"})
    assert preflight.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.contract("decided-oauth.on")
@pytest.mark.parametrize(
    "settings",
    [
        {"oauth": False},
        {"public_url": ""},
        {"public_url": "http://content.example.com"},
        {"public_url": "https://example.com/content"},
    ],
)
def test_it_is_off_where_the_settings_say_so(project: Project, settings: dict[str, object]) -> None:
    app = connectable(project.store, **settings)
    http = app.test_client()
    for path in ("/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"):
        assert http.get(path).status_code == 404
    for path in ("/oauth/authorize", "/oauth/token", "/oauth/register", "/oauth/revoke"):
        assert http.post(path).status_code == 404
    refused = http.post("/mcp", json={})
    assert refused.headers["WWW-Authenticate"] == 'Bearer realm="content-workflow"'


@pytest.mark.contract("decided-oauth.on")
@pytest.mark.parametrize(
    "address", ["https://content.example.com", "https://content.example.com/", "http://[::1]:8000"]
)
def test_it_is_on_for_https_and_loopback(project: Project, address: str) -> None:
    http = connectable(project.store, public_url=address).test_client()
    document = http.get("/.well-known/oauth-authorization-server").get_json()
    assert document["issuer"] == address.rstrip("/")


@pytest.mark.contract("decided-oauth.challenge")
def test_a_tool_whose_scope_is_missing_is_403(flow: Flow, editor: Token) -> None:
    secret = flow.connect(editor)["access_token"]
    response = flow.mcp(secret, "tools/call", name="approve_document", arguments={"documentId": "0" * 24})
    assert response.status_code == 403
    assert 'error="insufficient_scope"' in response.headers["WWW-Authenticate"]
    assert 'scope="publish"' in response.headers["WWW-Authenticate"]
    assert response.get_json()["result"]["structuredContent"]["_tag"] == "Forbidden"


@pytest.mark.contract("decided-mcp.connections")
def test_a_static_token_without_the_scope_gets_a_tool_error_since_a_403_ends_the_session_of_some_clients(
    flow: Flow, project: Project
) -> None:
    writer = project.token(agent="writer-1", scopes=("read", "write")).secret
    response = flow.mcp(writer, "tools/call", name="approve_document", arguments={"documentId": "0" * 24})
    assert (response.status_code, "WWW-Authenticate" in response.headers) == (200, False)
    assert response.get_json()["result"]["structuredContent"]["_tag"] == "Forbidden"


@pytest.mark.contract("decided-mcp.connections", "decided-oauth.challenge")
@pytest.mark.parametrize(
    ("toolset", "scopes"),
    [(None, "read write"), ("writing", "read write"), *((one, "read write publish") for one in ("reviewing", "admin"))],
)
def test_the_challenge_asks_for_the_scopes_of_the_toolset(flow: Flow, toolset: str | None, scopes: str) -> None:
    refused = flow.http.post("/mcp", json={}, query_string={"toolset": toolset} if toolset else {})
    assert f'scope="{scopes}"' in refused.headers["WWW-Authenticate"]


@pytest.mark.contract("decided-oauth.revocation")
def test_either_token_ends_the_connection(flow: Flow, editor: Token) -> None:
    for kind in ("access_token", "refresh_token"):
        given = flow.connect(editor)
        assert flow.revoke(given[kind]).status_code == 200
        assert flow.refresh(given["refresh_token"]).get_json()["error"] == "invalid_grant"


@pytest.mark.contract("decided-oauth.limits")
def test_it_does_not_sign_in_and_is_not_rotated(flow: Flow, editor: Token, project: Project) -> None:
    given = flow.connect(editor)
    assert flow.http.post("/console/sign-in", data={"token": given["access_token"]}).status_code == 401
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    made = next(one for one in flow.http.get("/tokens", headers=owner).get_json() if one["client"])
    rotated = flow.http.post(f"/tokens/{made['id']}/rotate", headers=owner)
    assert (rotated.status_code, rotated.get_json()["_tag"]) == (422, "BadRequest")


@pytest.mark.contract("decided-oauth.events")
def test_agreeing_is_the_persons_event_and_refreshing_is_none(flow: Flow, editor: Token, project: Project) -> None:
    given = flow.connect(editor)
    flow.refresh(given["refresh_token"])
    project.store[Outboxes].publish_all(project.id)
    events = project.store.database.events.find({"by.id": editor.id})
    assert [one["type"] for one in events] == ["token.created"]


def test_the_administration_lists_connections_and_ends_one(
    flow: Flow, editor: Token, project: Project, oauth_app: Flask
) -> None:
    given = flow.connect(editor, {"agent": "desk"})
    assert flow.calls(given["access_token"]) == 200
    owner = Visitor(oauth_app)
    owner.sign_in(project.token("Owner"))
    listed = owner.get("/console/administration/tokens").text
    connections = listed[listed.index("Connections") : listed.index("<h2>Tokens</h2>")]
    for shown in ("Assistant", "desk", "Ingrid Solberg", "read, write", ">End</button>"):
        assert shown in connections
    assert "Never" not in connections, "it was used"
    found = re.search(r"/console/administration/tokens/[0-9a-f]{24}/revoke", connections)
    assert found
    details = owner.get(found[0].removesuffix("/revoke")).text
    assert flow.client_id in details
    assert "New secret" not in details
    ended = owner.post(found[0])
    assert "is revoked" in ended.text
    assert "Connections" not in ended.text
    assert flow.calls(given["access_token"]) == 401


def test_a_token_says_whose_it_is(project: Project, oauth_app: Flask) -> None:
    http, owner = oauth_app.test_client(), {"Authorization": f"Bearer {project.token().secret}"}

    def send(method: str, path: str, **body: object) -> tuple[int, Any]:
        response = http.open(path, method=method, json=body, headers=owner)
        return response.status_code, response.get_json()

    _, member = send("POST", "/members", name="Ada")
    status, made = send("POST", "/tokens", name="Ada's", memberId=member["id"].upper())
    assert (status, made["memberId"]) == (201, member["id"])
    status, changed = send("PATCH", f"/tokens/{made['id']}", memberId=None)
    assert (status, changed["memberId"]) == (200, None)
    status, changed = send("PATCH", f"/tokens/{made['id']}", memberId=member["id"])
    assert (status, changed["memberId"]) == (200, member["id"])
    for nobody in ("0" * 24, "nobody"):
        for method, path in (("POST", "/tokens"), ("PATCH", f"/tokens/{made['id']}")):
            status, refusal = send(method, path, name="x", memberId=nobody)
            assert (status, [one["field"] for one in refusal["errors"]]) == (422, ["memberId"])
    status, refusal = send("POST", "/tokens", name="Site", kind="delivery", memberId=member["id"])
    assert (status, [one["field"] for one in refusal["errors"]]) == (422, ["memberId"])
