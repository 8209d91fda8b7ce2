"""What makes the console quick, in Chromium: the palette, the toolbar, links by their titles, columns set aside."""

from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from app.core.store.outbox import Outboxes
from tests.console.browser import Window
from tests.console.test_in_a_browser import now, screen
from tests.make import OPERATIONS, Project, a_document, a_ready_brief

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

TEXT = "Flour and water.\n"
NAVIGATION_ENDS = (
    "return Math.max(...[...document.querySelectorAll('.side nav a')].map((a) => a.scrollWidth - a.clientWidth))"
)
WIDTHS = "return [...document.querySelectorAll('.column')].map((column) => column.offsetWidth)"
WIDER = "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
BOARD_FITS = "const board = document.querySelector('#board'); return board.scrollWidth <= board.clientWidth"


def chosen(window: Window, beginning: str) -> None:
    """Opens the palette by its key, and chooses what begins like this."""
    window.click("main")
    window.keys(Keys.CONTROL + "k" + Keys.NULL)
    window.find("#palette input").send_keys(beginning)
    window.until(lambda: beginning in window.find("#palette [aria-selected]").text.lower())
    window.find("#palette input").send_keys(Keys.ENTER)


def test_the_palette_opens_pieces_and_pages_and_does_what_can_be_done(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="How to begin a sourdough starter", markdown=TEXT)
    window.sign_in(project.token("Ingrid"))
    chosen(window, "cal")
    window.until(lambda: "/console/calendar" in window.chrome.current_url)
    chosen(window, "sour")
    window.until(lambda: window.chrome.current_url.endswith(document["id"]))
    chosen(window, "submit")
    window.until(lambda: "In review" in window.find("#facts").text)
    chosen(window, "request")
    assert window.chrome.switch_to.active_element.get_attribute("id") == "a-note"
    assert window.problems() == []


def test_the_palette_begins_with_what_changes_nothing_and_shows_a_time_that_is_proposed(
    window: Window, project: Project
) -> None:
    ctx = project.context()
    document = a_document(ctx, title="Rye", markdown=TEXT, dueDate="2099-01-31")
    OPERATIONS["approve_document"](ctx, document["id"], fields={})
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.keys(Keys.CONTROL + "k" + Keys.NULL)
    first = window.find("#palette [aria-selected]")
    assert first.text.split() == ["Write", "Page"]
    assert "Publish now" in window.find("#palette").text
    window.keys(Keys.ESCAPE)
    chosen(window, "schedule")
    assert window.chrome.switch_to.active_element.get_attribute("id") == "a-at"
    assert now(project, document)["status"] == "approved"


def test_the_actions_of_a_document_do_not_make_its_page_wider_than_the_window(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT * 200, status="drafting")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.click("#all-actions")
    assert "Approve and record your review" in window.find(".rail").text
    for width in (1024, 1200, 1280, 1440):
        with screen(window, width, 800):
            assert not window.chrome.execute_script(WIDER), width


def test_pages_are_as_wide_as_a_phone(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, status="drafting")
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        for page in (
            "board",
            "calendar",
            "table",
            *(f"documents/{document['id']}{tab}" for tab in ("", "/edit", "/sources")),
        ):
            window.open(f"/console/{page}")
            assert not window.chrome.execute_script(WIDER), page


def test_the_toolbar_writes_markdown(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="drafting")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    editor.send_keys("Rye")
    for tool in ("bold", "heading"):
        editor.send_keys(Keys.CONTROL + "a" + Keys.NULL)
        window.click(f"[data-tool={tool}]")
    window.click("[data-tool=table]")
    editor.send_keys(Keys.CONTROL + Keys.END + Keys.NULL, Keys.ENTER)
    window.click("[data-tool=list]")
    editor.send_keys("Sour")  # after the sign, on a line that was empty
    editor.send_keys(Keys.SHIFT + Keys.HOME + Keys.NULL, Keys.CONTROL + "k" + Keys.NULL)
    address = window.find("#address-url")
    assert window.chrome.switch_to.active_element == address
    address.send_keys("nonsense" + Keys.ENTER)
    assert address.is_displayed()
    address.clear()
    address.send_keys("https://example.org/a_(b)" + Keys.ENTER)
    preview = window.find("#preview")
    window.until(lambda: "<strong>Rye</strong></h2>" in preview.get_attribute("innerHTML"))
    window.until(lambda: "<table>" in preview.get_attribute("innerHTML"))
    window.until(lambda: '<a href="https://example.org/a_(b)"' in preview.get_attribute("innerHTML"))
    window.until(lambda: window.find("[data-words]").text == "2 words")
    assert window.problems() == []


