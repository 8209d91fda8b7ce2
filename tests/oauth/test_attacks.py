"""Attacks on connecting by OAuth: each is made, and comes to nothing (decisions, section 16; RFC 9700)."""

import json
import logging
import re
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask

from app.core.store.outbox import Outboxes
from app.oauth.schemas import is_redirect
from app.oauth.store import Registrations
from tests.make import Project, Token
from tests.oauth.conftest import Later, Site, connectable
from tests.oauth.flow import ISSUER, REDIRECT, Flow, onward, sent_to

pytestmark = pytest.mark.needs_mongod


def refused(response: Any, error: str = "invalid_grant") -> bool:
    """Whether the token endpoint refused a request with an error."""
    return response.status_code == 400 and response.get_json()["error"] == error


@pytest.fixture
def flow(flow: Flow, editor: Token) -> Flow:
    """A client that has registered, and a browser in which an editor is signed in."""
    flow.person.sign_in(editor)
    return flow


# Codes.


@pytest.mark.contract("decided-oauth.codes")
def test_a_code_that_is_used_twice_is_refused_and_revokes_what_it_made(flow: Flow) -> None:
    code = flow.code()
    given = flow.token(code).get_json()
    assert refused(flow.token(code))
    assert refused(flow.refresh(given["refresh_token"]))


def test_of_two_exchanges_at_once_no_secret_is_left(flow: Flow) -> None:
    for _ in range(5):
        code = flow.code()
        with ThreadPoolExecutor(8) as pool:
            responses = list(pool.map(lambda _, code=code: flow.token(code), range(8)))  # type: ignore[misc]
        given = [one.get_json() for one in responses if one.status_code == 200]
        assert len(given) == 1
        assert refused(flow.refresh(given[0]["refresh_token"]))


def test_a_code_that_was_stolen_is_worthless_without_the_verifier(flow: Flow) -> None:
    for verifier in ("a" * 43, "", None, flow.challenge):
        code = flow.code()
        assert flow.token(code, code_verifier=verifier).status_code == 400
        assert refused(flow.token(code)), "the attempt has used it up"


def test_a_code_of_another_session_is_not_injected(flow: Flow, oauth_app: Flask, editor: Token) -> None:
    victim = Flow(oauth_app, client_id=flow.client_id)
    victim.person.sign_in(editor)
    assert refused(victim.token(flow.code())), "the verifier of the victim's session is another"


def test_another_client_can_not_use_a_code(flow: Flow, oauth_app: Flask) -> None:
    other = Flow(oauth_app)
    code = flow.code()
    assert refused(flow.token(code, client_id=other.client_id))
    assert refused(flow.token(code))


@pytest.mark.parametrize("address", [None, "", REDIRECT + "/", "https://evil.example.com/callback"])
def test_a_code_is_bound_to_its_address(flow: Flow, address: str | None) -> None:
    code = flow.code()
    assert refused(flow.token(code, redirect_uri=address))
    assert refused(flow.token(code))


@pytest.mark.contract("decided-oauth.codes")
def test_a_code_ends_after_60_seconds(flow: Flow, later: Later) -> None:
    code = flow.code()
    later(61)
    assert refused(flow.token(code))


def test_a_code_ends_with_the_token_of_who_agreed(flow: Flow, editor: Token, project: Project) -> None:
    code = flow.code()
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    flow.http.delete(f"/tokens/{editor.id}", headers=owner)
    assert refused(flow.token(code))


# Challenges.


