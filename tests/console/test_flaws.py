"""What stopped an editor in the console, in Chromium: each was seen before it was mended."""

from typing import Any

import pytest
from bson import ObjectId
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from app.core.store.outbox import Outboxes
from tests.console.browser import Window
from tests.console.test_in_a_browser import now, screen
from tests.make import OPERATIONS, Project, a_document

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

TEXT = "Flour and water.\n\n## Day by day\n\nFeed it each morning.\n"
IS_SCROLLED = "const at = document.querySelector(arguments[0]); at.scrollTop = arguments[1]; return at.scrollTop"
HEIGHT = "return document.querySelector('.side').getBoundingClientRect().height"
COLOUR = "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor"
OVERFLOWS = """
return [...document.querySelectorAll(".card")].flatMap((card) => [...card.querySelectorAll(".due, .words, .person")]
  .filter((part) => part.getBoundingClientRect().right > card.getBoundingClientRect().right - 4)
  .map((part) => part.textContent));
"""
TOUCHES = """
return [...document.querySelectorAll(".foot:has(.person)")].flatMap((foot) => {
  const person = foot.querySelector(".person").getBoundingClientRect();
  return [...foot.querySelectorAll(".due, .words")].flatMap((part) => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return [...range.getClientRects()].filter((line) => line.bottom > person.top && line.right > person.left - 4);
  });
}).length;
"""
ABOVE_HEADS = """
const board = document.querySelector("#board").getBoundingClientRect();
const heads = document.querySelectorAll(".column:has(.card) h2");
return [...heads].map((head) => head.getBoundingClientRect().top - board.top);
"""
ROWS_OF_TOOLS = """
const tops = [...document.querySelectorAll(arguments[0])].filter((one) => one.checkVisibility() && one.offsetHeight)
  .map((one) => { const at = one.getBoundingClientRect(); return Math.round((at.top + at.bottom) / 2 / 12); });
return new Set(tops).size;
"""
LINES = """
const { top, bottom } = document.querySelector(".editor").getBoundingClientRect();
const end = Math.min(bottom, document.querySelector(".writing > .buttons").getBoundingClientRect().top);
const line = document.querySelector(".editor").shadowRoot.querySelector(".cm-line");
return (end - top) / parseFloat(getComputedStyle(line).lineHeight);
"""


def skipping_clocks(window: Window, zone: str) -> None:
    """Shows pages in another time zone."""
    window.chrome.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})


def published(project: Project, **fields: Any) -> dict[str, Any]:
    """Makes a document that is published."""
    document = a_document(project.context(), **fields)
    made: dict[str, Any] = OPERATIONS["publish_document"](project.context(), document["id"], fields={}).body
    return made


def test_going_back_never_asks_to_send_a_form_again(window: Window, project: Project) -> None:
    """Chromium shows a page of its own in place of one that a form was answered with (ERR_CACHE_MISS)."""
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), "/console/plan/many")
    window.chrome.execute_script("document.querySelector('textarea').value = 'Title\\nStollen\\n'")
    window.press("See what would happen")
    window.press("Add 1 piece")
    window.click(".grid th a")
    window.until(lambda: window.has(".title h1"))
    for _ in range(3):
        window.chrome.back()
        window.until(lambda: window.has("#main h1") and window.find("#main h1").text == "Plan")

    window.open("/console/table?sort=title")
    window.click("tbody tr:last-child input[type=checkbox]")
    window.press("Offer briefs")
    window.click("main a[href*='/documents/']")
    window.until(lambda: window.has(".title h1"))
    window.chrome.back()
    window.until(lambda: "sort=title" in window.chrome.current_url and window.find("#main h1").text == "Table")

    window.open(f"/console/documents/{document['id']}/fields")
    window.chrome.execute_script("document.querySelector('[name=slug]').value = 'a b/c'")
    window.press("Save")
    window.find("[aria-invalid]")
    window.click(".tabs a")
    window.until(lambda: window.has("#document"))
    window.chrome.back()
    window.until(lambda: window.has("[name=slug]"))
    assert [one for one in window.problems() if "422" not in one] == []