def test_who_writes_learns_at_once_that_an_agent_claimed_the_piece(window: Window, project: Project) -> None:
    document = a_ready_brief(project.context(), title="Rye", status="planned")
    project.store[Outboxes].publish_all(project.id)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    editor.send_keys("Mine. ")
    agent = project.context(project.token("Night writer", agent="writer-1"))
    OPERATIONS["claim_brief"](agent, document["id"], fields={})
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: "writer-1 (Night writer) claimed this piece" in window.find("#meanwhile").text)

    window.click("#meanwhile button")
    window.click("#question [value=yes]")
    window.until(lambda: "is withdrawn" in window.find("#toasts").text)
    assert now(project, document)["brief"]["state"] == "none"
    assert "Mine." in editor.text


def test_links_of_a_brief_are_found_by_their_titles(window: Window, project: Project) -> None:
    ctx = project.context()
    flour, salt = (a_document(ctx, title=title) for title in ("Which flour?", "Salt"))
    document = a_document(ctx, title="Rye", brief={"internalLinks": [salt["id"]]})
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/brief")
    assert window.find(".chosen").text.splitlines()[0] == "Salt"
    search = window.find("input[type=search][placeholder='Search titles']")
    search.send_keys("flo")
    window.until(lambda: "Which flour?" in window.find(".found").text)
    search.send_keys(Keys.ENTER)
    window.until(lambda: "Which flour?" in window.find(".chosen").text)
    window.click(".chosen button[aria-label='Remove Salt']")
    window.press("Save brief")
    assert now(project, document)["brief"]["internalLinks"] == [flour["id"]]


def test_all_columns_fit_a_desk_and_those_set_aside_stay_so(window: Window, project: Project) -> None:
    ctx = project.context()
    made: dict[str, Any] = {}
    for step in ("submit", "approve", "publish"):
        made[step] = a_document(ctx, title=step, markdown=TEXT)
        OPERATIONS[f"{step}_document"](ctx, made[step]["id"], fields={})
    OPERATIONS["schedule_document"](ctx, made["approve"]["id"], fields={"publishAt": "2099-01-31T09:00:00Z"})
    for status in ("idea", "planned", "drafting"):
        a_document(ctx, title=status, status=status)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 1440, 900):
        window.open("/console/board")
        assert window.chrome.execute_script(BOARD_FITS)
        idea, approved = (window.chrome.execute_script(WIDTHS)[at] for at in (0, 4))
        assert (idea > 150, approved < 60) == (True, True)
        window.click(".column[data-status=idea] .fold")
        window.open("/console/board")
        assert window.chrome.execute_script(WIDTHS)[0] < 60
        window.click(".column[data-status=idea] .fold")
        assert window.chrome.execute_script(WIDTHS)[0] > 150


def test_a_phone_opens_where_something_waits_and_shows_the_whole_navigation(window: Window, project: Project) -> None:
    ctx = project.context()
    a_document(ctx, title="Idea", status="idea")
    waits = a_document(ctx, title="Waits", markdown=TEXT)
    OPERATIONS["submit_document"](ctx, waits["id"], fields={})
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open("/console/board")
        window.until(lambda: 0 <= window.find(f"#d-{waits['id']}").rect["x"] < 60)
        assert window.chrome.execute_script(NAVIGATION_ENDS) <= 0
        window.open("/console/board?q=idea")
        window.until(lambda: 0 <= window.find(".card").rect["x"] < 60)


def test_enter_in_a_dialog_does_what_the_dialog_is_for(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT, status="drafting")
    window.sign_in(project.token("Ingrid"))
    window.click(f"#m-{document['id']}")
    window.click("#move input[value=review]")
    window.find("#move input[value=review]").send_keys(Keys.ENTER)
    window.until(lambda: now(project, document)["status"] == "review")
    window.click(f"#m-{document['id']}")
    window.click("#move [data-cancels]")
    assert now(project, document)["status"] == "review"
    assert window.problems() == []


CHECKED = "## Flour\n\nRye keeps all week.[^s7]\n\n" + "Water is added.\n\n" * 60 + "The last one is TODO\nand later.\n"


def test_a_check_names_its_passage_and_leads_there(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=CHECKED)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.click(".beside:has([hx-get$='/checks']) summary")
    window.until(lambda: "“The last one is TODO and later.”, under the heading “Flour”" in window.find(".checks").text)
    shown = window.find(".checks").text
    assert "Source 7 is cited but not listed" in shown
    assert "[^" not in shown
    assert "Line" not in shown
    text = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    text.send_keys("New. ")
    window.find(".checks").find_element(By.PARTIAL_LINK_TEXT, "The last one").click()
    window.keys("X")
    window.until(lambda: "\nXThe last one is TODO" in window.find("#markdown").get_property("value"))

    window.press("Save")
    window.open(f"/console/documents/{document['id']}")
    window.until(lambda: window.find(".checks").find_element(By.PARTIAL_LINK_TEXT, "XThe last").click() or True)
    window.until(lambda: window.chrome.execute_script(IS_SEEN, "XThe last one"))


IS_SEEN = """const p = [...document.querySelectorAll('.prose p')].find(one => one.textContent.startsWith(arguments[0]));
const {top, bottom} = p.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight"""