@pytest.mark.parametrize(
    "changes",
    [
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge": "", "code_challenge_method": ""},
        {"code_challenge": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": "s256"},
        {"code_challenge": ["a" * 43, "b" * 43]},
        {"code_challenge_method": ["S256", "plain"]},
        {"code_challenge": "short"},
    ],
)
def test_the_challenge_can_not_be_downgraded(flow: Flow, changes: dict[str, Any]) -> None:
    sent = sent_to(flow.authorize(**changes))
    assert (sent["error"], sent["iss"], sent["state"]) == ("invalid_request", ISSUER, "st-1")
    assert "code" not in sent_to(flow.answer(**changes))


# Redirect addresses.

TRICKS = [
    *("https://client.example.com/callback/", "https://client.example.com/callback/../evil"),
    *("https://client.example.com/Callback", "https://client.example.com/callback?next=evil"),
    *("https://client.example.com:444/callback", "https://client.example.com:443/callback"),
    "https://client.example.com@evil.example.com/callback",
    *("https://evil.example.com/#https://client.example.com/callback", "https://client.example.com/callback#evil"),
    *("https://client.example.com.evil.example.com/callback", "https://evil.example.com\\@client.example.com/callback"),
    *("https://client.example.com\\.evil.example.com/callback", "http://client.example.com/callback"),
    *("https://clіent.example.com/callback", "https://client.example.com/callback "),
    *("https://client.example.com/callback\r\nSet-Cookie: a=b", "//client.example.com/callback"),
    *("javascript:alert(1)//client.example.com/callback", 'https://client.example.com/callback"', ""),
]


@pytest.mark.contract("decided-oauth.redirects", "decided-oauth.errors")
@pytest.mark.parametrize("address", TRICKS)
def test_an_address_that_is_nearly_the_clients_gets_nothing(flow: Flow, address: str) -> None:
    for response in (flow.authorize(redirect_uri=address), flow.answer(redirect_uri=address)):
        assert response.status_code == 400
        assert "Location" not in response.headers
        assert "be connected" in response.text


def test_of_two_addresses_neither_is_taken(flow: Flow) -> None:
    for addresses in ([REDIRECT, "https://evil.example.com/"], ["https://evil.example.com/", REDIRECT]):
        response = flow.answer(redirect_uri=addresses)
        assert (response.status_code, response.headers.get("Location")) == (400, None)


def test_the_form_does_not_replace_what_was_asked(flow: Flow) -> None:
    evil = {"redirect_uri": "https://evil.example.com/", "client_id": "another", "scope": "publish", "state": "x"}
    response = flow.answer(evil)
    assert response.headers["Location"].startswith(REDIRECT)
    assert sent_to(response)["state"] == "st-1"


@pytest.mark.contract("decided-oauth.redirects")
@pytest.mark.parametrize(
    ("registered", "asked", "taken"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:51234/cb", True),
        ("http://127.0.0.1:8000/cb", "http://127.0.0.1:51234/cb", True),
        ("http://localhost:8000/cb", "http://localhost/cb", True),
        ("http://[::1]/cb", "http://[::1]:51234/cb", True),
        ("http://127.0.0.1/cb", "http://localhost:51234/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:51234/cb/evil", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example.com/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example.com/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:x/cb", False),
        ("com.example.app:/cb", "com.example.app:/cb", True),
        ("com.example.app:/cb", "com.example.app:/cb2", False),
    ],
)
def test_of_a_loopback_address_the_port_alone_may_differ(
    oauth_app: Flask, registered: str, asked: str, taken: bool
) -> None:
    flow = Flow(oauth_app, registered)
    response = flow.authorize(redirect_uri=asked)
    assert response.status_code == (200 if taken else 400)


@pytest.mark.parametrize(
    "address",
    [
        *("http://client.example.com/cb", "https://a:b@client.example.com/", "https://client.example.com/#a"),
        *("javascript:alert(1)", "data:text/html,x", "myapp:/cb", "file:///etc/passwd", "https://", "https:///cb", ""),
        *("https://client.example.com\\@evil.com/", "https://ex ample.com/", "HTTPS://client.example.com/", "com.a:"),
        *("https://clіent.example.com/", "http://127.0.0.1.nip.io/cb", "http://0x7f.1/cb", "http://10.0.0.1/cb"),
    ],
)
def test_no_client_registers_an_address_that_is_dangerous(flow: Flow, address: str) -> None:
    assert not is_redirect(address)
    response = flow.register(redirect_uris=[REDIRECT, address])
    assert (response.status_code, response.get_json()["error"]) == (400, "invalid_redirect_uri")


@pytest.mark.contract("decided-oauth.errors")
@pytest.mark.parametrize(
    "changes",
    [
        {"response_type": "token"},
        {"response_type": None},
        {"response_type": 'co"de\r\nX: y'},
        {"response_type": "code id_token"},
        {"scope": "admin"},
        {"scope": 'unknown"'},
        {"resource": "https://evil.example.com/mcp"},
        {"resource": [f"{ISSUER}/mcp", "https://evil.example.com/mcp"]},
        {"state": ["a", "b"]},
        {"scope": ["read", "write"]},
        {"response_type": ["code", "token"]},
    ],
)
def test_errors_redirect_to_the_clients_own_address_alone(flow: Flow, changes: dict[str, Any]) -> None:
    response = flow.authorize(**changes)
    assert response.status_code == 303
    assert response.headers["Location"].startswith(f"{REDIRECT}?error=")
    assert sent_to(response)["iss"] == ISSUER
    evil = flow.authorize(redirect_uri="https://evil.example.com/", **changes)
    assert (evil.status_code, evil.headers.get("Location")) == (400, None)


@pytest.mark.parametrize("name", ["_external", "_scheme", "_anchor", "_method"])
def test_parameters_that_mean_something_here_lead_nowhere_else(flow: Flow, name: str) -> None:
    response = flow.person.get(f"/oauth/authorize?{flow.asked()}&{name}=javascript")
    assert onward(response).startswith("/console/connect?")


def test_markup_in_what_a_client_says_stays_text(oauth_app: Flask, editor: Token) -> None:
    flow = Flow(oauth_app)
    registered = flow.register(client_name='<script>alert(1)</script>"\u202e').get_json()
    flow.client_id = registered["client_id"]
    flow.person.sign_in(editor)
    page = flow.page(state="<script>alert(2)</script>").text
    assert "<script>alert" not in page
    assert "\u202e" not in page


# Mix-up, and one resource.


@pytest.mark.contract("decided-oauth.resource")
def test_no_token_is_made_for_another_resource(flow: Flow) -> None:
    code = flow.code()
    for wrong in ("https://evil.example.com/mcp", ISSUER, f"{ISSUER}/mcp/", ""):
        assert refused(flow.token(code, resource=wrong), "invalid_target")
    given = flow.token(code, resource=f"{ISSUER}/mcp").get_json()
    assert refused(flow.refresh(given["refresh_token"], resource="https://evil.example.com"), "invalid_target")


# Documents of clients.


INSIDE = (
    *("https://127.0.0.1/c.json", "https://localhost/c.json", "https://[::1]/c.json", "https://10.0.0.1/c.json"),
    *("https://169.254.169.254/latest/meta-data", "https://0x7f.1/c.json", "https://2130706433/c.json"),
    *("https://[::ffff:10.0.0.1]/c.json", "https://user:password@example.com/c.json", "https://example.com"),
    *("http://example.com/c.json", "https://example.com/c.json#a", "https://example.com/a/../c.json"),
    *("https://exa mple.com/c.json", "https://example.com:0/c.json", "https://example.com:99999/c.json"),
    *("file:///etc/passwd", "gopher://example.com/", "https://example.com/%2e%2e/c.json", "https://", "x" * 9_000),
)


@pytest.mark.contract("decided-oauth.documents")
def test_a_document_is_not_fetched_from_inside(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def connect(*_args: object, **_options: object) -> None:
        raise AssertionError("it connected")

    http = connectable(project.store).test_client()
    monkeypatch.setattr("app.outbound.requests.socket.create_connection", connect)
    for client_id in INSIDE:
        asked = f"response_type=code&client_id={quote(client_id)}&redirect_uri={REDIRECT}"
        response = http.get(f"/oauth/authorize?{asked}")
        assert (response.status_code, response.headers.get("Location")) == (400, None), client_id


def test_a_name_that_resolves_to_the_inside_is_not_reached(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.outbound.requests import OutboundClient

    app = connectable(project.store)
    documents = app.extensions["oauth"]._documents
    resolved = []

    def resolve(host: str, seconds: float) -> list[str]:
        resolved.append(host)
        return ["93.184.216.34", "10.0.0.7"]

    documents._outbound = OutboundClient(allow_local=False, seconds=5, max_bytes=5_000, resolve=resolve)
    monkeypatch.setattr("app.outbound.requests.socket.create_connection", lambda *_a, **_o: 1 / 0)
    with app.test_request_context():
        assert documents.get("https://rebinding.example.com/client.json") is None
    assert resolved == ["rebinding.example.com"]


def test_a_document_that_redirects_or_lies_is_no_client(oauth_app: Flask, site: Site) -> None:
    inner = site.put("/inner.json")
    known = Flow(oauth_app, client_id=site.put())
    assert known.authorize().status_code == 200
    wrong = (
        site.put("/away.json", status=302, headers={"Location": inner}),
        site.put("/other.json", client_id=known.client_id),
        site.put("/long.json", client_name="x" * 6_000),
        site.put("/none.json", redirect_uris=[]),
        site.put("/evil.json", redirect_uris=["javascript:alert(1)"]),
        site.put("/error.json", status=500),
        site.put("/zipped.json", headers={"Content-Encoding": "gzip", "Content-Length": "9"}),
    )
    for address in wrong:
        assert Flow(oauth_app, client_id=address).authorize().status_code == 400, address
    site.documents["/list.json"] = (200, {}, b"[1]")
    site.documents["/nan.json"] = (200, {}, b"nonsense")
    for path in ("/list.json", "/nan.json", "/missing.json"):
        assert Flow(oauth_app, client_id=site.address + path).authorize().status_code == 400
    assert "/inner.json" not in site.asked


def test_a_document_that_changes_after_consent_gains_nothing(oauth_app: Flask, site: Site, editor: Token) -> None:
    flow = Flow(oauth_app, client_id=site.put(headers={"Cache-Control": "no-store"}))
    flow.person.sign_in(editor)
    code = flow.code()
    site.put(redirect_uris=["https://evil.example.com/cb"], headers={"Cache-Control": "no-store"})
    assert flow.answer().status_code == 400, "its address is gone"
    assert refused(flow.token(code, redirect_uri="https://evil.example.com/cb"))


@pytest.mark.contract("decided-oauth.documents")
def test_a_document_is_kept_as_it_says_but_at_most_an_hour(oauth_app: Flask, site: Site) -> None:
    import h11

    from app.oauth.client_documents import _seconds

    def seconds(value: str) -> float:
        return _seconds(h11.Response(status_code=200, headers=[("Cache-Control", value)]))

    flow = Flow(oauth_app, client_id=site.put(headers={"Cache-Control": "max-age=600"}))
    assert [flow.authorize().status_code for _ in range(3)] == [200] * 3
    assert site.asked == ["/client.json"]
    assert seconds("max-age=99999999") == 3_600
    assert seconds("no-store") == seconds("no-cache") == seconds("max-age=0") == 0
    assert seconds("private") == seconds("nonsense=;;") == 60


def test_a_flood_of_documents_is_bounded(project: Project, site: Site) -> None:
    http = connectable(project.store, webhooks_allow_local=True).test_client()
    addresses = [f"{site.address}/{number}.json" for number in range(60)]
    statuses = [http.get(f"/oauth/authorize?response_type=code&client_id={one}").status_code for one in addresses]
    assert statuses.count(429) == 30
    assert len(site.asked) == 30


# Refresh tokens.


@pytest.mark.contract("decided-oauth.refresh")
def test_a_refresh_token_that_is_used_again_revokes_the_connection(flow: Flow, editor: Token, later: Later) -> None:
    first = flow.connect(editor)
    second = flow.refresh(first["refresh_token"]).get_json()
    later(11)
    assert refused(flow.refresh(first["refresh_token"]))
    assert refused(flow.refresh(second["refresh_token"]))
    assert flow.calls(second["access_token"]) == 401


def test_one_that_is_long_past_revokes_it_too(flow: Flow, editor: Token, later: Later) -> None:
    first = flow.connect(editor)
    latest = first
    for round in range(1, 6):
        later(20 * round)
        latest = flow.refresh(latest["refresh_token"]).get_json()
    later(200)
    assert refused(flow.refresh(first["refresh_token"]))
    assert refused(flow.refresh(latest["refresh_token"]))


def test_of_refreshes_at_once_at_two_servers_all_get_the_same(flow: Flow, editor: Token, project: Project) -> None:
    given = flow.connect(editor)
    there = Flow(connectable(project.store), client_id=flow.client_id)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: one.refresh(given["refresh_token"]).get_json(), [flow, there] * 4))
    assert all(one == answers[0] for one in answers)
    assert flow.calls(answers[0]["access_token"]) == 200


def test_another_client_can_not_refresh_and_does_no_harm(flow: Flow, oauth_app: Flask, editor: Token) -> None:
    given = flow.connect(editor)
    other = Flow(oauth_app)
    for client_id in (other.client_id, "", None):
        assert flow.refresh(given["refresh_token"], client_id=client_id).status_code == 400
    assert flow.refresh(given["refresh_token"]).status_code == 200


def test_a_forged_refresh_token_does_no_harm(flow: Flow, editor: Token) -> None:
    given = flow.connect(editor)
    project_id, family, changing = given["refresh_token"].removeprefix("cwr_").split(".")
    forged = (
        f"cwr_{project_id}.{'x' * 43}.{changing}",
        f"cwr_{'0' * 24}.{family}.{changing}",
        f"cwr_{project_id}",
        *("cwr_", "cwr_.", "", "\0", "ü", given["access_token"], "cwr_" + "x" * 9_000),
    )
    for token in forged:
        assert flow.refresh(token).status_code == 400
    assert flow.refresh(given["refresh_token"]).status_code == 200


def test_a_refresh_does_not_widen_scopes(flow: Flow, editor: Token) -> None:
    given = flow.connect(editor, {"scopes": ["read"]})
    assert refused(flow.refresh(given["refresh_token"], scope="read publish"), "invalid_scope")
    assert flow.refresh(given["refresh_token"]).get_json()["scope"] == "read"


# Scopes.


@pytest.mark.contract("decided-oauth.consent")
@pytest.mark.parametrize("scopes", [["read", "publish"], ["read", "admin"], ["read", "root"]])
def test_the_form_does_not_widen_what_was_asked(flow: Flow, editor: Token, scopes: list[str], project: Project) -> None:
    response = flow.answer({"scopes": scopes}, scope="read write")
    assert (response.status_code, response.headers.get("Location")) == (422, None)
    assert project.store.database.codes.count_documents({"token.grantedBy.id": editor.id}) == 0


@pytest.mark.contract("decided-oauth.consent")
def test_nobody_gives_what_they_lack(flow: Flow, project: Project) -> None:
    flow.person.sign_in(project.token("Reader", scopes=("read",)))  # type: ignore[arg-type]
    page = flow.page(scope="read write publish").text
    assert 'value="read"' in page
    assert 'value="write"' not in page
    assert flow.answer({"scopes": ["read", "write"]}, scope="read write").status_code == 422
    nothing = flow.page(scope="publish").text
    assert "allows nothing of what it asks for" in nothing
    assert ">Connect</button>" not in nothing


def test_an_administrator_does_not_give_admin(flow: Flow, project: Project) -> None:
    flow.person.sign_in(project.token())
    given = sent_to(flow.authorize(scope="admin"))
    assert given["error"] == "invalid_scope"
    assert flow.answer({"scopes": ["admin"]}, scope="read admin").status_code == 422


def test_nobody_agrees_while_the_project_is_frozen(flow: Flow, project: Project) -> None:
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    flow.http.post("/project/freeze", headers=owner)
    assert flow.answer().status_code == 409


# The page.


@pytest.mark.contract("decided-oauth.page")
def test_the_page_can_not_be_framed(flow: Flow) -> None:
    page = flow.page()
    assert page.headers["X-Frame-Options"] == "DENY"
    policy = page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action" not in policy, "it would stop the client's own redirects"
    assert "script-src 'self';" in policy


@pytest.mark.contract("decided-oauth.page")
def test_nobody_agrees_by_a_form_of_another_site(flow: Flow) -> None:
    for csrf in ("", "0" * 64):
        assert flow.answer({"_csrf": csrf}).status_code == 403
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example.com"}):
        form = {"_csrf": flow.person.csrf, "scopes": "read", "agent": "a", "writesPerHour": "1", "days": "1"}
        path = f"/console/connect?{flow.asked()}"
        assert flow.person.client.post(path, data=form | {"answer": "yes"}, headers=headers).status_code == 403


def test_agreeing_takes_a_form_and_no_link(flow: Flow, editor: Token, project: Project) -> None:
    form = "&answer=yes&scopes=read&agent=a&writesPerHour=1&days=1&_csrf=" + flow.person.csrf
    assert flow.person.get(f"/console/connect?{flow.asked()}{form}").status_code == 200
    assert project.store.database.codes.count_documents({"token.grantedBy.id": editor.id}) == 0


def test_the_session_is_not_sent_by_links_of_other_sites(flow: Flow, editor: Token) -> None:
    response = flow.person.sign_in(editor)
    cookies = [one for one in response.headers.getlist("Set-Cookie") if one.startswith("cw_session")]
    assert cookies
    assert all("SameSite=Strict" in one and "HttpOnly" in one and "Path=/console" in one for one in cookies)


# Floods, timing, and what is left behind.


@pytest.mark.contract("decided-oauth.registration")
def test_an_address_registers_20_clients_an_hour(oauth_app: Flask, editor: Token, later: Later) -> None:
    flow = Flow(oauth_app)
    flow.connect(editor)  # which frees no place
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: flow.register().status_code, range(30)))
    assert 0 < statuses.count(201) <= 19
    while flow.register().status_code == 201:
        statuses.append(201)
    assert statuses.count(201) == 19
    refusal = flow.register()
    assert refusal.get_json()["_tag"] == "RateLimited"
    assert refusal.headers["Retry-After"]


