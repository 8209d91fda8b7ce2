"""Signing in to the console: what a session is, how it ends, and what it does not let in."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from bson import ObjectId
from flask import Flask

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.vocabulary import Scope, TokenKind
from app.projects.invitations import invite_member
from tests.console.visitor import Visitor
from tests.live import quickest
from tests.make import OPERATIONS, Project, Token, a_document, an_app

PAGE = {"limit": 100, "offset": 0}


def test_a_browser_is_led_to_the_console_and_a_program_is_not(app: Flask) -> None:
    browser = app.test_client().get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    program = app.test_client().get("/", headers={"Accept": "*/*"})

    assert (browser.status_code, browser.location) == (302, "/console/")
    assert program.status_code == 404
    assert program.json["_tag"] == "NotFound"


def test_a_visitor_without_a_session_signs_in_and_is_returned_to_the_page(app: Flask, project: Project) -> None:
    client = app.test_client()
    asked = client.get("/console/calendar?view=week")
    assert asked.status_code == 303

    signed_in = client.post("/console/sign-in", data={"token": project.token().secret, "to": "/console/board?q=rye"})
    assert signed_in.location == "/console/board?q=rye"
    assert client.get("/console/board").status_code == 200


@pytest.mark.parametrize(
    "to",
    [
        *("https://evil.example/", "//evil.example/console", "/console@evil.example", "/briefs"),
        *("/console/../mcp", "/console/%2E%2e/mcp", "/console/..//evil.example", "/console/\\evil.example"),
    ],
)
def test_signing_in_leads_to_pages_of_the_console_alone(app: Flask, project: Project, to: str) -> None:
    signed_in = app.test_client().post("/console/sign-in", data={"token": project.token().secret, "to": to})

    assert signed_in.location == "/console/"


def test_an_address_made_to_take_long_leads_to_the_console_at_once(app: Flask, project: Project) -> None:
    form = {"token": project.token().secret, "to": "/console/" + "?" * 30_000 + "\n"}

    def sign_in() -> None:
        assert app.test_client().post("/console/sign-in", data=form).location == "/console/"

    assert quickest(sign_in, 2) < 2


def test_the_cookie_is_http_only_same_site_and_secure(store: Store, project: Project) -> None:
    token = project.token()

    def cookie(**more: str) -> str:
        client = an_app(store, **more).test_client()
        return client.post("/console/sign-in", data={"token": token.secret}).headers["Set-Cookie"]

    plain, behind_https = cookie(), cookie(public_url="https://content.example.com")
    for one in (plain, behind_https):
        assert {"HttpOnly", "Path=/console", "SameSite=Strict", "Max-Age=43200"} <= set(one.split("; "))
    assert "Secure" not in plain.split("; ")
    assert "Secure" in behind_https.split("; ")


def test_neither_the_token_nor_the_session_is_stored(app: Flask, project: Project) -> None:
    token = project.token()
    cookie = app.test_client().post("/console/sign-in", data={"token": token.secret}).headers["Set-Cookie"]
    session = cookie.partition("=")[2].partition(";")[0]

    stored = str(list(project.store.database.sessions.find()))
    assert token.id in stored
    assert token.secret not in stored
    assert session.partition(".")[2] not in stored


@pytest.mark.parametrize("wrong", ["", "cwm_nobody's", "cwd"])
def test_only_a_management_token_signs_in(app: Flask, project: Project, wrong: str) -> None:
    secret = project.token(kind=TokenKind.DELIVERY).secret if wrong == "cwd" else wrong
    refused = app.test_client().post("/console/sign-in", data={"token": secret})

    assert refused.status_code == 401
    assert "Set-Cookie" not in refused.headers
    assert "not a valid management token" in refused.text


def test_failed_sign_ins_are_limited_by_address(store: Store) -> None:
    app = an_app(store, failed_auth_limit=2)
    answers = [app.test_client().post("/console/sign-in", data={"token": "cwm_no"}).status_code for _ in range(3)]

    assert answers == [401, 401, 429]


def test_requests_of_a_session_count_for_its_token(store: Store, project: Project) -> None:
    app = an_app(store, rate_limit=4)
    visitor = Visitor(app)
    visitor.sign_in(project.token())  # two requests
    answers = [visitor.get("/console/calendar").status_code for _ in range(3)]

    assert answers == [200, 200, 429]


@pytest.mark.parametrize("what", ["revoked", "rotated", "expired", "signed out", "12 hours over"])
def test_a_session_ends(uncached: Flask, project: Project, what: str) -> None:
    token = project.token()
    visitor, admin = Visitor(uncached), project.context(project.token("Admin"))
    visitor.sign_in(token)
    assert visitor.get("/console/board").status_code == 200

    match what:
        case "revoked":
            OPERATIONS["revoke_token"](admin, token.id)
        case "rotated":
            OPERATIONS["rotate_token"](admin, token.id)
        case "expired":
            project.store.database.tokens.update_many({}, {"$set": {"expiresAt": this_instant()}})
        case "signed out":
            visitor.client.post("/console/sign-out", data={"_csrf": visitor.csrf})
        case "12 hours over":
            past = this_instant() - timedelta(seconds=1)
            project.store.database.sessions.update_many({}, {"$set": {"expiresAt": past}})

    ended = visitor.get("/console/board")
    assert (ended.status_code, ended.location.partition("?")[0]) == (303, "/console/sign-in")


@pytest.mark.parametrize("csrf", ["none", "another session's"])
def test_a_form_of_another_session_changes_nothing(app: Flask, project: Project, csrf: str) -> None:
    visitor, other = Visitor(app), Visitor(app)
    token = project.token()
    visitor.sign_in(token)
    other.sign_in(token)
    document = a_document(project.context(token))

    fields = {"_csrf": "" if csrf == "none" else other.csrf, "title": "Taken over", "was.title": ""}
    refused = visitor.client.post(f"/console/documents/{document['id']}/fields", data=fields)

    assert refused.status_code == 403
    assert OPERATIONS["get_document"](project.context(token), document["id"]).body["title"] == document["title"]


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.example"}]
)
def test_another_site_can_send_no_form_not_even_to_sign_in(
    app: Flask, project: Project, headers: dict[str, str]
) -> None:
    token = project.token()
    visitor = Visitor(app)
    visitor.sign_in(token)

    signed_in = app.test_client().post("/console/sign-in", data={"token": token.secret}, headers=headers)
    signed_out = visitor.client.post("/console/sign-out", data={"_csrf": visitor.csrf}, headers=headers)

    assert (signed_in.status_code, signed_out.status_code) == (403, 403)


@pytest.mark.parametrize("path", ["/console/sign-in", "/console/join", "/console/plan", "/console/table"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_long_form_that_is_not_multipart_is_refused_before_it_is_parsed(
    editor: Visitor, path: str, chunked: bool
) -> None:
    # It would be parsed in one piece, while all other requests wait: 1.4 s for 20 MB.
    form = io.BytesIO(f"_csrf={editor.csrf}&".encode() + b"a&" * 40_000)
    length = {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(len(form.getvalue()))}
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    overrides = {"wsgi.input_terminated": chunked}
    refused = editor.client.post(path, input_stream=form, headers=length | kind, environ_overrides=overrides)

    assert refused.status_code == 413


def invited(project: Project, inviter: Token | None = None) -> str:
    """Invites a member and returns the invitation's secret."""
    ctx = project.context(inviter)
    member = OPERATIONS["create_member"](ctx, fields={"name": "Mateo Ruiz"}).body
    made = invite_member(ctx, member["id"], fields={"scopes": ["read", "write"]}).body
    return made["link"].partition("#")[2]


