"""An article from nothing to the website by people who neither type nor see a mark of markdown."""

import re
import time

import pytest
from selenium.webdriver.common.keys import Keys

from app.core.vocabulary import Scope
from tests.console.browser import Window
from tests.console.test_in_a_browser import screen
from tests.console.test_pasting import press, text_of
from tests.console.test_pictures import transfer
from tests.console.test_writing import content, keys, opened, seen, write_article
from tests.images.pictures import a_picture
from tests.live import quickest
from tests.make import OPERATIONS, Project

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

MARKS = ("**", "##", "](", "| -", "[^", "- Rye", "![", "#picture", "/media/")
FRAMES = 200
SCROLL = """
const done = arguments[arguments.length - 1];
const scrolls = [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-scroller")][0];
let left = arguments[0];
scrolls.scrollTop = 0;
function tick() {
  scrolls.scrollTop += 60;
  if ((left -= 1)) requestAnimationFrame(tick);
  else done(scrolls.scrollTop);
}
requestAnimationFrame(tick);
"""
PART = """## Part {n}

Flour, **water** and _patience_: feed it [every morning](https://a.example/{n}) with `flour`, and wait.[^{n}]

- Rye
  - coarse
- [ ] Water

| Day | Flour |
| - | - |
| One | **50 g** |

> Bread is bread.

[^{n}]: Page {n}

"""


def test_an_article_with_a_table_two_pictures_and_a_footnote_is_written_reviewed_and_published(
    window: Window, project: Project
) -> None:
    window.sign_in(project.token("Ingrid", scopes=[Scope.READ, Scope.WRITE]), "/console/plan")
    window.find("[name=title]").send_keys("Day by day")
    window.press("Plan")
    window.click_tab("Write")
    write_article(window)
    for seed, words in ((51, "A jar of starter"), (52, "A round loaf")):
        content(window).click()
        press(window, Keys.CONTROL, Keys.HOME)
        keys(window, Keys.END)
        transfer(window, "paste", a_picture(seed=seed), name="IMG_1.png")
        window.find(".uploads input").send_keys(words + Keys.ENTER)
        window.until(lambda: not window.has(".uploads li"))
        window.until(lambda one=words: one in seen(window))
    assert [one for one in MARKS if one in seen(window)] == []
    markdown = text_of(window)
    assert len(re.findall(r"!\[A (?:jar of starter|round loaf)\]\(http\S+/media/\S+\)", markdown)) == 2
    window.press("Save and submit")
    window.until(lambda: "It is submitted for review." in window.find("main").text)
    fields = {"sort": "title", "limit": 10, "offset": 0}
    [document] = OPERATIONS["list_documents"](project.context(), fields=fields).body
    assert document["status"] == "review"

    window.sign_in(project.token("Mara"), f"/console/documents/{document['id']}")
    paper = window.find("article.paper, .paper").text
    assert [one for one in MARKS if one in paper] == []
    window.press("Approve")
    window.press("Publish now")
    window.until(lambda: "Published" in window.find("#facts").text)
    published = project.store.database.publications.find_one({"slug": document["slug"]})
    assert published is not None
    body = project.store.database.bodies.find_one({"_id": published["htmlId"]})
    assert body is not None
    html = body["text"]
    counts = {mark: html.count(mark) for mark in ("<table", "<img", "<sup", "<strong>", "<h2", "<h3")}
    assert counts == {"<table": 1, "<img": 2, "<sup": 1, "<strong>": 1, "<h2": 1, "<h3": 1}
    assert window.problems() == []


def test_a_text_of_200_kb_scrolls_within_the_frames_of_a_slow_computer(window: Window, project: Project) -> None:
    text = "".join(PART.format(n=n) for n in range(1, 1_000))[:200_000]
    with screen(window, 1440, 900):
        opened(window, project, text)
        time.sleep(1)  # what a page does after it is loaded is not what is measured
        chrome = window.chrome
        chrome.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

        def seconds() -> float:
            found = chrome.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
            return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

        def scroll() -> None:
            assert chrome.execute_async_script(SCROLL, FRAMES) > 60 * FRAMES * 0.9

        a_frame = quickest(scroll, FRAMES / 240, seconds) / FRAMES
        chrome.execute_cdp_cmd("Performance.disable", {})
    print(f"{a_frame * 4000:.1f} ms a frame at a quarter of the speed")
    assert a_frame * 4 < 1 / 60
