"""The console in headless Chromium: an editor reviews and publishes, the board follows, and axe-core finds nothing."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from app.server import create_app
from app.settings import Settings
from app.store.store import Store
from app.vocabulary import Scope
from tests.clients.npm import installed
from tests.live import serving, until
from tests.make import OPERATIONS, Project, Token, a_document, a_project, a_ready_brief, made

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod, pytest.mark.timeout(180)]

AXE = Path(__file__).parent / "axe"
TEXT = "A starter is flour, water and *patience*.\n\n## Day by day\n\nFeed it each morning.\n"
RUN_AXE = """
const done = arguments[arguments.length - 1];
const places = (one) => one.nodes.map((node) => node.target.join(" "));
axe.run(arguments[0]).then((found) => done(found.violations.map((one) => [one.id, places(one)])));
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


class Window:
    """A browser at the console of one project."""

    def __init__(self, chrome: webdriver.Chrome, base: str) -> None:
        self.chrome, self.base = chrome, base

    def sign_in(self, token: Token) -> None:
        """Signs in with a token, whoever was signed in before."""
        self.chrome.delete_all_cookies()
        self.open("/console/sign-in")
        self.find("#token").send_keys(token.secret + Keys.ENTER)
        self.until(lambda: "/console/board" in self.chrome.current_url)

    def open(self, path: str) -> None:
        """Opens a page."""
        self.chrome.get(self.base + path)

    def find(self, selector: str) -> WebElement:
        """Returns the first element that a selector finds, as soon as there is one."""
        found: list[WebElement] = self.until(lambda: self.chrome.find_elements(By.CSS_SELECTOR, selector))
        return found[0]

    def has(self, selector: str) -> bool:
        """Returns whether a selector finds something now."""
        return bool(self.chrome.find_elements(By.CSS_SELECTOR, selector))

    def press(self, label: str) -> None:
        """Presses the button with a label, and confirms what it asks."""
        before = self.chrome.find_element(By.TAG_NAME, "html")
        button = self.chrome.find_element(By.XPATH, f"//main//button[normalize-space()='{label}']")
        asks = button.find_element(By.XPATH, "..").get_attribute("data-question")
        button.click()
        if asks:
            self.find("#question button[value=yes]").click()
        self.until(lambda: self.chrome.find_element(By.TAG_NAME, "html") != before)

    def keys(self, keys: str) -> None:
        """Presses keys where the focus is."""
        self.chrome.switch_to.active_element.send_keys(keys)

    def in_scheme(self, scheme: str) -> None:
        """Has pages be shown in light or in dark."""
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})

    def until(self, what: Any) -> Any:
        """Waits until something is true, and returns it."""
        waiting = WebDriverWait(self.chrome, 10, 0.05, ignored_exceptions=[StaleElementReferenceException])
        return waiting.until(lambda _: what())

    def problems(self) -> list[str]:
        """Returns what the browser complained of, a breach of the content security policy above all."""
        return [entry["message"] for entry in self.chrome.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One headless Chromium for all tests of this file."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        missing = "No Chromium and chromedriver were found (Debian: apt-get install chromium chromium-driver)."
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(f"{missing} The console was not looked at.")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('chrome')}")
    options.add_argument("--proxy-server=direct://")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(driver))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def base(store: Store) -> Iterator[str]:
    """The address of a server."""
    settings = Settings(mongodb_uri="mongodb://given", rate_limit=0, failed_auth_limit=0, log_level="CRITICAL")
    app: Flask = create_app(settings, store)
    with pytest.MonkeyPatch.context() as patch, serving(app) as address:
        patch.setattr("app.console.live.WAIT_SECONDS", 2)
        yield address
    until(lambda: "watch feeds" not in {thread.name for thread in threading.enumerate()})


@pytest.fixture
def window(chrome: webdriver.Chrome, base: str) -> Window:
    """The browser."""
    chrome.get_log("browser")
    return Window(chrome, base)