@pytest.mark.contract("decided-oauth.registration")
def test_a_registration_is_dropped_that_makes_no_connection(flow: Flow, editor: Token, project: Project) -> None:
    stored = project.store[Registrations].get(flow.client_id)
    assert stored is not None
    assert (stored["expiresAt"] - stored["createdAt"]).total_seconds() == 86_400
    flow.connect(editor)
    kept = project.store[Registrations].get(flow.client_id)
    assert kept is not None
    assert "expiresAt" not in kept


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"nonsense", b'{"redirect_uris": "x"}', b'{"redirect_uris": []}', b"{" * 70_000, b"{" * 21_000_000],
)
def test_a_bad_registration_is_refused(flow: Flow, body: bytes) -> None:
    response = flow.http.post("/oauth/register", data=body, content_type="application/json")
    assert response.status_code in (400, 413)
    assert response.status_code == 400 or "over 65,536 bytes" in response.json["message"]


def test_a_request_without_a_clients_id_uses_no_code_up(flow: Flow, editor: Token) -> None:
    flow.person.sign_in(editor)
    code = flow.code()
    for client_id in (None, ""):
        response = flow.token(code, client_id=client_id)
        assert (response.status_code, response.json["error"]) == (400, "invalid_request")

    assert flow.token(code).status_code == 200


