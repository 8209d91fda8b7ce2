"""An editor's week in Chromium, at a desk and on a phone: planning from a sheet, offering, reviewing, scheduling."""

from typing import Any

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from app.core.context import Context
from app.core.store.outbox import Outboxes
from tests.console.browser import Window
from tests.console.test_in_a_browser import screen
from tests.make import OPERATIONS, Project

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.needs_mongod,
]

PIECES = (
    *("Roggenbrot für Anfänger", "Stollen im Advent", "Vom Mahlen", "Salz im Teig", "Brötchen am Sonntag"),
    *("Hefe oder Sauerteig", "Der Ofen", "Dinkel", "Pizza vom Stein", "Knäckebrot", "Baguette", "Zopf"),
)
SHEET = "Titel\tFällig am\tRubrik\tSuchbegriff\tWörter\tStatus\n" + "".join(
    f"{title}\t{day}.3.2099\t{'Brot' if day % 2 else 'Kuchen'}\t{title.lower()}\t900\tGeplant\n"
    for day, title in enumerate(PIECES, 1)
)
TEXT = "Mehl, Wasser und Salz.\n"
PASTE = """
const field = document.querySelector("#table");
field.value = arguments[0];
field.dispatchEvent(new Event("input", { bubbles: true }));
"""
SELECT = "[...document.querySelectorAll('[name=id]')].slice(0, arguments[0]).forEach((box) => box.click())"
IN_MARCH = "document.querySelector('#a-at').value = '2099-03-10T09:30'"
IS_TOO_WIDE = "return document.documentElement.scrollWidth > innerWidth + 1"


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_a_week_of_an_editor(window: Window, project: Project, base: str, width: int, height: int) -> None:
    OPERATIONS["update_project"](project.context(), fields={"previewUrl": f"{base}/docs?piece={{slug}}"})
    agent = project.context(project.token("Night writer", agent="writer-1"))
    with screen(window, width, height):
        window.sign_in(project.token("Ingrid"))
        plan_a_sheet(window)
        offer_eight(window)
        titles = [review_twice(window, agent) for _ in range(3)]
        for title in titles[:2]:
            schedule(window, title)
        see_the_calendar(window)
        find(window, "stol", "Stollen im Advent")
        window.click(".actions a[href*='/docs']")
        console, site = window.chrome.window_handles
        window.chrome.switch_to.window(site)
        window.until(lambda: "/docs?piece=stollen-im-advent" in window.chrome.current_url)
        window.chrome.close()
        window.chrome.switch_to.window(console)
    assert window.problems() == []
    statuses = [one["status"] for one in documents(project)]
    assert {status: statuses.count(status) for status in statuses} == {"planned": 9, "scheduled": 2, "approved": 1}


def plan_a_sheet(window: Window) -> None:
    """Pastes the sheet and plans its pieces, with two categories that the project does not have yet."""
    opened(window, "/console/plan/many")
    window.chrome.execute_script(PASTE, SHEET)
    window.press("See what would happen")
    assert "12 to correct" in window.find("main").text
    for names in window.chrome.find_elements(By.CSS_SELECTOR, ".names select"):
        Select(names).select_by_visible_text("Make it new")
    fits(window)
    window.press("Check again")
    assert "12 new" in window.find("main").text
    assert not window.has(".cells [aria-invalid]")
    window.press("Add 12 pieces")
    assert "12 created" in window.find("main").text


def offer_eight(window: Window) -> None:
    """Offers the briefs of the first eight pieces, from where they were planned."""
    window.chrome.execute_script(SELECT, 8)
    window.until(lambda: window.find("[data-selected]").text == "8 selected")
    window.press("Offer briefs")
    assert "8 of 8 done" in window.find("h1").text
    opened(window, "/console/board")
    assert len(window.chrome.find_elements(By.CSS_SELECTOR, ".card [data-state=ready]")) == 8


def review_twice(window: Window, agent: Context) -> str:
    """Has an agent write a piece, asks for changes, and approves it once they are made; returns its title."""
    claimed = OPERATIONS["claim_next_brief"](agent, fields={}).body
    submit(agent, claimed["id"], TEXT)
    opened(window, f"/console/documents/{claimed['id']}")
    window.find("#a-note").send_keys("Welches Mehl?")
    window.press("Request changes")
    assert "Welches Mehl?" in window.find("main").text
    submit(agent, claimed["id"], "Roggenmehl, Wasser und Salz.\n")
    window.until(lambda: "In review" in window.find("#facts").text)
    opened(window, f"/console/documents/{claimed['id']}")
    window.press("Approve")
    assert "Approved" in window.find("#facts").text
    return str(claimed["title"])


def submit(agent: Context, id: str, markdown: str) -> None:
    """Writes the text as an agent, and submits it for review."""
    version = OPERATIONS["get_document"](agent, id).body["version"]
    OPERATIONS["write_content"](agent, id, fields={"markdown": markdown, "baseVersion": version})
    OPERATIONS["submit_document"](agent, id, fields={})
    agent.store[Outboxes].publish_all(agent.project_id)


def schedule(window: Window, title: str) -> None:
    """Finds a piece and schedules it."""
    find(window, title.rpartition(" ")[2][:4].lower(), title)
    window.find("#a-at")
    window.chrome.execute_script(IN_MARCH)
    window.press("Schedule")
    assert "It is scheduled: it goes out 10 Mar 2099, 09:30." in window.find(".notice").text
    assert "It goes out" in window.find(".actions").text
    assert not window.has(".actions [data-kind=main]")


def see_the_calendar(window: Window) -> None:
    """Sees on which day and at which time they go out."""
    opened(window, "/console/calendar?day=2099-03-10")
    day = window.find("[data-day='2099-03-10']")
    assert [one.text for one in day.find_elements(By.CSS_SELECTOR, ".at")] == ["09:30", "09:30"]


def find(window: Window, beginning: str, title: str) -> None:
    """Finds a piece by the beginning of a word, and opens it."""
    window.click("[data-opens-palette]")
    field = window.find("#palette input")
    field.send_keys(beginning)
    window.until(lambda: title in window.find("#palette [aria-selected]").text)
    field.send_keys(Keys.ENTER)
    window.until(lambda: window.has(".title h1") and window.find(".title h1").text == title)
    fits(window)


def opened(window: Window, path: str) -> None:
    """Opens a page, which fits on the screen."""
    window.open(path)
    window.find("main h1")
    fits(window)


def fits(window: Window) -> None:
    """Checks that nobody has to scroll the page sideways."""
    assert not window.chrome.execute_script(IS_TOO_WIDE), window.chrome.current_url


def documents(project: Project) -> list[dict[str, Any]]:
    """Returns the documents of a project."""
    fields = {"sort": "title", "limit": 100, "offset": 0}
    found: list[dict[str, Any]] = OPERATIONS["list_documents"](project.context(), fields=fields).body
    return found
