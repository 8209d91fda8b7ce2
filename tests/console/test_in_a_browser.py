"""The console in headless Chromium: an editor reviews and publishes, the board follows, and axe-core finds nothing."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from flask import request
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select

from app.console.table import COLUMNS
from app.core.errors import RateLimited, ServiceUnavailable
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.times import wire_time
from app.guards.errors import BudgetExceeded
from tests.console.accessibility import Examiner
from tests.console.browser import Window
from tests.console.visitor import now
from tests.make import OPERATIONS, Project, Token, a_document, a_project, a_ready_brief, made

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

TEXT = "A starter is flour, water and *patience*.\n\n## Day by day\n\nFeed it each morning.\n"
SEND_FORM = """
const form = document.createElement("form");
const csrf = document.querySelector("[name=csrf-token]").content;
Object.assign(form, { method: "post", action: arguments[0] });
for (const [name, value] of Object.entries({ ...arguments[1], _csrf: csrf })) {
  form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
}
document.body.append(form);
form.submit();
"""
ENDED_WAITS = """
return performance.getEntriesByType("resource").filter((one) => one.name.includes("/console/changes")).length;
"""
IS_COVERED = """
const { left, top } = arguments[0].getBoundingClientRect();
return document.elementFromPoint(left + 4, top + 4) !== arguments[0];
"""
PUT_DOWN = """
const [card, column] = [...arguments].map((selector) => document.querySelector(selector));
const dataTransfer = new DataTransfer();
const options = { bubbles: true, cancelable: true, dataTransfer };
card.dispatchEvent(new DragEvent("dragstart", options));
column.dispatchEvent(new DragEvent("dragover", options));
column.dispatchEvent(new DragEvent("drop", options));
card.dispatchEvent(new DragEvent("dragend", options));
"""


PRESS = "const button = document.querySelector(arguments[0]); button.focus(); button.click()"


def offline(window: Window, is_offline: bool) -> None:
    """Takes the browser's network away, or gives it back."""
    window.chrome.execute_cdp_cmd("Network.enable", {})
    conditions = {"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    window.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)


@contextmanager
def screen(window: Window, width: int, height: int) -> Iterator[None]:
    """Shows pages on a screen of another size; one that is narrow is a phone's."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    window.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        window.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def an_unsaved_text(window: Window, project: Project) -> WebElement:
    """Shows a document in the editor, with a text that is typed and not saved; returns where it is typed."""
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    editor.send_keys("Mine. ")
    return editor


def test_a_wrong_field_has_the_focus_a_secret_is_copied_and_nothing_is_cleared_in_bulk_by_mistake(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye bread", dueDate="2099-01-31")
    window.sign_in(project.token("Ingrid"))
    granted = {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    window.chrome.execute_cdp_cmd("Browser.grantPermissions", granted)

    window.open("/console/administration/tokens")
    window.find("#f-name").send_keys("CI")
    window.find("[name=writesPerHour]").send_keys("many")
    window.press("Create token")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("name") == "writesPerHour")
    window.find("[name=writesPerHour]").clear()
    window.press("Create token")
    window.click("[data-copies]")
    window.until(lambda: "Copied." in window.find("#toasts").text)

    window.open("/console/table")
    window.click("[data-all]")
    window.click(".bulk summary")
    for bulk, field in (("assign", "b-assign"), ("category", "b-category"), ("due", "b-due")):
        window.click(f".bulk [value={bulk}]")
        window.until(lambda field=field: window.chrome.switch_to.active_element.get_attribute("id") == field)
    assert now(project, document)["dueDate"] == "2099-01-31"


def test_the_board_follows_and_cards_are_moved_by_mouse_and_by_keys(window: Window, project: Project) -> None:
    ctx = project.context()
    first = a_document(ctx, title="Rye", status="idea", markdown=TEXT)
    project.store[Outboxes].publish_all(project.id)
    window.sign_in(project.token("Ingrid"))

    for status in ("planned", "drafting"):
        a_document(ctx, title=f"In {status}", status=status)
    with screen(window, 800, 800):
        window.open("/console/board")
        window.chrome.execute_script("document.querySelector(arguments[0]).focus()", f"#d-{first['id']} h3 a")
        window.chrome.execute_script("document.querySelector('#board').scrollLeft = 50")
        arriving = a_ready_brief(ctx, title="Stollen", status="planned")
        project.store[Outboxes].publish_all(project.id)
        window.find(f"#d-{arriving['id']}")
        window.until(lambda: window.chrome.execute_script("return document.querySelector('#board').scrollLeft") == 50)
        assert window.chrome.execute_script("return document.activeElement.closest('.card')?.id") == f"d-{first['id']}"

    window.chrome.execute_script(PUT_DOWN, f"#d-{first['id']}", ".column[data-status=review]")
    window.find(f".column[data-status=review] #d-{first['id']}")
    assert now(project, first)["status"] == "review"

    def asked_by_key() -> bool:  # again where the board was fetched anew in between
        window.chrome.execute_script("document.querySelector(arguments[0]).focus()", f"#d-{arriving['id']} a")
        window.keys("m")
        return window.has("#move[open]")

    window.until(asked_by_key)
    window.click("#move input[value=published]")
    window.click("#move button[value=move]")
    window.until(lambda: "has no content" in window.find("#toasts").text)
    assert now(project, arriving)["status"] == "planned"

    sent_back = a_ready_brief(ctx, title="Baguette", status="planned")
    writer = project.context(project.token("Night writer", agent="writer-1"))
    for name, fields in (
        ("claim_brief", {}),
        ("write_content", {"markdown": TEXT, "baseVersion": 1}),
        ("submit_document", {}),
    ):
        OPERATIONS[name](writer, sent_back["id"], fields=fields)
    project.store[Outboxes].publish_all(project.id)
    window.find(f".column[data-status=review] #d-{sent_back['id']}")
    window.chrome.execute_script(PUT_DOWN, f"#d-{sent_back['id']}", ".column[data-status=drafting]")
    window.find("#move-note").send_keys("Say which flour.")
    assert window.find("#move-offer").is_selected()
    window.click("#move button[value=move]")
    window.until(lambda: "with your note, and its brief is offered." in window.find("#toasts").text)
    after = now(project, sent_back)
    assert (after["status"], after["brief"]["state"]) == ("drafting", "ready")

    window.keys("?")
    assert window.find("#keys").is_displayed()
    window.keys(Keys.ESCAPE)
    window.find("#q").send_keys("rye")
    window.until(lambda: not window.has(f"#d-{arriving['id']}") and "q=rye" in window.chrome.current_url)
    window.open(f"/console/documents/{arriving['id']}")
    window.keys("/")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "q")
    assert window.problems() == []


def test_a_card_is_published_and_unpublished_only_when_that_is_confirmed(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    project.store[Outboxes].publish_all(project.id)
    window.sign_in(project.token("Ingrid"))
    for column, question, left in (
        ("published", "Publish now? The website shows it from then on.", document["status"]),
        ("drafting", "Take this off the website?", "published"),
    ):
        for button, status in (("[data-cancels]", left), ("button[value=move]", column)):
            window.until(lambda: window.has(f"#board #d-{document['id']}"))
            window.chrome.execute_script(PUT_DOWN, f"#d-{document['id']}", f".column[data-status={column}]")
            assert question in window.find("#move").text
            window.click(f"#move {button}")
            window.find(f".column[data-status={status}] #d-{document['id']}")
            assert now(project, document)["status"] == status
    assert window.problems() == []


ENDS = """
return [...document.querySelectorAll(".column")].map(column => [
    column.getBoundingClientRect().bottom,
    Math.max(0, ...[...column.querySelectorAll(".card")].map(card => card.getBoundingClientRect().bottom)),
])
"""


def test_a_time_of_publishing_is_proposed_where_a_card_is_scheduled(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, dueDate="2099-01-31")
    window.sign_in(project.token("Ingrid"))
    window.chrome.execute_script(PUT_DOWN, f"#d-{document['id']}", ".column[data-status=scheduled]")
    assert window.find("#move-at").get_property("value") == "2099-01-31T09:00"
    window.click("#move button[value=move]")
    card = window.find(f".column[data-status=scheduled] #d-{document['id']}")
    assert now(project, document)["publishAt"].startswith("2099-01-31T09:00")
    card.find_element(By.CSS_SELECTOR, "[data-move]").send_keys(Keys.ENTER)
    assert window.find("#move-at").get_property("value") == "2099-01-31T09:00"
    assert window.problems() == []


def test_columns_of_the_board_hold_all_of_their_cards_and_end_together(window: Window, project: Project) -> None:
    for number in range(20):
        a_document(project.context(), title=f"Rye {number}", status="idea")
    a_document(project.context(), title="Tea", status="planned")
    window.sign_in(project.token("Ingrid"), "/console/board")

    ends = window.chrome.execute_script(ENDS)
    assert all(card < column for column, card in ends)
    assert len({column for column, _ in ends}) == 1


def test_a_tab_that_is_hidden_does_not_wait_for_events(
    window: Window, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("app.events.pages.WAIT_SECONDS", 100)
        window.sign_in(project.token("Ingrid"))
        board = window.chrome.current_window_handle
        assert window.chrome.execute_script(ENDED_WAITS) == 0

        window.chrome.switch_to.new_window("tab")
        window.chrome.close()

    window.chrome.switch_to.window(board)
    window.until(lambda: window.chrome.execute_script(ENDED_WAITS))
    a_document(project.context())
    project.store[Outboxes].publish_all(project.id)  # ends the waiting on the server


def test_a_piece_is_dragged_to_another_day(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", dueDate="2099-01-10")
    window.sign_in(project.token("Ingrid"), "/console/calendar?day=2099-01-10")

    window.chrome.execute_script(PUT_DOWN, ".piece", "[data-day='2099-01-15']")
    window.find(f"[data-day='2099-01-15'] [data-id='{document['id']}']")

    assert now(project, document)["dueDate"] == "2099-01-15"
    assert window.problems() == []


def test_a_piece_is_moved_to_another_day_by_its_button_and_keeps_the_focus(window: Window, project: Project) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    document = a_document(ctx, title="Rye", dueDate="2099-01-10", categoryId=bread)
    a_document(ctx, title="Tea", dueDate="2099-01-10")
    window.sign_in(project.token("Ingrid"), "/console/calendar?day=2099-01-10")
    Select(window.find("#p-categoryId")).select_by_visible_text("Bread")
    window.until(lambda: len(window.chrome.find_elements(By.CSS_SELECTOR, ".piece")) == 1)
    assert bread in window.find("[data-step=']']").get_attribute("href")

    window.chrome.execute_script(PRESS, f"#m-due-{document['id']}")
    window.chrome.execute_script("document.querySelector('#move-to-day').value = '2099-01-20'")
    window.click("#move-day button[value=move]")
    window.find(f"[data-day='2099-01-20'] [data-id='{document['id']}']")

    assert window.chrome.switch_to.active_element.get_attribute("id") == f"m-due-{document['id']}"
    assert now(project, document)["dueDate"] == "2099-01-20"
    assert window.problems() == []


def test_what_a_card_needs_to_be_moved_is_demanded_and_stays_until_it_is_moved(
    window: Window, project: Project
) -> None:
    ctx = project.context()
    first, second = (a_document(ctx, title=title, markdown=TEXT) for title in ("Rye", "Stollen"))
    for document in (first, second):
        OPERATIONS["submit_document"](ctx, document["id"], fields={})
    window.sign_in(project.token("Ingrid"))

    def send_back(document: dict[str, Any], note: str = "") -> str:
        window.until(lambda: window.has(f".column[data-status=review] #d-{document['id']}"))
        window.chrome.execute_script(PUT_DOWN, f"#d-{document['id']}", ".column[data-status=drafting]")
        window.until(lambda: window.chrome.switch_to.active_element == window.find("#move-note"))
        window.keys(note)
        return str(window.find("#move-note").get_attribute("value"))

    assert send_back(first) == ""
    window.click("#move button[value=move]")
    assert window.find("#move").is_displayed()  # a note is required
    window.find("#move-note").send_keys("Say which flour.")
    offline(window, True)
    window.click("#move button[value=move]")
    window.until(lambda: "can't be reached" in window.find("#toasts").text)
    offline(window, False)
    assert send_back(first) == "Say which flour."
    window.click("#move [data-cancels]")
    assert send_back(second) == ""
    window.click("#move [data-cancels]")


def test_what_was_written_and_not_saved_is_there_again(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    token = project.token("Ingrid")
    page = f"/console/documents/{document['id']}/edit"

    def editor() -> WebElement:
        return window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")

    window.sign_in(token, page)
    editor().send_keys("Mine. ")
    window.until(lambda: "Mine." in window.find("#preview").get_property("textContent"))
    window.chrome.delete_all_cookies()  # the session ends
    window.press("Save")
    assert "nothing was saved" in window.find(".notice").text
    window.find("#token").send_keys(token.secret + Keys.ENTER)
    window.until(lambda: window.chrome.current_url.endswith(page))  # that of the sign-in page has it too
    window.until(lambda: "not saved yet" in window.find(".notice").text)
    window.until(lambda: editor().text.endswith("Mine."))
    window.until(lambda: "Mine." in window.find("#preview").get_property("textContent"))

    window.press("Save")
    window.until(lambda: "Saved as version 2" in window.find("main").text)
    window.open(page)
    assert not window.has(".notice")
    editor().send_keys("More. ")
    window.open("/console/board")  # WebDriver leaves a page without the question that a person is asked
    window.open(page)
    assert editor().text.endswith("More.")
    window.click(".notice button")
    window.until(lambda: editor().text.endswith("Mine."))
    assert not window.has(".notice")

    editor().send_keys("By a key. ")
    window.open("/console/board")
    window.open(page)
    editor().send_keys(Keys.CONTROL + "s")
    window.until(lambda: "Saved as version 3" in window.find("#toasts").text)
    assert not window.has("#main > .notice")

    editor().send_keys("Saved elsewhere.")
    saved = {"markdown": window.find("#markdown").get_attribute("value"), "baseVersion": 3}
    OPERATIONS["write_content"](project.context(), document["id"], fields=saved)
    window.open(page)
    assert not window.has(".notice")
    assert window.find("[name=baseVersion]").get_attribute("value") == "4"

    window.open(page.replace("edit", "brief"))
    window.find("#f-outline").send_keys("Why rye\nHow")
    window.open("/console/board")
    window.open(page.replace("edit", "brief"))
    assert window.find("#f-outline").get_attribute("value") == "Why rye\nHow"
    window.click(".me summary")
    window.click("[data-signs-out]")
    window.find("#token")
    assert window.chrome.execute_script("return localStorage.length") == 0
    assert window.problems() == []


def test_each_tab_stores_what_was_written_in_it_and_that_of_a_closed_tab_is_offered(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    page = f"/console/documents/{document['id']}/edit"

    def editor() -> WebElement:
        return window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")

    def opened(tab: str) -> str:
        """Opens the page in a tab and returns the text that is there."""
        window.chrome.switch_to.window(tab)
        window.open(page)
        return editor().text

    window.sign_in(project.token("Ingrid"), page)
    editor().send_keys("First. ")
    first = window.chrome.current_window_handle
    window.chrome.switch_to.new_window("tab")
    second = window.chrome.current_window_handle
    assert "First." not in opened(second)
    editor().send_keys("Second. ")
    duplicated = "sessionStorage.tab = arguments[0]; open(arguments[1])"
    tab = window.chrome.execute_script("return sessionStorage.tab")
    window.chrome.execute_script(duplicated, tab, page)
    [third] = {*window.chrome.window_handles} - {first, second}
    window.chrome.switch_to.window(third)
    editor().send_keys("Third. ")
    for one, text in ((first, "First."), (second, "Second."), (third, "Third.")):
        found = opened(one)
        assert [other for other in ("First.", "Second.", "Third.") if other in found] == [text]

    window.chrome.switch_to.window(second)
    window.chrome.close()
    window.chrome.switch_to.window(first)
    window.chrome.switch_to.new_window("tab")
    fourth = window.chrome.current_window_handle
    assert "Second." in opened(fourth)
    assert "not saved yet" in window.find(".notice").text
    window.press("Save")
    window.until(lambda: "Saved as version 2" in window.find("main").text)
    window.open(page)
    assert not window.has(".notice[data-ok=true]")
    assert "First." in opened(first)


@pytest.mark.parametrize(
    ("path", "field", "button"),
    [
        ("plan/many", "#table", "See what would happen"),
        ("administration", "#f-guidelines", "Save settings"),
        ("plan/categories", "#f-description", "Add category"),
    ],
)
def test_a_form_that_was_sent_after_the_session_ended_has_its_text_after_the_sign_in(
    window: Window, project: Project, path: str, field: str, button: str
) -> None:
    token = project.token("Ingrid")
    window.sign_in(token, f"/console/{path}")
    for name in window.chrome.find_elements(By.CSS_SELECTOR, "#f-name"):
        name.send_keys("Rye")
    window.find(field).send_keys("key,title\nrye,Rye\n")
    for box in window.chrome.find_elements(By.CSS_SELECTOR, "[name=fourEyes]"):
        box.send_keys(Keys.SPACE)
        assert window.chrome.execute_script(IS_COVERED, box) is False  # by the buttons, which stay in view
    window.chrome.delete_all_cookies()
    window.press(button)
    window.find("#token").send_keys(token.secret + Keys.ENTER)

    window.until(lambda: window.chrome.current_url.endswith(path))
    assert "not saved yet" in window.find(".notice").text
    assert window.find(field).get_attribute("value") == "key,title\nrye,Rye\n"
    assert all(box.is_selected() for box in window.chrome.find_elements(By.CSS_SELECTOR, "[name=fourEyes]"))
    window.press(button)
    if path == "plan/many":
        window.press("Start again")
        assert window.find(field).get_attribute("value") == "key\ttitle\nrye\tRye\n"
        window.press("See what would happen")
        window.press("Add 1 piece")
        assert "1 created" in window.find("#main > .notice").text
    window.open(f"/console/{path}")
    assert not window.has(".notice")


def test_a_changed_cell_is_not_checked_yet_and_enter_checks_it(window: Window, project: Project) -> None:
    OPERATIONS["create_member"](project.context(), fields={"name": "Jun Takeda"})
    window.sign_in(project.token("Ingrid"), "/console/plan/many")
    window.find("#table").send_keys("title;due;assignee\nRye;soon;Jun\nSalt;;\n")
    window.press("See what would happen")
    assert window.find("[name=confirmed]").get_attribute("data-kind") == "main"

    due = window.find("[name='cell.0.1'][aria-invalid]")
    due.clear()
    due.send_keys("2.4.2099")
    assert "Not checked yet" in window.find(".cells td:nth-child(3)").text
    assert not window.has(".cells [aria-invalid], .cells [data-ok=false]")
    assert window.find("[name=again]").get_attribute("data-kind") == "main"
    assert not window.find("[name=confirmed]").is_enabled()

    due.send_keys(Keys.ENTER)
    window.until(lambda: "2 Apr 2099" in window.find(".cells").text)
    window.press("Add 2 pieces")
    for box in window.chrome.find_elements(By.CSS_SELECTOR, "tbody [name=id]"):
        box.click()
    window.click("[value=offer]")
    assert window.find("#question-text").text.startswith("1 of 2 have an assignee")
    window.click("#question [value=yes]")
    window.until(lambda: "2 of 2 done" in window.find("h1").text)


def test_a_writer_who_was_overtaken_sees_both_texts(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    window.find("#remarks-left").find_element(By.XPATH, "../following-sibling::details/summary").click()
    assert "No brief was written." in window.find("main").text
    editor.send_keys("Mine. ")
    theirs = {"markdown": TEXT + "\nTheirs.\n", "baseVersion": 1}
    OPERATIONS["write_content"](project.context(project.token("Ada")), document["id"], fields=theirs)
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: "Ada saved version 2 while you are writing" in window.find("#meanwhile").text)
    assert "saving joins what you changed in different paragraphs" in window.find("#meanwhile").text

    window.press("Save")
    assert (
        "Ada saved version 2 while you were writing, with changes to the same paragraphs" in window.find(".notice").text
    )
    assert "Theirs." in window.find(".diff").text
    with screen(window, 1366, 700):
        diff = window.find(".diff")
        assert diff.get_property("clientHeight") == diff.get_property("scrollHeight")
        assert window.find(".editor").rect["height"] > 200
    window.press("Save mine over version 2")

    assert now(project, document)["version"] == 3


FAILURES: list[tuple[Exception, str]] = [
    (ServiceUnavailable(), "The service can't save the text right now. It is stored in this browser"),
    (RuntimeError("a bug"), "Report it with the request id "),
    (BudgetExceeded("Wait until 2026-11-23T16:38:45.686Z."), "Wait until 23 Nov 2026, 16:38 UTC. The text is"),
]


def test_a_save_that_fails_in_the_service_stays_in_the_editor(
    window: Window, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = an_unsaved_text(window, project)
    was_seen = threading.Event()
    for failure, says in FAILURES:

        def fail(*_: Any, failure: Exception = failure) -> str:
            was_seen.wait(60)
            raise failure

        with monkeypatch.context() as patch:
            patch.setattr("app.core.store.bodies.Bodies.add", fail)
            editor.send_keys(Keys.CONTROL + "s")
            window.until(lambda: was_seen.is_set() or "Still working on it" in window.find("#toasts").text)
            was_seen.set()
            window.until(lambda says=says: says in window.find("#toasts").text)
        assert "stored in this browser" in window.find("#toasts").text
    editor.send_keys(Keys.CONTROL + "s")
    window.until(lambda: "Saved as version 2" in window.find("#toasts").text)


def test_a_save_beyond_the_rate_limit_stays_in_the_editor_and_is_not_sent_again(
    window: Window, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = an_unsaved_text(window, project)
    sent = []

    def refuse() -> None:
        if request.endpoint == "console.save_text":
            sent.append(request.path)
            raise RateLimited()

    with monkeypatch.context() as patch:
        patch.setattr("app.console.sessions.bound_form", refuse)
        editor.send_keys(Keys.CONTROL + "s")
        window.until(lambda: "Too many requests" in window.find("body").text)
        assert "wait a minute, then try again. The text is stored" in window.find("#toasts").text
    assert len(sent) == 1
    editor.send_keys(Keys.CONTROL + "s")
    window.until(lambda: "Saved as version 2" in window.find("#toasts").text)


def test_a_message_has_its_time_in_the_readers_zone(window: Window, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Stollen")
    OPERATIONS["claim_brief"](project.context(project.token("Ada")), document["id"])
    window.sign_in(project.token("Ingrid"))
    window.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Pacific/Auckland"})
    try:
        address = f"{window.base}/console/documents/{document['id']}/actions/claim_brief"
        window.chrome.execute_script(SEND_FORM, address, {})
        time = window.find(".notice time")
        assert time.get_attribute("title").endswith(" UTC")
        assert "UTC" not in time.text
    finally:
        window.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_the_first_page_in_another_zone_has_its_times_in_that(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Stollen", markdown=TEXT)
    OPERATIONS["schedule_document"](project.context(), document["id"], fields={"publishAt": "2099-01-31T09:00:00Z"})
    window.sign_in(project.token("Ingrid"))
    try:
        for zone, time in (("America/New_York", "04:00"), ("Europe/Berlin", "10:00")):
            window.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
            window.open(f"/console/documents/{document['id']}")
            window.until(lambda time=time: window.find("#a-at").get_property("value") == f"2099-01-31T{time}")
    finally:
        window.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": ""})


def test_the_bulk_actions_fit_a_phone_whatever_the_members_are_called(window: Window, project: Project) -> None:
    ctx = project.context()
    OPERATIONS["create_member"](
        ctx, fields={"name": "Wolfeschlegelsteinhausenbergerdorff-Montgomery the Third of Aberystwyth and Llanelli"}
    )
    a_document(ctx, title="Rye")
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open("/console/table")
        window.click("#table [name=id]")
        window.until(lambda: window.find(".bulk").is_displayed())
        assert window.chrome.execute_script("return document.documentElement.scrollWidth") == 390
        assert window.chrome.execute_script(MOST_RIGHT, ".bulk > *") <= 374


MOST_RIGHT = (
    "return Math.max(...[...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect().right))"
)
HIGHEST = (
    "return Math.max(...[...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect().height))"
)


def test_the_tools_of_the_calendar_fit_a_phone_and_each_fact_of_a_card_has_one_line(
    window: Window, project: Project
) -> None:
    brief = {"wordCount": "1400-1800"}
    ada = OPERATIONS["create_member"](project.context(), fields={"name": "Hannah Okafor"}).body["id"]
    for status in ("idea", "planned", "drafting"):
        a_document(project.context(), title=status, status=status, dueDate="2026-04-12", brief=brief, assigneeId=ada)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 1440, 900):
        window.open("/console/board")
        assert "days late" in (late := window.find(".card .due").text)
        assert '"' not in late
        assert window.chrome.execute_script(HIGHEST, ".card .due, .card .words") < 24
    with screen(window, 390, 844):
        window.open("/console/calendar")
        assert window.chrome.execute_script(MOST_RIGHT, "#ways *") <= 374
        assert window.find("#ways").rect["y"] - window.find("h1").rect["y"] < 60


def test_the_board_fits_a_phone_and_says_where_it_shows_a_part(
    window: Window, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for title in ("Rye bread", "Spelt bread"):
        a_document(project.context(), title=title)
    monkeypatch.setattr("app.console.board.MOST", 1)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open("/console/board?q=bread")
        assert window.chrome.execute_script("return document.documentElement.scrollWidth") == 390
        cut = window.find("#cut")
        assert cut.rect["height"] > 0
        assert cut.rect["y"] + cut.rect["height"] <= window.find(".board").rect["y"]
        monkeypatch.setattr("app.console.board.MOST", 99)
        window.find("#q").send_keys(Keys.BACKSPACE * 5 + "rye")
        window.until(lambda: not window.find("#cut").is_displayed())


def test_the_board_of_an_empty_project_says_at_its_top_what_to_do(window: Window, project: Project) -> None:
    window.sign_in(project.token("Ingrid"), "/console/board")
    assert window.find(".empty .buttons").rect["y"] - window.find(".board").rect["y"] < 200


def test_a_field_beside_a_high_one_is_as_high_as_others(window: Window, project: Project) -> None:
    window.sign_in(project.token("Ingrid"), "/console/plan/clusters")
    assert window.find("#f-name").rect["height"] < 50


def test_a_long_slug_makes_no_row_of_the_table_as_high_as_a_screen(window: Window, project: Project) -> None:
    a_document(project.context(), title="Rye", slug="rye-" + "bread" * 30)
    window.sign_in(project.token("Ingrid"), "/console/table?" + "&".join(f"column={name}" for name in COLUMNS))
    assert window.find("#table tbody tr").rect["height"] < 300


def test_filters_are_in_a_short_address_are_announced_and_a_document_leads_back_to_them(
    window: Window, project: Project
) -> None:
    for title in ("Rye", "Stollen"):
        a_document(project.context(), title=title, status="planned")
    window.sign_in(project.token("Ingrid"))
    for path, found in (("table", "1 document"), ("board", "1 document")):
        window.open(f"/console/{path}")
        window.find("#q").send_keys("rye")
        window.until(lambda found=found: window.find("#found").get_attribute("textContent") == found)
        window.until(lambda path=path: window.chrome.current_url.endswith(f"/console/{path}?q=rye"))
        window.chrome.execute_script("document.querySelector('tbody th a, .card a').click()")
        window.until(lambda: "/documents/" in window.chrome.current_url)
        crumb = window.find(".crumbs a")
        assert crumb.text == path.capitalize()
        assert crumb.get_attribute("href").endswith(f"/console/{path}?q=rye")
    document = a_document(project.context(), markdown="Flour.", status="drafting")
    OPERATIONS["submit_document"](project.context(), document["id"])
    window.open("/console/inbox")
    window.click("[data-read]")
    window.until(lambda: window.find(".crumbs a").text == "Inbox")
    window.open("/console/table")
    menu = window.find("details.menu")
    menu.click()
    assert menu.get_attribute("open")
    window.click("h1")
    assert not menu.get_attribute("open")
    assert window.problems() == []


def test_the_number_of_more_filters_is_that_of_what_is_chosen(window: Window, project: Project) -> None:
    a_ready_brief(project.context(), title="Rye")
    window.sign_in(project.token("Ingrid"), "/console/table")
    window.click("#more-filters")
    for chosen, text in (("ready", "More filters (1)"), ("", "More filters")):
        Select(window.find("#p-briefState")).select_by_value(chosen)
        window.until(lambda text=text: window.find("#more-filters").text == text)
        assert window.find("#p-briefState").is_displayed()
    assert window.problems() == []


def test_filters_are_saved_as_a_view_renamed_and_deleted(window: Window, project: Project) -> None:
    for title, status in (("Rye", "planned"), ("Stollen", "idea")):
        a_document(project.context(), title=title, status=status)
    window.sign_in(project.token("Ingrid"), "/console/table")
    assert not window.has(".views summary")
    Select(window.find("#p-status")).select_by_value("planned")
    window.click(".views summary")
    window.find("#f-views").send_keys("Planned next")
    window.press("Save")
    assert window.find(".views [aria-current]").text == "Planned next"

    window.click(".views a")
    window.until(lambda: len(window.chrome.find_elements(By.CSS_SELECTOR, "#table tbody tr")) == 2)
    window.chrome.find_element(By.LINK_TEXT, "Planned next").click()
    window.until(lambda: window.chrome.current_url.endswith("/console/table?status=planned"))
    window.click(".views summary")
    window.find("#f-views").clear()
    window.find("#f-views").send_keys("Next")
    window.press("Rename")
    assert window.find(".views [aria-current]").text == "Next"
    window.click(".views summary")
    before = window.find("html")
    window.chrome.find_element(By.XPATH, "//button[text()='Delete']").click()
    window.click("#question button[value=yes]")
    window.until(lambda: window.find("html") != before)
    window.until(lambda: "Next is deleted." in window.find("#toasts .notice").text)
    assert not window.has(".views a")
    assert window.problems() == []


def test_a_slow_answer_is_said_to_be_awaited_and_a_failure_can_be_closed(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", dueDate="2099-01-10")
    window.sign_in(project.token("Ingrid"), "/console/calendar?day=2099-01-10")
    conditions = {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1}
    window.chrome.execute_cdp_cmd("Network.enable", {})
    window.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)
    window.chrome.execute_script(PUT_DOWN, ".piece", "[data-day='2099-01-15']")
    window.until(lambda: "Still working" in window.find("#toasts").text)
    window.until(lambda: "is due on" in window.find("#toasts").text)
    offline(window, True)
    window.chrome.execute_script(PUT_DOWN, ".piece", "[data-day='2099-01-20']")
    window.until(lambda: "can't be reached" in window.find("#toasts").text)
    window.click("#toasts button")
    assert window.find("#toasts").text == ""
    offline(window, False)
    assert now(project, document)["dueDate"] == "2099-01-15"


def test_a_review_goes_from_document_to_document_by_keys(window: Window, project: Project) -> None:
    ctx = project.context()
    rye, tea = (a_document(ctx, title=title, markdown=TEXT) for title in ("Rye", "Tea"))
    for document in (rye, tea):
        OPERATIONS["submit_document"](ctx, document["id"], fields={})
    window.sign_in(project.token("Ingrid"), "/console/table?status=review&sort=title")
    window.keys("j")
    assert window.chrome.switch_to.active_element.text == "Rye"
    window.keys("j")
    window.keys("k")
    window.keys(Keys.ENTER)
    window.until(lambda: window.chrome.current_url.endswith(rye["id"]))
    assert window.find(".steps").text == "1 of 2"

    window.find("#a-note").send_keys("Say which flour.", Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "Say which flour." in window.find(".note").text)
    window.keys("k")
    window.keys("j")
    window.until(lambda: window.chrome.current_url.endswith(tea["id"]))
    assert window.find(".steps").text == "2 of 2"
    assert window.find(".crumbs a").get_attribute("href").endswith("/console/table?status=review&sort=title")
    assert now(project, rye)["status"] == "drafting"

    window.open(f"/console/documents/{tea['id']}/fields")
    window.find("#f-subtitle").send_keys("A pot of it", Keys.CONTROL + "s")
    window.until(lambda: "Saved." in window.find("#toasts .notice").text)
    assert now(project, tea)["subtitle"] == "A pot of it"
    assert window.problems() == []


def test_what_was_done_by_mistake_is_undone(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", dueDate="2099-01-10", status="idea")
    window.sign_in(project.token("Ingrid"))
    window.chrome.execute_script(PUT_DOWN, f"#d-{document['id']}", ".column[data-status=planned]")
    window.find(f".column[data-status=planned] #d-{document['id']}")
    window.until(lambda: window.has("#toasts [data-undo]"))
    window.keys("z")
    window.find(f".column[data-status=idea] #d-{document['id']}")
    window.chrome.execute_script(PUT_DOWN, f"#d-{document['id']}", ".column[data-status=planned]")
    window.find(f".column[data-status=planned] #d-{document['id']}")
    window.until(lambda: window.has("#toasts [data-undo]"))
    OPERATIONS["update_document"](project.context(), document["id"], fields={"status": "drafting"})
    window.keys("z")
    window.until(lambda: "Somebody else has moved it meanwhile" in window.find("#toasts").text)
    assert now(project, document)["status"] == "drafting"

    window.open("/console/calendar?day=2099-01-10")
    window.chrome.execute_script(PUT_DOWN, ".piece", "[data-day='2099-01-15']")
    window.find("[data-day='2099-01-15'] .piece")
    window.click("#toasts [data-undo]")
    window.find("[data-day='2099-01-10'] .piece")
    assert (now(project, document)["dueDate"], now(project, document)["status"]) == ("2099-01-10", "drafting")

    window.open(f"/console/documents/{document['id']}")
    window.click("#all-actions")
    window.click("#act-delete_document")
    yes = window.find("#question button[value=yes]")
    assert (yes.text, yes.get_attribute("data-kind")) == ("Move to trash", "danger")
    yes.click()
    window.until(lambda: "is in the trash." in window.find("#toasts").text)
    window.keys("z")
    window.until(lambda: window.chrome.current_url.endswith(document["id"]))
    assert "It is restored" in window.find("#toasts .notice").text
    assert window.problems() == []


def test_in_a_table_keys_send_the_bulk_action_that_has_the_focus_alone(window: Window, project: Project) -> None:
    rye, tea = (a_document(project.context(), title=title) for title in ("Rye", "Tea"))
    window.sign_in(project.token("Ingrid"), "/console/table?sort=title")
    window.keys("j")
    window.chrome.switch_to.active_element.send_keys(Keys.CONTROL + Keys.ENTER)
    window.click(f"input[name=id][value='{tea['id']}']")
    window.chrome.switch_to.active_element.send_keys(Keys.CONTROL + Keys.ENTER)
    assert window.chrome.current_url.endswith("/console/table?sort=title")

    window.click(".bulk summary")
    window.chrome.execute_script("document.querySelector('#b-due').value = '2099-01-10'")
    window.find("#b-due").send_keys(Keys.CONTROL + Keys.ENTER)
    window.until(lambda: now(project, tea)["dueDate"] == "2099-01-10")
    assert now(project, rye)["dueDate"] is None


def test_on_paper_are_dark_texts_without_what_is_pressed(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"))
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    window.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    try:
        for path, shown in ((f"documents/{document['id']}", ".prose"), ("board", ".card"), ("calendar", ".days")):
            window.open(f"/console/{path}")
            assert window.find(shown).is_displayed()
            pressed = window.chrome.find_elements(By.CSS_SELECTOR, ".side, .tabs, .filters, .actions, main .button")
            assert not any(one.is_displayed() for one in pressed), path
            assert window.find("main").value_of_css_property("color") == "rgba(30, 29, 26, 1)"
        window.open("/console/board")
        board = "const board = document.querySelector('#board'); return board.scrollWidth - board.clientWidth"
        assert window.chrome.execute_script(board) == 0
    finally:
        window.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


def test_what_is_written_from_right_to_left_is_read_so(window: Window, project: Project) -> None:
    markdown = "مرحبا بالعالم!\n\n- أولا\n\nIn English."
    document = a_document(project.context(), title="مرحبا (2026)!", markdown=markdown)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    starts = """
        const range = document.createRange();
        return [...document.querySelectorAll(".prose :is(p, li)")].map((one) => {
          range.selectNodeContents(one);
          const [text, paper] = [range, document.querySelector(".prose")].map((box) => box.getBoundingClientRect());
          return Math.abs(text.right - paper.right) < Math.abs(text.left - paper.left) ? "right" : "left";
        });
    """
    assert window.chrome.execute_script(starts) == ["right", "right", "left"]
    assert window.find("h1").value_of_css_property("unicode-bidi") == "plaintext"
    window.open(f"/console/documents/{document['id']}/fields")
    assert window.find("#f-title").value_of_css_property("unicode-bidi") == "plaintext"


def test_what_came_of_an_action_is_read_aloud_and_keys_work_after_it(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.press("Submit for review")
    window.until(lambda: "It is submitted for review." in window.find("#toasts[aria-live=polite]").text)
    window.keys("g")
    window.keys("b")
    window.until(lambda: window.chrome.current_url.endswith("/console/board"))
    assert window.chrome.switch_to.active_element.tag_name == "body"


def test_actions_stay_open_while_others_work_and_a_time_that_is_past_is_not_sent(
    window: Window, project: Project
) -> None:
    ctx = project.context()
    document = a_document(ctx, title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.click("#all-actions")
    window.chrome.execute_script("document.querySelector('#act-publish_document').focus()")
    OPERATIONS["update_document"](ctx, document["id"], fields={"subtitle": "The other bread"})
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: "The other bread" in window.find("#document").text)
    assert window.find("#act-publish_document").is_displayed()
    assert window.chrome.switch_to.active_element.get_attribute("id") == "act-publish_document"

    window.chrome.execute_script("document.querySelector('#a-at').value = '2020-01-31T09:00'")
    window.click("#act-schedule_document")
    assert window.chrome.execute_script("return document.querySelector('#a-at').validity.rangeUnderflow")
    assert window.find("#a-at").get_attribute("value") == "2020-01-31T09:00"


@pytest.fixture(scope="module")
def full(store: Store) -> tuple[Token, list[str], list[tuple[str, dict[str, str], str]]]:
    """A project with one of everything, the addresses of its pages, and forms with what the page they lead to says."""
    project = a_project(store)
    ctx = project.context(project.token("Ingrid"))
    member = OPERATIONS["create_member"](ctx, fields={"name": "Hannah Okafor"}).body["id"]
    brief = {"keyword": "sourdough", "outline": "What it is\nDay by day", "wordCount": "1200"}
    document = a_document(ctx, markdown=TEXT, brief=brief, assigneeId=member, dueDate="2020-01-31")
    OPERATIONS["write_content"](ctx, document["id"], fields={"markdown": TEXT + "\nMore.\n", "baseVersion": 1})
    OPERATIONS["request_changes"](
        ctx, OPERATIONS["submit_document"](ctx, document["id"], fields={}).body["id"], fields={"note": "Say more."}
    )
    a_ready_brief(ctx, title="Stollen", dueDate=ctx.now.date().isoformat())
    OPERATIONS["claim_brief"](ctx, a_ready_brief(ctx, title="Panettone")["id"])
    out = a_document(ctx, title="Salt", markdown=TEXT)
    OPERATIONS["publish_document"](ctx, out["id"], fields={})
    category = made(ctx, "category", name="Bread", slug="bread")["id"]
    cluster = made(ctx, "cluster", name="Starters", keywords=["levain"])["id"]
    hook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://hooks.example.org/x"}).body["id"]
    OPERATIONS["test_webhook"](ctx, hook)
    people = ("", "/members", f"/members/{member}", "/tokens", f"/tokens/{project.token().id}")
    administration = (*people, "/webhooks", f"/webhooks/{hook}")
    tabs = ("", "/edit", "/fields", "/brief", "/checks", "/revisions", "/activity")
    addresses = [
        "/board",
        "/table",
        "/insight",
        "/insight/dates",
        "/plan",
        "/plan/many",
        "/plan/categories",
        f"/plan/categories/{category}",
        "/plan/clusters",
        f"/plan/clusters/{cluster}",
        "/calendar",
        "/calendar?view=week",
        "/nowhere",
    ]
    addresses += [f"/administration{page}" for page in administration]
    one, table = f"/documents/{document['id']}", "key\ttitle\trye\n"
    forms = [
        ("/table", {"bulk": "offer", "id": out["id"], f"title.{out['id']}": "Salt"}, "0 of 1 done"),
        (
            "/plan/many",
            {"table": "key\ttitle\tcategory\nrye\tRye\tBread\nsalt\tSalt\tNowhere\n"},
            "1 new, 1 to correct",
        ),
        ("/plan/many", {"table": "title\tcategory\nTea\tNowhere\nRye\t\n", "confirmed": "yes"}, "1 to correct"),
        ("/plan/many", {"table": table}, "no pieces"),
        ("/plan/many", {"table": "Title\tDue\tBy\nRye\tsoon\tx\nSalt\t3/4/2099\tx\n"}, "1 new, 1 to correct"),
        ("/plan", {"title": "", "then": "plan"}, "New document"),
        (f"{one}/edit", {"markdown": "Mine.", "baseVersion": "1"}, "not saved yet"),
        (f"{one}/fields", {"title": "", "was.title": "x"}, "Title"),
        (
            f"/administration/tokens/{ctx.caller.token_id}/revert",
            {"since": wire_time(ctx.now - timedelta(days=1))},
            "This would happen",
        ),
        ("/administration/tokens", {"name": "Agent", "kind": "management", "scopes": "read"}, "The new token"),
        ("/administration/tokens", {"name": "", "kind": "management", "scopes": "read"}, "Create a token"),
        ("/table/views?status=idea", {"name": " "}, "Must not be blank"),
        ("/administration/webhooks", {"url": "ftp://nowhere"}, "Add a webhook"),
    ]
    store[Outboxes].publish_all(project.id)
    return project.token("Ingrid"), [*addresses, *(f"{one}{tab}" for tab in tabs)], forms


@pytest.mark.clients
def test_axe_finds_nothing_in_light_and_in_dark(
    window: Window, full: tuple[Token, list[str], list[tuple[str, dict[str, str], str]]]
) -> None:
    token, addresses, forms = full
    examiner = Examiner(window)

    def look(address: str) -> None:
        window.open(f"/console{address}")
        examiner.examine(address)

    def send(address: str, fields: dict[str, str], says: str) -> None:
        window.open("/console/plan")
        before = window.find("html")
        window.chrome.execute_script(SEND_FORM, f"/console{address}", fields)
        window.until(lambda: window.find("html") != before and window.find("main"))
        assert says in window.find("main").text
        examiner.examine(f"{address} {fields}")

    look("/sign-in")
    look("/join")
    window.sign_in(token)
    for address in addresses:
        look(address)
    for form in forms:
        send(*form)

    assert examiner.found == {}


def test_offline_every_button_stays_on_the_page_and_says_so(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown="Flour.\n", status="drafting")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/fields")
    window.find("[name=title]").send_keys(" bread")
    offline(window, True)
    window.click("form[data-draft] .button[data-kind=main]")
    window.until(lambda: "You are offline" in window.find("#toasts").text)
    assert window.chrome.current_url.endswith("/fields")
    offline(window, False)
    window.click("form[data-draft] .button[data-kind=main]")
    window.until(lambda: now(project, document)["title"] == "Rye bread")