def now(project: Project, document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document as it is now."""
    record: dict[str, Any] = OPERATIONS["get_document"](project.context(), document["id"]).body
    return record


def test_an_editor_writes_reviews_and_publishes(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Your first loaf", status="drafting")
    window.sign_in(project.token("Ingrid"))

    window.open(f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    editor.send_keys("## Day one?\n\n- Flour\nWater")
    window.until(lambda: "<h2>Day one?</h2>" in window.find("#preview").get_attribute("innerHTML"))
    editor.send_keys(Keys.CONTROL + "s")
    window.until(lambda: "Saved as version 2" in window.find("main").text)
    assert [item.text for item in window.chrome.find_elements(By.CSS_SELECTOR, ".prose li")] == ["Flour", "Water"]

    window.press("Submit for review")
    window.find("#a-note").send_keys("Say which flour.")
    window.press("Request changes")
    assert "Say which flour." in window.find(".note").text
    window.press("Submit for review")
    window.press("Approve")
    window.press("Publish now")

    assert (now(project, document)["status"], now(project, document)["publishedVersion"]) == ("published", 2)
    assert window.problems() == []


def test_the_board_follows_and_cards_are_moved_by_mouse_and_by_keys(window: Window, project: Project) -> None:
    ctx = project.context()
    first = a_document(ctx, title="Rye", status="idea", markdown=TEXT)
    project.store.outboxes.publish_all(project.id)
    window.sign_in(project.token("Ingrid"))

    arriving = a_ready_brief(ctx, title="Stollen", status="planned")
    project.store.outboxes.publish_all(project.id)
    window.find(f"#d-{arriving['id']}")

    window.chrome.execute_script(PUT_DOWN, f"#d-{first['id']}", ".column[data-status=review]")
    window.find(f".column[data-status=review] #d-{first['id']}")
    assert now(project, first)["status"] == "review"

    window.chrome.execute_script("document.querySelector(arguments[0]).focus()", f"#d-{arriving['id']} a")
    window.keys("m")
    window.find("#move input[value=published]").click()
    window.find("#move button[value=move]").click()
    window.until(lambda: "has no content" in window.find("#toasts").text)
    assert now(project, arriving)["status"] == "planned"

    window.keys("?")
    assert window.find("#keys").is_displayed()
    window.keys(Keys.ESCAPE)
    window.find("#q").send_keys("rye")
    window.until(lambda: not window.has(f"#d-{arriving['id']}") and "q=rye" in window.chrome.current_url)
    assert window.problems() == []


def test_a_piece_is_dragged_to_another_day(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", dueDate="2099-01-10")
    window.sign_in(project.token("Ingrid"))
    window.open("/console/calendar?day=2099-01-10")

    window.chrome.execute_script(PUT_DOWN, ".piece", "[data-day='2099-01-15']")
    window.find(f"[data-day='2099-01-15'] [data-id='{document['id']}']")

    assert now(project, document)["dueDate"] == "2099-01-15"
    assert window.problems() == []


def test_a_writer_who_was_overtaken_sees_both_texts(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"))
    window.open(f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    editor.send_keys("Mine. ")
    theirs = {"markdown": TEXT + "\nTheirs.\n", "baseVersion": 1}
    OPERATIONS["write_content"](project.context(), document["id"], fields=theirs)

    window.press("Save")
    assert "Your text is not saved yet" in window.find(".notice").text
    assert "Theirs." in window.find(".diff").text
    window.press("Save mine over version 2")

    assert now(project, document)["version"] == 3


def test_pieces_are_planned_from_a_pasted_table_and_offered_together(window: Window, project: Project) -> None:
    window.sign_in(project.token("Ingrid"))
    window.open("/console/plan/many")
    paste = "document.querySelector('#table').value = arguments[0]"
    window.chrome.execute_script(paste, "key\ttitle\nrye\tRye\nstollen\tStollen\nsalt\tSalt\n")
    window.press("See what would happen")
    assert "3 created. Nothing is changed yet." in window.find("main").text
    window.press("Plan 3 pieces")

    window.open("/console/table?sort=title")
    assert not window.find(".bulk").is_displayed()
    first, _, last = window.chrome.find_elements(By.CSS_SELECTOR, "#table tbody [name=id]")
    first.click()
    webdriver.ActionChains(window.chrome).key_down(Keys.SHIFT).click(last).key_up(Keys.SHIFT).perform()
    window.until(lambda: "3 selected" in window.find(".bulk").text)
    window.press("Offer briefs")

    assert "Offer briefs: 3 of 3 done" in window.find("h1").text
    listed = OPERATIONS["list_briefs"](project.context(), fields={"state": ["ready"], "limit": 10, "offset": 0})
    assert len(listed.body) == 3
    assert window.problems() == []


def test_who_may_only_read_is_offered_nothing_else(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("A reader", scopes=[Scope.READ]))
    assert not window.has("[data-move], [draggable=true]")

    window.open(f"/console/documents/{document['id']}")
    assert not window.has(".actions, .tabs a[href$=edit]")
    status = window.chrome.execute_async_script(
        """
        const [url, done] = arguments;
        const body = new URLSearchParams({ _csrf: document.querySelector("[name=csrf-token]").content });
        fetch(url, { method: "POST", body }).then((response) => response.text()).then(done);
        """,
        f"/console/documents/{document['id']}/actions/delete_document",
    )
    assert "needs a token with the scope `publish`" in status.replace("&#39;", "'")
    assert now(project, document)["deletedAt"] is None


@pytest.fixture(scope="module")
def full(store: Store) -> tuple[Token, list[str]]:
    """A project with one of everything, and the addresses of its pages."""
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
    out = a_document(ctx, title="Salt", markdown=TEXT)
    OPERATIONS["publish_document"](ctx, out["id"], fields={})
    made(ctx, "category", name="Bread", slug="bread")
    hook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://hooks.example.org/x"}).body["id"]
    OPERATIONS["test_webhook"](ctx, hook)
    people = ("", "/members", f"/members/{member}", "/tokens", f"/tokens/{project.token().id}")
    administration = (*people, "/webhooks", f"/webhooks/{hook}")
    tabs = ("", "/edit", "/fields", "/brief", "/checks", "/revisions", "/activity")
    addresses = [
        "/board",
        "/table",
        "/insight",
        "/plan",
        "/plan/many",
        "/plan/categories",
        "/calendar",
        "/calendar?view=week",
        "/nowhere",
    ]
    addresses += [f"/administration{page}" for page in administration]
    return project.token("Ingrid"), [*addresses, *(f"/documents/{document['id']}{tab}" for tab in tabs)]


@pytest.mark.clients
def test_axe_finds_nothing_in_light_and_in_dark(window: Window, full: tuple[Token, list[str]]) -> None:
    axe = (installed(AXE, "the accessibility of the console") / "axe-core" / "axe.min.js").read_text("utf-8")
    token, addresses = full
    found: dict[str, Any] = {}

    def look(address: str) -> None:
        window.open(f"/console{address}")
        window.in_scheme("light")
        found[address] = window.chrome.execute_async_script(axe + RUN_AXE, {})
        window.in_scheme("dark")
        found[f"{address} in dark"] = window.chrome.execute_async_script(RUN_AXE, {"runOnly": ["color-contrast"]})

    look("/sign-in")
    look("/join")
    window.sign_in(token)
    for address in addresses:
        look(address)

    assert {address: problems for address, problems in found.items() if problems} == {}