def test_messages_lie_over_the_page_and_deleting_leads_back(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    window.sign_in(project.token("Ingrid"), "/console/table?q=rye")
    window.click("tbody th a")
    window.until(lambda: window.has("#act-submit_document"))
    top = window.find(".title").rect["y"]
    window.press("Submit for review")
    assert "submitted" in window.find("#toasts .notice").text
    assert window.find(".title").rect["y"] == top

    window.click("#all-actions")
    window.click("#act-delete_document")
    window.click("#question button[value=yes]")
    window.until(lambda: window.chrome.current_url.endswith("/console/table?q=rye"))
    assert "“Rye” is in the trash." in window.find("#toasts").text
    window.click("#toasts [data-undo]")
    window.until(lambda: window.has(".title h1"))
    assert now(project, document)["deletedAt"] is None
    assert window.problems() == []


def test_the_board_and_the_table_keep_their_shape(window: Window, project: Project) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada Example"}).body
    brief = {"wordCount": "1400-1800", "keyword": "rye"}
    for number in range(14):
        fields = {"title": f"Rye bread {number}", "dueDate": "2026-01-31", "assigneeId": ada["id"], "brief": brief}
        a_document(ctx, markdown=TEXT, status="drafting", **fields)
    for number in range(3):
        document = a_document(ctx, title=f"Oats {number}", markdown=TEXT)
        OPERATIONS["schedule_document"](ctx, document["id"], fields={"publishAt": "2099-11-30T08:45:00Z"})
    a_document(ctx, title="Idea", status="idea")
    window.sign_in(project.token("Ingrid"))
    for width, height in ((1440, 900), (1100, 800), (390, 844)):
        with screen(window, width, height):
            window.open("/console/board")
            assert window.chrome.execute_script(OVERFLOWS) == []
            assert window.chrome.execute_script(TOUCHES) == 0
    with screen(window, 1440, 900):
        window.open("/console/board")
        assert window.chrome.execute_script(IS_SCROLLED, "#board", 105) == 105
        assert max(window.chrome.execute_script(ABOVE_HEADS)) <= 0
        window.open("/console/board?q=idea")
        assert window.find(".card").rect["width"] < 420
        window.open("/console/table")
        window.click("tbody input[type=checkbox]")
        selected = window.chrome.execute_script(COLOUR, "tbody tr")
        window.find("tbody tr:first-child th").click()
        assert window.chrome.execute_script(COLOUR, "tbody tr") == selected
    assert window.problems() == []


def test_a_phone_has_room_for_what_is_written(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Proofing baskets, bowls and colanders", markdown=TEXT)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        for page in ("board", "calendar", "inbox", f"documents/{document['id']}/edit"):
            window.open(f"/console/{page}")
            window.find("main h1")
            assert window.chrome.execute_script(HEIGHT) < 64, page
        window.until(lambda: window.has(".editor"))
        window.until(lambda: window.chrome.execute_script(LINES) >= 10)
        window.open("/console/calendar")
        assert window.chrome.execute_script(ROWS_OF_TOOLS, ".bar h1, .bar .button, .bar select") == 2
        window.click(".me summary")
        window.find(".me .small a[href$='/pictures']").click()
        window.until(lambda: window.chrome.current_url.endswith("/console/pictures"))
    assert window.problems() == []


def test_who_is_to_write_writes_first_and_what_is_live_says_so(window: Window, project: Project) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada", "role": "editor"}).body
    document = a_document(ctx, title="Rye", markdown=TEXT, status="drafting", assigneeId=ada["id"])
    token = project.token("Ada", memberId=ObjectId(ada["id"]))
    window.sign_in(token, f"/console/documents/{document['id']}")
    assert window.find(".actions .button").text == "Write on"
    assert window.find(".actions [data-kind=main]").text == "Write on"

    live = published(project, title="Live", slug="live", markdown=TEXT)
    window.open(f"/console/documents/{live['id']}/edit")
    window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content").send_keys("New. ")
    window.press("Save, not live yet")
    assert "not live yet" in window.find("#toasts .notice").text
    link = window.find(".action:has(#act-publish_document) a")
    assert link.text == "See what changes on the website"
    link.click()
    window.until(lambda: window.has(".diff .added"))
    assert "New." in window.find(".diff").text
    assert window.problems() == []


def test_a_time_that_clocks_skip_is_asked_about(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    OPERATIONS["approve_document"](project.context(), document["id"], fields={})
    skipping_clocks(window, "Europe/Berlin")
    try:
        window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
        window.find("#a-at")
        window.chrome.execute_script("document.querySelector('#a-at').value = '2099-03-29T02:30'")
        window.click("#act-schedule_document")
        window.until(lambda: "29 March at 03:30 meant" in window.find("#question-text").text)
        window.click("#question [data-cancels]")
        assert now(project, document)["status"] == "approved"
        window.click("#act-schedule_document")
        window.click("#question [value=yes]")
        window.until(lambda: "it goes out 29 Mar 2099, 03:30" in window.find("#toasts").text)
    finally:
        skipping_clocks(window, "")
    assert now(project, document)["publishAt"] == "2099-03-29T01:30:00.000Z"
    assert window.problems() == []


def test_a_view_that_is_saved_is_named_at_once_and_statuses_change_in_bulk(window: Window, project: Project) -> None:
    documents = [a_document(project.context(), title=title, status="idea") for title in ("Rye", "Oats")]
    window.sign_in(project.token("Ingrid"), "/console/table?status=idea")
    window.click("#views summary")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("name") == "name")
    window.keys("Ideas" + Keys.ENTER)
    window.until(lambda: "Ideas is saved" in window.find("#toasts").text)
    window.click("thead input[type=checkbox]")
    window.click(".bulk summary")
    window.chrome.execute_script("document.querySelector('#b-status').value = 'planned'")
    window.press("Set status")
    assert "2 of 2 done" in window.find("h1").text
    assert {now(project, one)["status"] for one in documents} == {"planned"}
    assert window.problems() == []


def test_what_is_done_in_the_inbox_moves_no_other_line(window: Window, project: Project) -> None:
    ctx = project.context()
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada"}).body
    for title in ("Rye", "Oats"):
        document = a_document(ctx, title=title, slug=title.lower(), markdown=TEXT, assigneeId=ada["id"])
        OPERATIONS["open_thread"](ctx, document["id"], fields={"text": f"Which {title}?", "level": "must"})
    project.store[Outboxes].publish_all(project.id)
    window.sign_in(project.token("Ada", memberId=ObjectId(ada["id"])), "/console/inbox")
    places = [one.rect["y"] for one in window.chrome.find_elements(By.CSS_SELECTOR, "#table th a")]
    window.click(".inbox summary")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("name") == "text")
    window.keys("Whole.")
    window.click("details[open] button")
    window.until(lambda: window.has("#table [data-done]"))
    assert [one.rect["y"] for one in window.chrome.find_elements(By.CSS_SELECTOR, "#table th a")] == places
    assert window.problems() == []


def test_what_is_approved_from_the_inbox_stays_in_its_place_there(window: Window, project: Project) -> None:
    ctx = project.context()
    for title in ("Rye", "Oats", "Spelt"):
        document = a_document(ctx, title=title, slug=title.lower(), markdown=TEXT)
        OPERATIONS["submit_document"](ctx, document["id"])
    window.sign_in(project.token("Ingrid"), "/console/inbox")
    lines = [one.text for one in window.chrome.find_elements(By.CSS_SELECTOR, "#table th a")]
    window.find("#table tbody:nth-of-type(2) [data-acts]").click()
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "act-approve_document")
    window.press("Approve")
    window.until(lambda: window.find("[data-back]").text == "Inbox")
    window.click("[data-back]")
    done = window.find("#table tbody:nth-of-type(2) [data-done]")
    assert [one.text for one in window.chrome.find_elements(By.CSS_SELECTOR, "#table th a")] == lines
    assert window.chrome.switch_to.active_element == done.find_element(By.CSS_SELECTOR, "[data-read]")
    assert not done.find_elements(By.CSS_SELECTOR, "[data-acts]")
    window.chrome.refresh()
    window.until(lambda: len(window.chrome.find_elements(By.CSS_SELECTOR, "#table tbody")) == 2)
    assert window.problems() == []


