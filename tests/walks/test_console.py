"""The console shows and does what the other interfaces would: nothing of another project, and what a token may alone.

The walk has every page and form; one that is missing in `pages.py` is named by the first test.
"""

import base64
import re
from collections import ChainMap
from html import unescape
from typing import Any

import orjson
import pytest
from bson import ObjectId
from flask import Flask
from werkzeug.test import TestResponse

from app.console.frame import NOTICE_COOKIE
from app.core.store.store import Store
from app.core.vocabulary import Scope
from app.notices.member_fields import NO_NOTICES
from tests.console.visitor import Visitor
from tests.make import a_project
from tests.valid_calls import Scene
from tests.walks.others import Theirs, plain, rows_of
from tests.walks.pages import BY_NAME, PAGES, Page, Records

pytestmark = pytest.mark.needs_mongod

WITHOUT_A_SESSION = {"console.asset", "console.sign_in", "console.start_session", "console.join", "console.accept"}
BY_OAUTH = {f"oidc.{name}" for name in ("sign_in_with_oidc", "back_from_oidc", "choose_project")}
BY_OAUTH |= {"oauth.show_connect", "oauth.connect"}
"""The pages to which other services send people; they name no record, and `tests/oauth` opens them."""
BY_LINK = {f"visitors.{name}" for name in ("show_review", "begin_review", "open_as_visitor", "change_as_visitor")}
"""The pages of visitors by a review link, which `tests/console/test_reviewing.py` opens."""
ELSEWHERE = WITHOUT_A_SESSION | {f"console.{name}" for name in BY_OAUTH | BY_LINK}
FORM_KEYS = re.compile(r'\b[0-9a-f]{64}\b|(?<=name="_key" value=)"[^"]*"|(?<=data-cursor=)"[^"]*"')
"""What belongs to one session, one page, or one project."""
LACKING = re.compile(r"needs a token with the scope <code>(\w+)</code>")


def test_every_page_and_form_is_in_the_walk(service: Flask) -> None:
    served = {
        (method, rule.endpoint)
        for rule in service.url_map.iter_rules()
        if rule.endpoint.startswith("console.")
        for method in rule.methods & {"GET", "POST"}
    }
    adapter = service.url_map.bind("localhost")
    walked = set()
    for page in PAGES:
        path = page.filled(dict.fromkeys(page.kinds, "0" * 24))[0].partition("?")[0]
        walked.add((page.method, adapter.match(path, page.method)[0]))

    assert served - walked == {one for one in served if one[1] in ELSEWHERE}, "add the page to `pages.py`"


def opened(visitor: Visitor, page: Page, records: dict[str, str]) -> TestResponse:
    """Opens a page, or sends a form and opens the page that it leads to."""
    path, fields = page.filled(records)
    return visitor.get(path) if page.method == "GET" else visitor.post(path, **fields)


@pytest.mark.contract("decided-projects.invisible")
@pytest.mark.parametrize("page", [page for page in PAGES if page.kinds], ids=str)
def test_what_another_project_has_is_shown_as_what_never_existed(
    service: Flask, own_store: Store, commands, theirs: Theirs, page: Page
) -> None:
    visitor, own = signed_in(service, own_store, page)
    before = theirs.rows()
    never, there = (
        {**values, "link": values["document"], "reviewLink": values["link"]} for values in (theirs.never, theirs.values)
    )

    for kind in page.kinds:
        answers = []
        for value in (never[kind][::-1], never[kind], there[kind][0]):  # with the first what is cached is read
            if page.leaves_traces:
                visitor, own = signed_in(service, own_store, page)
            commands.sent.clear()
            answer = opened(visitor, page, ChainMap({kind: value}, own))
            seen = FORM_KEYS.sub("", plain(unescape(answer.text), value))
            answers.append((answer.status_code, seen, list(commands.sent) if page.method == "GET" else []))
        assert answers[1] == answers[2], kind

    assert theirs.rows() == before
    assert not theirs.is_named_by(own.scene.project)


def signed_in(service: Flask, store: Store, page: Page) -> tuple[Visitor, Records]:
    """Returns somebody who is signed in to a new project, and the records of it that a page names."""
    project, visitor = a_project(store), Visitor(service)
    scene = Scene(project, project.token())
    visitor.sign_in(scene.token)
    if page.path.startswith("inbox/"):  # which are about the member whose the token is
        become_a_member(scene)
    own = Records(scene, page)
    page.filled(own)  # makes them
    return visitor, own


@pytest.mark.contract("decided-projects.scopes")
@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_needs_its_scopes_alone(service: Flask, own_store: Store, page: Page) -> None:
    visitor, own = signed_in(service, own_store, page)
    scene, needed = own.scene, page.scopes.split()
    attribute_texts(scene)
    before = rows_of(scene.project, but_token=scene.token.id)

    for scope in needed:
        become(own_store, scene, [str(one) for one in Scope if one != scope])
        assert set(LACKING.findall(opened(visitor, page, own).text)) == {scope}
    assert rows_of(scene.project, but_token=scene.token.id) == before

    become(own_store, scene, needed)
    answer = opened(visitor, page, own)
    first = answer.history[0] if answer.history else answer
    assert first.status_code < 400 or page.path == "nowhere"
    assert notice_of(first)["ok"], notice_of(first)
    if page.method == "POST" and needed and page.form.get("table") != BY_NAME:
        assert rows_of(scene.project, but_token=scene.token.id) != before


def attribute_texts(scene: Scene) -> None:
    """Has it be computed who wrote the texts of a scene, as the worker does."""
    these = {"projectId": ObjectId(scene.project.id), "deletedAt": None}
    for row in scene.project.store.database.documents.find(these, {"_id": 1}):
        scene.call("get_provenance", str(row["_id"]))


def become_a_member(scene: Scene) -> None:
    """Has the token of a scene be a member's, who has a Slack."""
    member = ObjectId(scene.call("create_member", name="Ada")["id"])
    database = scene.project.store.database
    database.tokens.update_one({"_id": ObjectId(scene.token.id)}, {"$set": {"memberId": member}})
    notify = {**NO_NOTICES, "slack": "https://hooks.slack.com/services/T0/B0/x"}
    database.members.update_one({"_id": member}, {"$set": {"notify": notify}})


def become(store: Store, scene: Scene, scopes: list[str]) -> None:
    """Has the token of a scene have other scopes."""
    store.database.tokens.update_one({"_id": ObjectId(scene.token.id)}, {"$set": {"scopes": scopes}})


def notice_of(response: TestResponse) -> dict[str, Any]:
    """Returns the notice that a response leaves for the next page."""
    found = re.search(f"{NOTICE_COOKIE}=([^;]+);", response.headers.get("Set-Cookie", ""))
    notice: dict[str, Any] = orjson.loads(base64.urlsafe_b64decode(found[1])) if found else {"ok": True}
    return notice