def test_the_token_endpoint_takes_as_long_for_any_wrong_secret(flow: Flow, editor: Token, project: Project) -> None:
    flow.connect(editor)

    def seconds(of_project: str) -> float:
        began = time.perf_counter()
        assert refused(flow.token(f"{of_project}.{'x' * 43}"))
        return time.perf_counter() - began

    pairs = [(seconds(project.id), seconds("0" * 24)) for _ in range(30)]  # each pair while the machine is as busy
    near, unknown = (median(times) for times in zip(*pairs, strict=True))
    assert near == pytest.approx(unknown, rel=0.75, abs=0.01)


def test_secrets_in_the_address_are_not_read(flow: Flow) -> None:
    code = flow.code()
    query = f"grant_type=authorization_code&code={code}&client_id={flow.client_id}&redirect_uri={quote(REDIRECT)}"
    response = flow.http.post(f"/oauth/token?{query}&code_verifier={flow.verifier}")
    assert response.get_json()["error"] == "unsupported_grant_type"
    assert flow.http.get(f"/oauth/token?{query}").status_code == 405


@pytest.mark.parametrize("grant", ["password", "client_credentials", "implicit", "", 'x"\r\n', None])
def test_no_other_grant_is_known(flow: Flow, grant: str | None) -> None:
    assert refused(
        flow.send("/oauth/token", {"grant_type": grant, "client_id": flow.client_id}), "unsupported_grant_type"
    )