def test_an_invitation_names_the_project_and_both_people(window: Window, project: Project) -> None:
    ctx = project.context(project.token("Ingrid"))
    ada = OPERATIONS["create_member"](ctx, fields={"name": "Ada Example"}).body
    link = OPERATIONS["invite_member"](ctx, ada["id"], fields={}).body["link"]
    window.chrome.get("about:blank")
    window.open("/console/join#" + link.partition("#")[2])
    window.until(lambda: "invites" in window.find("h1").text)
    assert window.find("h1").text == "Ingrid invites Ada Example to The Crust"
    window.press("Accept")
    window.until(lambda: window.has("main a") and not window.has("[name=invitation]"))
    assert window.problems() == []


BESIDE = """
const host = document.querySelector(".editor");
const line = [...host.shadowRoot.querySelectorAll(".cm-line")].find((one) => one.textContent.includes(arguments[1]));
const [thread, words] = [document.querySelector(arguments[0]), line].map((one) => one.getBoundingClientRect());
return thread.left >= host.getBoundingClientRect().right && Math.abs(thread.top - words.top) < 40;
"""
MARKED = "return [...(CSS.highlights.get('thread') ?? [])].map(String)"
IS_CUT = """
const bottom = (one) => one.getBoundingClientRect().bottom;
const all = document.querySelector("#remarks");
return [...all.querySelectorAll(".thread")].some((one) => bottom(one) > bottom(all) + 1);
"""