def test_an_invitation_signs_a_member_in_under_their_own_name_with_a_token_of_their_own(
    app: Flask, project: Project
) -> None:
    secret = invited(project)
    client = app.test_client()
    joined = client.post("/console/join", data={"invitation": secret})
    tokens = OPERATIONS["list_tokens"](project.context(), fields={"limit": 100, "offset": 0}).body

    assert "cwm_" in joined.text
    assert ("Mateo Ruiz", ["read", "write"]) in [(token["name"], token["scopes"]) for token in tokens]
    assert "Mateo Ruiz" in client.get("/console/board").text
    assert secret not in str(list(project.store.database.invitations.find()))


@pytest.mark.parametrize("what", ["used", "expired", "member gone", "unknown", "nonsense"])
def test_an_invitation_works_once_in_its_time_for_a_member(app: Flask, project: Project, what: str) -> None:
    secret = invited(project)
    past = this_instant() - timedelta(milliseconds=1)
    if what == "expired":
        project.store.database.invitations.update_many({}, {"$set": {"expiresAt": past}})
    if what == "used":
        app.test_client().post("/console/join", data={"invitation": secret})
    if what == "member gone":
        member = OPERATIONS["list_members"](project.context(), fields={"limit": 1, "offset": 0}).body[0]
        OPERATIONS["delete_member"](project.context(), member["id"])
    wrong = {"unknown": f"{project.id}.no", "nonsense": "no"}.get(what, secret)
    before = project.store.database.tokens.count_documents({})
    refused = app.test_client().post("/console/join", data={"invitation": wrong})

    assert refused.status_code == 401
    assert "Set-Cookie" not in refused.headers
    assert project.store.database.tokens.count_documents({}) == before


@pytest.mark.parametrize("what", ["revoke_token", "rotate_token", "expire", "invite after rotation elsewhere"])
def test_an_invitation_ends_with_the_token_that_made_it(app: Flask, project: Project, what: str) -> None:
    inviter = project.token()
    if what.startswith("invite"):  # another server knows the old secret for 3 s
        OPERATIONS["rotate_token"](project.context(), inviter.id)
    secret = invited(project, inviter)
    member = OPERATIONS["list_members"](project.context(), fields={"limit": 1, "offset": 0}).body[0]["id"]
    listed = [len(OPERATIONS["list_invitations"](project.context(), member, fields=PAGE).body)]
    if what == "expire":
        past = this_instant() - timedelta(milliseconds=1)
        project.store.database.tokens.update_one({"_id": ObjectId(inviter.id)}, {"$set": {"expiresAt": past}})
    elif what in OPERATIONS:
        OPERATIONS[what](project.context(), inviter.id)
    listed.append(len(OPERATIONS["list_invitations"](project.context(), member, fields=PAGE).body))

    refused = app.test_client().post("/console/join", data={"invitation": secret})

    assert (refused.status_code, "Set-Cookie" in refused.headers) == (401, False)
    assert listed == [0 if what.startswith("invite") else 1, 0]