@pytest.mark.contract("decided-oauth.revocation")
def test_revoking_always_answers_the_same_and_ends_no_other_token(flow: Flow, oauth_app: Flask, editor: Token) -> None:
    given, other = flow.connect(editor), Flow(oauth_app)
    calls = (
        flow.revoke(given["access_token"], client_id=other.client_id),
        flow.revoke(given["refresh_token"], client_id=None),
        flow.revoke(given["refresh_token"], client_id=""),
        flow.revoke(editor.secret),
        flow.revoke("nonsense"),
        flow.revoke("", token_type_hint="nonsense"),
        flow.send("/oauth/revoke", {}),
    )
    assert [(one.status_code, one.json) for one in calls] == [(200, {})] * len(calls)
    assert flow.refresh(given["refresh_token"]).status_code == 200
    assert flow.calls(editor.secret) == 200


@pytest.mark.contract("decided-oauth.tokens")
def test_no_secret_is_stored_or_logged(
    flow: Flow, editor: Token, project: Project, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        flow.person.sign_in(editor)
        code = flow.code()
        given = flow.token(code).get_json()
        again = flow.refresh(given["refresh_token"]).get_json()
        flow.revoke(again["access_token"])
    secrets = [
        code,
        flow.verifier,
        *(one[name] for one in (given, again) for name in ("access_token", "refresh_token")),
    ]
    parts = {part for secret in secrets for part in re.findall(r"[\w-]{43}", secret.removeprefix("cwm_"))}
    logged = " ".join(record.getMessage() + json.dumps(record.__dict__, default=str) for record in caplog.records)
    assert not [part for part in parts if part in logged]
    project.store[Outboxes].publish_all(project.id)
    database = project.store.database
    for name in database.list_collection_names():
        stored = " ".join(map(repr, database[name].find({})))
        assert not [part for part in parts if part in stored], name


def test_the_page_names_itself_to_no_other_site(flow: Flow) -> None:
    assert flow.page().headers["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert flow.authorize().headers["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert flow.page().headers["Cache-Control"] == "no-store"


# What a connection inherits.


@pytest.mark.parametrize("bounds", [{"agent": "writer-1"}, {"budget": {"writesPerHour": 5, "publishesPerDay": None}}])
def test_what_bounds_a_token_is_not_escaped_by_a_connection(
    flow: Flow, project: Project, bounds: dict[str, Any]
) -> None:
    flow.person.sign_in(project.token("Night writer", **bounds))
    response = flow.answer({"agent": "somebody-else", "writesPerHour": "1000000"})
    assert (response.status_code, response.headers.get("Location")) == (422, None)
    assert "or is bounded by" in flow.page().text


def test_what_a_stolen_token_connected_ends_when_it_is_rotated(flow: Flow, editor: Token, project: Project) -> None:
    owner = {"Authorization": f"Bearer {project.token().secret}"}
    given = flow.connect(editor)
    code = flow.code()
    assert flow.http.post(f"/tokens/{editor.id}/rotate", headers=owner).status_code == 200
    assert flow.calls(given["access_token"]) == 401
    assert refused(flow.refresh(given["refresh_token"]))
    assert refused(flow.token(code))


def test_nobody_is_the_other_pair_of_eyes_by_a_client_of_their_own(
    flow: Flow, oauth_app: Flask, editor: Token, project: Project
) -> None:
    def send(secret: str, path: str, **body: Any) -> Any:
        return flow.http.post(path, json=body or None, headers={"Authorization": f"Bearer {secret}"})

    def a_document(secret: str) -> str:
        draft = send(secret, "/document-intents", title="Rye", markdown="Rye is dark.").get_json()["id"]
        confirmed = send(secret, f"/document-intents/{draft}/confirm").get_json()
        return f"/documents/{confirmed['document']['id']}"

    owner = {"Authorization": f"Bearer {project.token().secret}"}
    assert flow.http.patch("/project", json={"fourEyes": True}, headers=owner).status_code == 200
    consent = {"scopes": ["read", "write", "publish"]}
    own = flow.connect(editor, consent, scope="read write publish")["access_token"]
    other = Flow(oauth_app).connect(editor, consent | {"agent": "other"}, scope="read write publish")["access_token"]
    for maker in (editor.secret, other, own):
        for publisher in (own, editor.secret):
            assert send(publisher, f"{a_document(maker)}/publish").get_json()["_tag"] == "FourEyes"