def test_remarks_stand_beside_their_passage_while_a_text_is_revised(window: Window, project: Project) -> None:
    ctx = project.context()
    text = "\n\n".join(f"Paragraph {number}: the dough rests, and then it is folded again." for number in range(40))
    brief = {"wordCount": "400", "keyword": "rye"}
    document = a_document(ctx, title="Rye", markdown=text, status="drafting", brief=brief)
    remarks = []
    for number in (30, 4, 5):
        fields = {"text": f"Which dough is it? {number}", "quote": {"exact": f"Paragraph {number}: the"}}
        remarks.append(OPERATIONS["open_thread"](ctx, document["id"], fields=fields).body["id"])
    window.sign_in(project.token("Ingrid"))
    with screen(window, 1440, 900):
        window.open(f"/console/documents/{document['id']}/edit")
        window.find("[data-revised]")
        for number, remark in ((4, remarks[1]), (30, remarks[0])):
            window.chrome.execute_script("document.querySelector(arguments[0]).scrollIntoView()", f"#t-{remark}")
            window.until(
                lambda remark=remark, number=number: window.chrome.execute_script(
                    BESIDE, f"#t-{remark}", f"Paragraph {number}:"
                )
            )
        assert not window.chrome.execute_script(IS_CUT)
        window.until(lambda: "Paragraph 30: the" in window.chrome.execute_script(MARKED))
        assert "words of 400" in window.find(".writing > .buttons").text
    with screen(window, 700, 900):  # the same page, narrower
        window.until(lambda: not window.has("[data-revised]"))
        summary, cards = (window.find(part).rect for part in ("#remarks-left", "#remarks"))
        assert 0 <= cards["y"] - summary["y"] - summary["height"] < 40
    with screen(window, 390, 844):
        window.open(f"/console/documents/{document['id']}/edit")
        window.until(lambda: window.has(".editor") and window.chrome.execute_script(LINES) >= 10)
    assert window.problems() == []


BESIDE_WORDS = """
const root = document.querySelector(".editor").shadowRoot;
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (one) => one.data.includes(arguments[1]) ? 1 : 3);
const range = new Range();
range.selectNode(walker.nextNode());
const { bottom } = range.getBoundingClientRect();
return Math.abs(document.querySelector(arguments[0]).getBoundingClientRect().top - bottom) < 60;
"""


def test_a_remark_stands_beside_its_words_in_a_long_paragraph(window: Window, project: Project) -> None:
    ctx = project.context()
    text = "The dough rests, and then it is folded again. " * 60 + "\n**Bake it.**\n"
    document = a_document(ctx, title="Rye", markdown=text, status="drafting")
    fields = {"text": "How hot?", "quote": {"exact": "Bake it."}}
    thread = OPERATIONS["open_thread"](ctx, document["id"], fields=fields).body["id"]
    window.sign_in(project.token("Ingrid"))
    with screen(window, 1440, 900):
        window.open(f"/console/documents/{document['id']}/edit")
        window.find("[data-revised]")
        window.until(lambda: window.chrome.execute_script(BESIDE_WORDS, f"#t-{thread}", "Bake it."))


def test_a_record_is_dated_with_its_year(window: Window, project: Project) -> None:
    ctx = project.context(project.token("Ingrid"))
    document = a_document(ctx, title="Rye", markdown=TEXT)
    review = {"facts": True, "sources": True, "examined": "Every step."}
    OPERATIONS["approve_document"](ctx, document["id"], fields={"review": review})
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/record/{document['version']}")
    window.until(lambda: not window.has("time[data-time]"))
    year = str(ctx.now.year)
    times = [one.text for one in window.chrome.find_elements(By.CSS_SELECTOR, ".record time[title]")]
    assert times
    assert all(year in time for time in times)
    assert window.problems() == []


def test_a_table_that_is_wider_than_a_phone_scrolls_and_cuts_no_word(window: Window, project: Project) -> None:
    words = "Breadmaking|Wholemeal|Temperature|Fermentation"
    table = f"{words}\n-|-|-|-\n{words}\n"
    document = a_document(project.context(), title="Rye", markdown=table)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open(f"/console/documents/{document['id']}")
        heights = {cell.rect["height"] for cell in window.chrome.find_elements(By.CSS_SELECTOR, ".prose :is(th, td)")}
        assert max(heights) < 45, "each has one line"
        assert window.chrome.execute_script("return document.documentElement.scrollWidth <= innerWidth")
