"""What HTTP itself brings to every route: who calls, how often, again, on condition (decisions, sections 2 and 3)."""

import logging
import re
from datetime import timedelta
from unittest.mock import Mock

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.http.bodies import MAX_BODY
from app.http.proxies import MOST_HOPS, is_within
from tests.console.visitor import Visitor
from tests.http.conftest import Configured
from tests.make import Project, a_document, a_ready_brief, an_app
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest


def test_whatever_is_wrong_with_a_token_the_answer_is_the_same(app: Flask, project: Project) -> None:
    past = this_instant() - timedelta(seconds=1)
    wrong = {
        "none": {},
        "no scheme": {"Authorization": project.token().secret},
        "another scheme": {"Authorization": "Basic Y3dtXzp4"},
        "no secret": {"Authorization": "Bearer "},
        "unknown": {"Authorization": "Bearer cwm_unknown"},
        "not ASCII": {"Authorization": "Bearer cwm_\u00fc"},
        "expired": {"Authorization": f"Bearer {project.token(expiresAt=past).secret}"},
        "revoked": {"Authorization": f"Bearer {project.token(revokedAt=past).secret}"},
        "of the other kind": {"Authorization": f"Bearer {project.token(kind=TokenKind.DELIVERY).secret}"},
    }

    answers = {name: app.test_client().get("/briefs", headers=headers) for name, headers in wrong.items()}

    assert {answer.status_code for answer in answers.values()} == {401}
    assert {answer.headers["WWW-Authenticate"] for answer in answers.values()} == {'Bearer realm="content-workflow"'}
    assert len({answer.data for answer in answers.values()}) == 1


def test_a_token_without_the_scope_is_refused_before_its_body_is_validated(app: Flask, project: Project) -> None:
    reader = Rest(app.test_client(), project.token(scopes=[Scope.READ]))

    refused = reader.client.post(
        "/document-intents", data=b"{", headers={"Authorization": f"Bearer {reader.token.secret}"}
    )

    assert (refused.status_code, refused.json["_tag"], refused.json["scope"]) == (403, "Forbidden", "write")


@pytest.mark.contract("decided-http.rate-limit")
def test_failed_authentications_of_an_address_are_limited_and_a_valid_token_from_it_works(
    configured: Configured, project: Project
) -> None:
    client = configured(failed_auth_limit=3).test_client()
    valid = Rest(client, project.token())

    assert [client.get("/briefs").status_code for _ in range(5)] == [401, 401, 401, 429, 429]
    assert int(client.get("/briefs").headers["Retry-After"]) in range(1, 62)
    assert valid.get("/briefs").status_code == 200
    assert client.get("/briefs", environ_overrides={"REMOTE_ADDR": "192.0.2.1"}).status_code == 401


@pytest.fixture(scope="module")
def once(store: Store) -> FlaskClient:
    """Calls of an application that takes one failed authentication of an address: examples share none."""
    return an_app(store, failed_auth_limit=1, trusted_proxies=("10.0.0.0/8",)).test_client()


def status_from(client: FlaskClient, address: str, **headers: str) -> int:
    return client.get("/briefs", headers=headers, environ_overrides={"REMOTE_ADDR": address}).status_code


