"""Who else has a text open, as *Write* in the console says it."""

from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from app.core.context import this_instant
from app.core.vocabulary import Scope
from app.presence.rules import OpenText, sentence
from tests.console.browser import Window
from tests.console.conftest import base, editor, served, window  # noqa: F401  # fixtures
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, Token, a_document, a_project

PAGES = [f"page{letter * 8}" for letter in "abcd"]
UNTIL = this_instant() + timedelta(seconds=20)


def visitor(app: Flask, token: Token) -> Visitor:
    """Somebody who is signed in."""
    made = Visitor(app)
    made.sign_in(token)
    return made


def beat(somebody: Visitor, document: dict[str, Any], page: str, **more: str) -> str:
    """Says that a page has a text open; returns what it shows then."""
    response = somebody.post(f"/console/documents/{document['id']}/open", page=page, **more)
    assert response.status_code in (200, 204), response.text
    return response.text


def row(page: str, token: str, name: str, member: str | None = None) -> OpenText:
    return OpenText(page=page, tokenId=token, memberId=member, name=name, until=UNTIL)


ADA, LEE, KIM, SAM, UNA = (row(name, f"t-{name}", name) for name in ("Ada", "Lee", "Kim", "Sam", "Una"))
ME = row("me", "mine", "Ingrid")


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([], ""),
        ([ADA], "Ada has this open."),
        ([ADA, row("second", "t-Ada", "Ada")], "Ada has this open."),
        ([LEE, ADA], "Ada and Lee have this open."),
        ([ADA, LEE, KIM], "Ada, Kim and Lee have this open."),
        ([ADA, LEE, KIM, SAM], "Ada, Kim, Lee and 1 other have this open."),
        ([ADA, LEE, KIM, SAM, UNA], "Ada, Kim, Lee and 2 others have this open."),
        ([ME], "You have this open in another tab."),
        ([ME, ADA], "Ada has this open. You have this open in another tab, too."),
        ([row("phone", "another", "Ingrid's phone", "member")], "You have this open in another tab."),
    ],
)
def test_the_sentence_names_others_and_own_tabs(others: list[OpenText], said: str) -> None:
    assert sentence(others, "mine", "member") == said


def test_who_has_a_text_open_is_named_to_the_others_until_they_leave(app: Flask, project: Project) -> None:
    document, other = (a_document(project.context(), title=title, status="drafting") for title in ("Rye", "Salt"))
    ingrid, ada = (visitor(app, project.token(name)) for name in ("Ingrid", "Ada"))
    assert 'id="present"' in ingrid.get(f"/console/documents/{document['id']}/edit").text
    assert beat(ingrid, document, PAGES[0]) == ""
    assert beat(ada, document, PAGES[1]) == "Ingrid has this open."
    assert beat(ada, other, PAGES[2]) == ""
    assert beat(ingrid, document, PAGES[0], hidden="yes") == "Ada has this open."
    assert beat(ingrid, document, PAGES[3]) == "Ada has this open. You have this open in another tab, too."

    beat(ingrid, document, PAGES[1], left="yes")  # that is Ada's
    assert "Ada" in beat(ingrid, document, PAGES[0])
    beat(ada, document, PAGES[1], left="yes")
    beat(ingrid, document, PAGES[3], left="yes")
    assert beat(ingrid, document, PAGES[0]) == ""


@pytest.mark.needs_mongod
def test_a_page_that_says_nothing_any_more_is_forgotten_and_its_row_deleted(app: Flask, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="drafting")
    ingrid, ada = (visitor(app, project.token(name)) for name in ("Ingrid", "Ada"))
    rows: Any = project.store.database.openTexts
    began = this_instant()
    beat(ada, document, PAGES[0])
    beat(ada, document, PAGES[0])
    [stored] = rows.find({"projectId": ObjectId(project.id)})
    assert timedelta(seconds=20) <= stored["until"] - began <= timedelta(seconds=30)
    rows.update_one({"_id": stored["_id"]}, {"$set": {"until": this_instant() - timedelta(seconds=1)}})
    assert beat(ingrid, document, PAGES[1]) == ""
    deletes = [one for one in rows.index_information().values() if "expireAfterSeconds" in one]
    assert [(one["key"], one["expireAfterSeconds"]) for one in deletes] == [([("until", 1)], 0)]


def test_only_who_may_write_a_text_of_the_project_says_so(app: Flask, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="drafting")
    path = f"/console/documents/{document['id']}/open"
    reader = visitor(app, project.token("A reader", scopes=[Scope.READ]))
    stranger = visitor(app, a_project(project.store).token("Stranger"))
    ingrid = visitor(app, project.token("Ingrid"))
    assert reader.post(path, page=PAGES[0]).status_code == 403
    assert stranger.post(path, page=PAGES[0]).status_code == 404
    assert [ingrid.post(path, page=page).status_code for page in ("", "A b", "x" * 41)] == [422, 422, 422]
    assert app.test_client().post(path, data={"page": PAGES[0]}).status_code == 303
    assert beat(ingrid, document, PAGES[1]) == ""


def test_neither_a_freeze_nor_a_budget_counts_open_texts(app: Flask, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="drafting")
    token = project.token("Ingrid", scopes=[Scope.READ, Scope.WRITE])
    ingrid = visitor(app, token)
    before = OPERATIONS["get_document"](project.context(), document["id"]).body
    OPERATIONS["freeze_project"](project.context(), fields={"note": "Wait."})
    assert beat(ingrid, document, PAGES[0]) == ""
    assert OPERATIONS["get_document"](project.context(), document["id"]).body == before


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.needs_mongod
def test_write_shows_who_else_has_the_text_open(window: Window, project: Project) -> None:  # noqa: F811
    document = a_document(project.context(), title="Rye", status="drafting")
    page = f"/console/documents/{document['id']}/edit"
    rows: Any = project.store.database.openTexts
    own = {"projectId": ObjectId(project.id)}
    window.sign_in(project.token("Ada"), page)
    window.until(lambda: rows.count_documents(own) == 1)
    assert not window.find("#present").is_displayed()
    ada = window.chrome.current_window_handle
    window.chrome.switch_to.new_window("tab")
    window.sign_in(project.token("Ingrid"), page)  # Ada's page stays as it is
    window.until(lambda: window.find("#present").text == "Ada has this open.")
    ingrid = window.chrome.current_window_handle
    window.chrome.switch_to.new_window("tab")
    window.open(page)
    window.until(lambda: window.find("#present").text == "Ada has this open. You have this open in another tab, too.")
    assert window.problems() == []
    window.chrome.close()
    window.chrome.switch_to.window(ada)
    rows.delete_many({**own, "name": "Ada"})  # its session is Ingrid's by now
    window.chrome.get("about:blank")
    window.chrome.switch_to.window(ingrid)
    window.until(lambda: rows.count_documents(own) == 1)
    window.open("/console/board")
    window.until(lambda: rows.count_documents(own) == 0)