def test_the_token_of_an_invitation_lives_no_longer_than_the_one_that_made_it(app: Flask, project: Project) -> None:
    ends = this_instant() + timedelta(hours=1)
    secret = invited(project, project.token(expiresAt=ends))
    joined = app.test_client().post("/console/join", data={"invitation": secret})

    assert joined.status_code == 200
    made = project.store.database.tokens.find_one({"projectId": ObjectId(project.id), "name": "Mateo Ruiz"})
    assert made is not None
    assert made["expiresAt"] == ends


def test_nobody_joins_a_frozen_project_and_the_invitation_waits(app: Flask, project: Project) -> None:
    secret = invited(project)
    OPERATIONS["freeze_project"](project.context(), fields={"note": "A break"})
    refused = app.test_client().post("/console/join", data={"invitation": secret})
    OPERATIONS["unfreeze_project"](project.context(), fields={})
    joined = app.test_client().post("/console/join", data={"invitation": secret})

    assert (refused.status_code, "Set-Cookie" in refused.headers) == (409, False)
    assert "frozen" in refused.text
    assert joined.status_code == 200


def test_a_withdrawn_invitation_signs_nobody_in(editor: Visitor, app: Flask, project: Project) -> None:
    secret = invited(project)
    member = OPERATIONS["list_members"](project.context(), fields={"limit": 1, "offset": 0}).body[0]["id"]
    page = f"/console/administration/members/{member}"
    shown = editor.client.get(page).text
    found = re.search(r"invitations/(\w+)/withdraw", shown)
    assert found is not None
    assert secret not in shown
    assert "withdrawn" in editor.post(f"{page}/invitations/{found[1]}/withdraw").text

    assert app.test_client().post("/console/join", data={"invitation": secret}).status_code == 401
    assert "Not accepted yet" not in editor.client.get(page).text


@pytest.mark.needs_mongod
@pytest.mark.race
def test_an_invitation_that_two_accept_at_once_makes_one_token(app: Flask, project: Project) -> None:
    secret = invited(project)

    def accept(_: int) -> int:
        return app.test_client().post("/console/join", data={"invitation": secret}).status_code

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(accept, range(8)))

    assert sorted(answers) == [200, *[401] * 7]


def test_signing_in_counts_as_a_request_of_the_token(store: Store, project: Project) -> None:
    app = an_app(store, rate_limit=3)
    token = {"token": project.token("A reader", scopes=[Scope.READ]).secret}

    statuses = [app.test_client().post("/console/sign-in", data=token).status_code for _ in range(4)]

    assert statuses == [303, 303, 303, 429]


def test_a_form_that_was_sent_after_the_session_ended_leads_back_to_its_page(app: Flask, project: Project) -> None:
    client, document = app.test_client(), a_document(project.context())
    page = f"/console/documents/{document['id']}/edit"
    for referrer, to in (
        (f"http://localhost{page}?x=1", f"to={page}?x%3D1"),
        ("https://evil.example/phish", None),
        ("http://[", None),
        (None, None),
    ):
        headers = {"Referer": referrer} if referrer else {}
        asked = client.post(page, data={"markdown": "Mine."}, headers=headers)
        assert asked.status_code == 303
        assert ("to=" in asked.location) == (to is not None)
        assert to is None or to in asked.location
        assert "nothing was saved" in client.get(asked.location).text


def test_a_form_of_another_session_is_refused_with_the_way_back_to_its_page(app: Flask, project: Project) -> None:
    client, document = app.test_client(), a_document(project.context())
    client.post("/console/sign-in", data={"token": project.token().secret})
    page = f"/console/documents/{document['id']}/edit"

    refused = client.post(page, data={"_csrf": "old", "markdown": "x"}, headers={"Referer": f"http://localhost{page}"})
    assert refused.status_code == 403
    assert f'href="{page}">Back to the page' in refused.text


@pytest.mark.parametrize(("fields", "seconds"), [({}, 43_200), ({"remember": "yes"}, 30 * 86_400)])
def test_a_browser_that_is_to_be_remembered_stays_signed_in_for_thirty_days(
    app: Flask, project: Project, fields: dict[str, str], seconds: int
) -> None:
    visitor, token = Visitor(app), project.token("Ingrid")
    response = visitor.client.post("/console/sign-in", data={"token": token.secret, **fields})

    assert f"Max-Age={seconds}" in response.headers["Set-Cookie"]
    (session,) = project.store.database.sessions.find({"tokenId": ObjectId(token.id)})
    assert abs((session["expiresAt"] - this_instant()).total_seconds() - seconds) < 60