@pytest.mark.contract("decided-http.rate-limit")
@pytest.mark.parametrize(
    ("one", "other", "is_the_same"),
    [
        ("2001:db8:1::1", "2001:db8:1::2", True),
        ("2001:db8:2::1", "2001:db8:2:0:ffff:ffff:ffff:ffff", True),
        ("2001:db8:3::1", "2001:db8:3:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("192.0.2.2", "192.0.2.3", False),
        ("::ffff:192.0.2.4", "::ffff:192.0.2.5", False),
        ("192.0.2.6", "", False),
    ],
)
def test_ipv6_addresses_of_one_network_of_64_bits_are_one_client(
    once: FlaskClient, one: str, other: str, is_the_same: bool
) -> None:
    assert [status_from(once, one), status_from(once, other)] == [401, 429 if is_the_same else 401]


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer  ", "BEARER    "])
def test_the_scheme_and_the_secret_may_be_some_spaces_apart(app: Flask, project: Project, scheme: str) -> None:
    headers = {"Authorization": f"{scheme}{project.token().secret}"}

    assert app.test_client().get("/briefs", headers=headers).status_code == 200


@pytest.mark.contract("decided-http.RateLimited", "decided-http.rate-limit")
def test_the_requests_of_a_token_are_limited_and_the_limit_is_in_the_headers(
    configured: Configured, project: Project
) -> None:
    app = configured(rate_limit=3)
    one, other = Rest(app.test_client(), project.token()), Rest(app.test_client(), project.token())

    answers = [one.get("/briefs") for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"token";q=3;w=60'}
    assert [answer.headers["RateLimit"].split(";")[1] for answer in answers] == ["r=2", "r=1", "r=0", "r=0"]
    assert all(re.fullmatch(r'"token";r=\d;t=\d{1,2}', answer.headers["RateLimit"]) for answer in answers)
    assert answers[3].json["_tag"] == "RateLimited"
    seconds = answers[3].headers["Retry-After"]
    assert int(seconds) in range(1, 62)
    assert f"wait {seconds} s" in answers[3].json["message"]
    assert other.get("/briefs").status_code == 200


@pytest.mark.parametrize(
    ("forwarded", "connection", "address"),
    [
        ("203.0.113.1", "10.0.0.2", "203.0.113.1"),
        ("198.51.100.1, 203.0.113.2", "10.0.0.2", "203.0.113.2"),
        ("203.0.113.3, 10.0.0.3", "10.0.0.2", "203.0.113.3"),
        ("203.0.113.4", "::ffff:10.0.0.2", "203.0.113.4"),
        ("203.0.113.9", "192.0.2.7", "192.0.2.7"),
        ("", "10.0.0.2", "10.0.0.2"),
        ("10.0.0.5, 10.0.0.4", "10.0.0.2", "10.0.0.5"),
        ("203.0.113.5:49152", "10.0.0.2", "203.0.113.5"),
        ("203.0.113.6:1, 10.0.0.3:2", "10.0.0.2", "203.0.113.6"),
        ("[2001:db8:7::7]:49152", "10.0.0.2", "2001:db8:7::7"),
        ("[2001:db8:8::7]", "10.0.0.2", "2001:db8:8::7"),
        ("2001:db8:9::7", "10.0.0.2", "2001:db8:9::7"),
        ('", 203.0.113.7', "10.0.0.2", "203.0.113.7"),
    ],
)
def test_the_address_is_the_last_that_no_trusted_proxy_has(
    once: FlaskClient, forwarded: str, connection: str, address: str
) -> None:
    assert status_from(once, address) == 401
    assert status_from(once, connection, **{"X-Forwarded-For": forwarded}) == 429


def test_of_very_many_forwarded_addresses_the_last_ones_are_read(
    configured: Configured, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = Mock(side_effect=is_within)
    monkeypatch.setattr("app.http.proxies.is_within", looked_at)
    client = configured(trusted_proxies=("10.0.0.0/8",)).test_client()

    client.get(
        "/health", headers={"X-Forwarded-For": "10.0.0.1," * 5_000}, environ_overrides={"REMOTE_ADDR": "10.0.0.2"}
    )

    assert looked_at.call_count <= MOST_HOPS


@pytest.mark.parametrize("host", ["a" * 1_000, "a..b", "\u00fc" * 70])
@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
def test_a_host_that_no_server_has_is_a_request_that_is_refused(client: FlaskClient, method: str, host: str) -> None:
    answer = client.open("/graphql", method=method, headers={"Host": host})
    assert answer.status_code in (200, 400, 401, 404)


SECRET = "q8Xk-2mVb_5rTy7uWz0aSdFgHjKlQwErTyUiOpZxCvB"
LOGGED = [
    *((f"/{prefix}{SECRET}", f"/{prefix}…") for prefix in ("cwm_", "cwd_", "cwl_", "cwr_", "cwc_", "whsec_")),
    (f"/a/Bearer%20cwm_{SECRET}/b?token={SECRET}", "/a/Bearer cwm_…/b"),
    (f"/{'0' * 24}.{SECRET}", f"/{'0' * 24}.…"),
    ("/" + "a b" * 20_000, "/" + ("a b" * 13)),
    (f"/documents/cwm_{SECRET}", "/documents/<id>"),
    (f"/documents/{SECRET}/outline?token={SECRET}", "/documents/<id>/outline"),
    (f"/console/{SECRET}", "/console/<path:path>"),
]


@pytest.mark.parametrize(("path", "logged"), LOGGED)
def test_the_log_shows_the_route_or_the_beginning_of_a_path_that_has_none_without_secrets(
    client: FlaskClient, caplog: pytest.LogCaptureFixture, path: str, logged: str
) -> None:
    with caplog.at_level("INFO", "content_workflow.requests"):
        client.get(path)
    assert [vars(record)["path"] for record in caplog.records] == [logged]


def test_the_log_shows_which_refusal_each_interface_gave(
    app: Flask, project: Project, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    token, document = project.token(), a_document(project.context())
    rest, agent, visitor = Rest(app.test_client(), token), Agent(app.test_client(), token), Visitor(app)
    visitor.sign_in(token)
    monkeypatch.setattr(logging.getLogger("content_workflow"), "propagate", True)
    caplog.set_level("INFO", "content_workflow.requests")

    rest.get("/documents")
    rest.post(f"/documents/{document['id']}/brief/claim")
    rest.get("/nowhere")
    agent.call("get_project")
    agent.post("tools/call", {"name": "claim_brief", "arguments": {"documentId": document["id"]}})
    visitor.client.post(f"/console/documents/{document['id']}/actions/unpublish_document", data={"_csrf": visitor.csrf})
    visitor.get(f"/console/documents/{'0' * 24}")
    app.test_client().post("/graphql", json={"query": "{__typename}"})

    lines = {line["requestId"]: line for line in map(vars, caplog.records)}.values()
    assert [(line["status"], line.get("refusal")) for line in lines] == [
        (200, None),
        (409, "BriefNotReady"),
        (404, "NotFound"),
        (200, None),
        (200, "BriefNotReady"),
        (303, "InvalidTransition"),
        (404, "NotFound"),
        (401, "Unauthorized"),
    ]


@pytest.mark.parametrize(("log_addresses", "logged"), [(True, "127.0.0.1"), (False, None)])
def test_the_log_shows_the_address_of_a_client_unless_a_setting_forbids_it(
    configured: Configured, caplog: pytest.LogCaptureFixture, log_addresses: bool, logged: str | None
) -> None:
    client = configured(log_addresses=log_addresses).test_client()
    logging.getLogger("content_workflow").propagate = True
    with caplog.at_level("INFO", "content_workflow.requests"):
        client.get("/briefs", headers={"Authorization": "Bearer cwm_guess"})
    assert [vars(record).get("address") for record in caplog.records] == [logged]


@pytest.mark.contract("decided-http.request-id")
@pytest.mark.parametrize("name", ["Prefer", "Cookie", "Authorization", "Content-Type"])
@pytest.mark.parametrize("path", ["/health", "/graphql", "/mcp", "/nowhere"])
def test_a_header_over_8_192_characters_is_refused_on_every_path(app: Flask, path: str, name: str) -> None:
    client = app.test_client(use_cookies=False)
    longest, longer = (client.post(path, headers={name: "a" * length}) for length in (8_192, 8_193))

    assert "characters" not in longest.text
    assert longer.status_code == 400
    assert f"The header {name} is too long: send at most 8,192 characters." in longer.text
    assert path == "/graphql" or [one["path"] for one in longer.json["issues"]] == [name]


@pytest.mark.parametrize("path", ["/documents?q=%ff", "/documents?q=caf\xe9", "/graphql?query=%e4", "/mcp?toolset=%c3"])
def test_a_query_that_is_not_utf_8_is_refused_as_a_body_is(app: Flask, project: Project, path: str) -> None:
    path, _, query = path.partition("?")
    headers = {"Authorization": f"Bearer {project.token().secret}"}

    answer = app.test_client().get(path, headers=headers, environ_overrides={"QUERY_STRING": query})

    assert answer.status_code == 400
    assert "The query is not in UTF-8" in answer.text
    assert path == "/graphql" or [one["path"] for one in answer.json["issues"]] == [query.partition("=")[0]]


def test_the_connection_ends_where_a_body_is_left_unread_and_says_so(app: Flask, project: Project) -> None:
    reader, owner = (
        {"Authorization": f"Bearer {project.token(scopes=scopes).secret}"}
        for scopes in ([Scope.READ], [Scope.READ, Scope.WRITE])
    )
    given = {
        "no token": ("/document-intents", {}, b"{}"),
        "no scope": ("/document-intents", reader, b"{}"),
        "no path": ("/nowhere", owner, b"{}"),
        "too long": ("/document-intents", owner, b"x" * (MAX_BODY + 1)),
        "read": ("/document-intents", owner, b"{}"),
        "read and refused": ("/document-intents", owner, b"{"),
        "none": ("/document-intents", reader, b""),
    }

    sent = {
        name: app.test_client().post(path, headers=headers, data=body, content_type="application/json")
        for name, (path, headers, body) in given.items()
    }

    closed = {name for name, answer in sent.items() if answer.headers.get("Connection") == "close"}
    assert closed == {"no token", "no scope", "no path", "too long"}


def test_a_valid_request_id_is_used_and_any_other_is_replaced(client: FlaskClient) -> None:
    def id_for(given: str) -> str:
        return client.get("/health", headers={"X-Request-Id": given}).headers["X-Request-Id"]

    assert id_for("a1:b2/c3") == "a1:b2/c3"
    for insane in ("", "x" * 129, "a b", "ü", '"'):
        assert re.fullmatch(r"[0-9a-f]{32}", id_for(insane))


@pytest.mark.contract("decided-http.caching")
def test_every_answer_has_the_security_headers_and_none_is_for_other_origins(rest: Rest) -> None:
    for answer in (rest.get("/briefs"), rest.get("/nothing"), rest.get("/health"), rest.get("/openapi.json")):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control-")]
    asked = rest.client.options(
        "/briefs", headers={"Origin": "https://x.example", "Access-Control-Request-Method": "GET"}
    )
    assert not [name for name, _ in asked.headers if name.startswith("Access-Control-")]


@pytest.mark.parametrize(
    ("public_url", "is_sent"),
    [("http://cms.example", False), ("https://cms.example", True), ("HTTPS://cms.example", True)],
)
def test_hsts_is_sent_only_where_https_is_served(configured: Configured, public_url: str, is_sent: bool) -> None:
    answer = configured(public_url=public_url).test_client().get("/health")

    assert ("Strict-Transport-Security" in answer.headers) is is_sent


READS = [
    "/documents/{document}",
    "/documents/{document}/brief",
    "/document-intents/{draft}",
    "/project",
    "/members/{member}",
]


@pytest.mark.parametrize("path", READS)
@pytest.mark.contract("decided-http.caching")
def test_a_record_has_an_etag_that_gives_304_until_it_changes(rest: Rest, project: Project, path: str) -> None:
    path = path.format(**records(rest, project))
    first = rest.get(path)

    again = rest.get(path, If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"] == "private, no-cache"
    assert rest.get(path, If_None_Match=f'"other", W/{first.headers["ETag"]}').status_code == 304
    assert rest.get(path, If_None_Match='"other"').status_code == 200


@pytest.mark.parametrize("path", [*READS, "/briefs", "/health", "/openapi.json", "/docs"])
def test_head_works_where_get_does(rest: Rest, project: Project, path: str) -> None:
    path = path.format(**records(rest, project))
    got, head = rest.get(path), rest.call("HEAD", path)

    assert (head.status_code, head.data) == (200, b"")
    assert head.headers.get("ETag") == got.headers.get("ETag")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


WRITES = [
    ("PATCH", "/documents/{document}/brief", {"notes": "new"}),
    ("PUT", "/documents/{document}/brief", {"notes": "new"}),
    ("POST", "/documents/{document}/brief/claim", None),
    ("PATCH", "/document-intents/{draft}", {"title": "new"}),
    ("DELETE", "/document-intents/{draft}", None),
    ("POST", "/document-intents/{draft}/confirm", None),
    ("PATCH", "/project", {"name": "new"}),
    ("PATCH", "/members/{member}", {"name": "new"}),
    ("DELETE", "/members/{member}", None),
]


@pytest.mark.needs_mongod
@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_if_match_lets_a_write_through_only_while_the_record_is_the_same(
    rest: Rest, project: Project, method: str, path: str, body: object
) -> None:
    path = path.format(**records(rest, project))
    record = path.removesuffix("/claim").removesuffix("/confirm")
    etag = rest.get(record).headers["ETag"]

    weak = rest.call(method, path, body, If_Match='W/"999-999"')
    assert (weak.status_code, weak.json["_tag"]) == (412, "PreconditionFailed")
    refused = rest.call(method, path, body, If_Match='"999-999"')
    assert (refused.status_code, refused.json["_tag"]) == (412, "PreconditionFailed")
    assert rest.get(record).headers["ETag"] == etag
    assert rest.call(method, path, body, If_Match=f'"999-999", W/{etag}').status_code in (200, 201)


@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [*WRITES, ("POST", "/document-intents", {"title": "x"}), ("POST", "/document-intents/{draft}/validate", None)],
)
def test_a_key_gives_the_first_answer_again(rest: Rest, project: Project, method: str, path: str, body: object) -> None:
    path = path.format(**records(rest, project))

    first = rest.call(method, path, body, Idempotency_Key="one")
    again = rest.call(method, path, body, Idempotency_Key="one")

    assert first.status_code in (200, 201)
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (again.status_code, again.json) == (first.status_code, first.json)
    assert again.headers.get("ETag") == first.headers.get("ETag")


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-http.IdempotencyMismatch")
def test_a_key_is_for_one_request_of_one_token(rest: Rest, project: Project) -> None:
    assert rest.post("/document-intents", {"title": "one"}, Idempotency_Key="k").status_code == 201

    for method, path, body in (("POST", "/document-intents", {"title": "two"}), ("POST", "/cluster-intents", None)):
        other = rest.call(method, path, body, Idempotency_Key="k")
        assert (other.status_code, other.json["_tag"]) == (422, "IdempotencyMismatch")
    assert rest.by(project.token()).post("/document-intents", {"title": "two"}, Idempotency_Key="k").status_code == 201


@pytest.mark.needs_mongod
def test_a_refusal_stores_no_key(rest: Rest) -> None:
    draft = rest.post("/document-intents").json["id"]
    assert rest.post(f"/document-intents/{draft}/confirm", Idempotency_Key="k").status_code == 422
    rest.patch(f"/document-intents/{draft}", {"title": "Now it has one"})

    assert rest.post(f"/document-intents/{draft}/confirm", Idempotency_Key="k").status_code == 201


@pytest.mark.needs_mongod
def test_a_replay_leaves_secrets_out(rest: Rest) -> None:
    made = rest.post("/tokens", {"name": "New"}, Idempotency_Key="k")
    again = rest.post("/tokens", {"name": "New"}, Idempotency_Key="k")

    assert made.json["token"].startswith("cwm_")
    assert again.json == {name: value for name, value in made.json.items() if name != "token"}


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "two words", "\u00fc", "tab\there"])
def test_a_key_that_is_none_is_refused_and_ignored_on_reads(rest: Rest, key: str) -> None:
    refused = rest.post("/document-intents", Idempotency_Key=key)

    assert (refused.status_code, [issue["path"] for issue in refused.json["issues"]]) == (400, ["Idempotency-Key"])
    assert rest.get("/briefs", Idempotency_Key=key).status_code == 200


@pytest.mark.parametrize(
    ("switch", "paths"),
    [("serve_rest", ["/briefs"]), ("serve_docs", ["/docs", "/openapi.json"]), ("serve_mcp", ["/mcp"])],
)
def test_each_surface_can_be_switched_off_while_health_stays(
    configured: Configured, client: FlaskClient, switch: str, paths: list[str]
) -> None:
    off = configured(**{switch: False}).test_client()

    for path in paths:
        assert (client.get(path).status_code == 404, off.get(path).status_code) == (False, 404)
        assert ("/docs" in off.get(path).text) == (switch not in ("serve_docs", "serve_rest"))
    assert off.get("/health").json == {"status": "ok"}


def records(rest: Rest, project: Project) -> dict[str, str]:
    """Makes one record of each kind and returns their ids."""
    ctx = project.context(rest.token)
    return {
        "document": a_ready_brief(ctx)["id"],
        "draft": rest.post("/document-intents", {"title": "A draft"}).json["id"],
        "member": rest.post("/members", {"name": "Ada"}).json["id"],
        "plain": a_document(ctx, title="Plain")["id"],
    }
