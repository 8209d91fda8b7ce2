"""The inbox in headless Chromium: the bell's number, and lines that are done with a key (decisions, section 19)."""

import os
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from selenium.webdriver.common.by import By

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.notices.messages import mail_of
from app.notices.rules import NoticeLine
from app.notices.vocabulary import WaitKind
from tests.console.browser import Window
from tests.console.test_in_a_browser import screen
from tests.make import OPERATIONS, Project, a_document

pytestmark = [pytest.mark.needs_mongod, pytest.mark.browser, pytest.mark.slow]

PICTURES = os.environ.get("PICTURES", "")
"""A folder for pictures of the pages at the widths of a telephone and of a desktop; none are made without it."""


def take_pictures(window: Window, name: str) -> None:
    for width in (390, 1440) if PICTURES else ():
        window.chrome.set_window_size(width, 900)
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        window.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        window.chrome.save_screenshot(str(Path(PICTURES) / f"{name}-{width}.png"))
        window.chrome.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    window.chrome.set_window_size(1280, 900)


def test_lines_are_done_with_a_key_and_the_number_follows(window: Window, project: Project, tmp_path: Path) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada Example", "email": "ada@example.org"}).body
    token = project.token("Ada Example", memberId=ObjectId(ada["id"]))
    titles = ("Rye bread for beginners", "How long a starter keeps in the refrigerator, and how to wake it")
    documents: list[Any] = []
    for title in titles:
        made = a_document(ctx, title=title, slug=f"rye-{len(documents)}", markdown="Rye.", assigneeId=ada["id"])
        documents.append(OPERATIONS["submit_document"](ctx, made["id"]).body)
    late = a_document(ctx, title="Flour", slug="flour", markdown="Flour.", dueDate="2026-01-31")
    OPERATIONS["open_thread"](ctx, late["id"], fields={"text": "Which?", "level": "must"})
    window.sign_in(token)
    take_pictures(window, "board")
    window.until(lambda: window.find("nav .count").text == "4")
    oats = OPERATIONS["submit_document"](ctx, a_document(ctx, title="Oats", slug="oats", markdown="Oats.")["id"]).body
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: window.find("nav .count").text == "5")  # the board is live, and the bell with it
    window.click(f"#m-{oats['id']}")
    window.click("#move input[value=approved]")
    window.click("#move [value=move]")
    window.until(lambda: window.find("nav .count").text == "4")
    window.keys("gn")
    window.find(".inbox [data-read]")
    take_pictures(window, "inbox")

    window.keys("jj")
    window.keys("x")  # resolving the thread is the opener's, so this answers it: the line's form opens
    window.until(lambda: window.has("details[open] textarea"))
    window.chrome.switch_to.active_element.send_keys("Rye flour.")
    take_pictures(window, "inbox-open")
    window.click("details[open] button")
    window.until(lambda: window.find("nav .count").text == "3")

    for left in ("2", "1"):
        rows = window.chrome.find_elements(By.CSS_SELECTOR, "tbody tr:not([data-done])")
        [*_, row] = [row for row in rows if "Waits for review" in row.text]
        row.find_element(By.CSS_SELECTOR, "[data-read]").send_keys("x")  # opens what is to be approved
        window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "act-approve_document")
        window.press("Approve")
        window.until(lambda left=left: window.find("nav .count").text == left)
        window.open("/console/inbox")
    window.open("/console/inbox/settings")
    take_pictures(window, "settings")
    assert window.problems() == []
    take_mail(window, tmp_path)


def test_a_form_that_is_opened_with_the_mouse_has_the_cursor(window: Window, project: Project) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada", "email": "ada@example.org"}).body
    document = a_document(ctx, title="Rye", markdown="Rye.", assigneeId=ada["id"])
    OPERATIONS["open_thread"](ctx, document["id"], fields={"text": "Which?", "level": "must"})
    window.sign_in(project.token("Ada", memberId=ObjectId(ada["id"])), "/console/inbox")

    window.click(".inbox summary")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("name") == "text")
    window.keys("Rye flour.")
    assert window.find("details[open] textarea").get_property("value") == "Rye flour."


FARTHEST = (
    "return Math.max(...[...document.querySelectorAll('.inbox *')].map((one) => one.getBoundingClientRect().right))"
)


def test_why_something_can_not_be_done_is_whole_on_a_phone(window: Window, project: Project) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada Example"}).body["id"]
    document = a_document(ctx, title="Rye", markdown="Rye.", assigneeId=ada)
    OPERATIONS["submit_document"](ctx, document["id"], fields={})
    threads = [{"text": text, "level": "must"} for text in ("Which?", "How long?")]
    OPERATIONS["request_changes"](ctx, document["id"], fields={"note": "Two remarks.", "threads": threads})
    with screen(window, 390, 844):
        window.sign_in(project.token("Ada Example", memberId=ObjectId(ada)), "/console/inbox")
        assert "2 Must remarks are open: answer or resolve them first." in window.find(".inbox").text
        assert window.chrome.execute_script(FARTHEST) <= 390


def take_mail(window: Window, folder: Path) -> None:
    """Shows an e-mail of several lines."""
    note = "Say which flour, and how fine: readers ask. " * 5
    kinds = (WaitKind.CHANGES, WaitKind.REVIEW, WaitKind.THREAD, WaitKind.OVERDUE)
    lines = [
        NoticeLine(kind=kind, documentId="0" * 24, title=f"How to begin <a sourdough> starter {kind}", by=by, text=text)
        for kind, by, text in zip(
            kinds, ("Ingrid", "writer-1 (Night)", "Jun", ""), (note[:200], "", "Rye.", ""), strict=True
        )
    ]
    options = {"project": "The Crust", "public_url": "https://cms.example.org", "off": "https://cms.example.org/off"}
    message = mail_of(lines, sender="a@example.org", to="ada@example.org", at=this_instant(), **options)
    html, text = message.get_body(("html",)), message.get_body(("plain",))
    assert html
    assert text
    (folder / "mail.html").write_text(html.get_content())
    window.chrome.get((folder / "mail.html").as_uri())
    take_pictures(window, "mail")
    if PICTURES:
        (Path(PICTURES) / "mail.txt").write_text(text.get_content())
