"""A review in headless Chromium: remarks on selected words, a revision by an agent, visitors by link.

(decisions, section 17)
"""

import json
from typing import Any

import pytest
from flask import Flask
from selenium.webdriver.common.keys import Keys

from app.core.store.outbox import Outboxes
from app.core.vocabulary import Scope
from app.review.vocabulary import ThreadState
from tests.console.accessibility import Examiner
from tests.console.browser import Window
from tests.console.test_in_a_browser import now, screen
from tests.make import OPERATIONS, Project, Token, a_document, a_ready_brief
from tests.mcp_tools.client import Agent

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

TEXT = """A starter is flour, water and *patience*.

## What you need

- Whole-grain flour
- Water, lukewarm

## Day by day

Feed it each morning. Throw half away, and feed it each morning again.

Nothing much happens on the second day.
"""
SELECT = """
const [selector, words, number] = arguments;
const nodes = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
let text = "";
const ends = [];
while (nodes.nextNode()) {
  text += nodes.currentNode.data;
  ends.push([nodes.currentNode, text.length]);
}
let at = -1;
for (let count = 0; count <= number; count += 1) at = text.indexOf(words, at + 1);
const placed = (offset) => {
  const [node, end] = ends.find(([, end]) => offset <= end);
  return [node, offset - end + node.length];
};
const range = document.createRange();
range.setStart(...placed(at + (text[at - 1] === undefined ? 0 : 0)));
range.setEnd(...placed(at + words.length));
getSelection().removeAllRanges();
getSelection().addRange(range);
document.activeElement.blur();
"""


def select(window: Window, words: str, number: int = 0, within: str = ".prose") -> None:
    """Selects words of the text, where they stand for the `number`th time."""
    window.chrome.execute_script(SELECT, within, words, number)


def remark(window: Window, key: str, text: str, button: str = "keep") -> None:
    """Writes a remark on what is selected, by keys."""
    window.keys(key)
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "c-text")
    window.keys(text)
    if button == "keep":
        window.keys(Keys.CONTROL + Keys.ENTER)
        window.until(lambda: not window.has(".composing[open]"))


def threads_of(project: Project, document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the threads of a document by what was remarked first."""
    listed = OPERATIONS["list_threads"](
        project.context(), document["id"], fields={"state": list(ThreadState), "limit": 200, "offset": 0}
    ).body
    return {one["comments"][0]["text"]: one for one in listed}


PLACES = (
    """return ['.prose', '.threads', '.rail'].map((part) => document.querySelector(part).getBoundingClientRect())"""
)


def test_a_text_has_a_measure_to_read_with_remarks_beside_it_and_without(window: Window, project: Project) -> None:
    document = a_document(project.context(), markdown=TEXT)
    with screen(window, 1440, 900):
        window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
        text, threads, rail = window.chrome.execute_script(PLACES)
        assert text["width"] >= 570
        assert text["bottom"] < threads["top"], "nothing is beside the text until there is a remark"
        assert text["right"] < rail["left"]

        select(window, "Nothing much")
        window.keys("s")
        window.find(".composing[open]")
        text, threads, rail = window.chrome.execute_script(PLACES)
        assert text["width"] >= 570
        assert text["right"] < threads["left"] < threads["right"] < rail["left"]


def submitted(project: Project, writer: Token | None = None, **settings: Any) -> dict[str, Any]:
    """Makes a text that an agent wrote and submitted."""
    ctx = project.context()
    if settings:
        OPERATIONS["update_project"](ctx, fields=settings)
    document = a_ready_brief(ctx, title="Your first loaf")
    agent = project.context(writer or project.token("Night writer", agent="writer-1"))
    OPERATIONS["claim_brief"](agent, document["id"], fields={})
    OPERATIONS["write_content"](agent, document["id"], fields={"markdown": TEXT, "baseVersion": 1})
    OPERATIONS["submit_document"](agent, document["id"], fields={})
    project.store[Outboxes].publish_all(project.id)
    return document


def test_a_review_goes_round_until_people_decide(window: Window, project: Project, served: Flask) -> None:
    token = project.token("Night writer", agent="writer-1", scopes=(Scope.READ, Scope.WRITE))
    document = submitted(project, token, maxRounds=2)
    path, agent = f"/console/documents/{document['id']}", Agent(served.test_client(), token)
    window.sign_in(project.token("Ingrid"), path)

    select(window, "Whole-grain flour")
    remark(window, "m", "Which flour?")
    select(window, "feed it each morning", 0)
    remark(window, "s", "Said twice.")
    window.keys("n")
    window.keys("A photograph would help." + Keys.CONTROL + Keys.ENTER)
    select(window, "flour, water and patience")
    window.keys("p")
    window.find("#c-suggestion").clear()
    window.find("#c-suggestion").send_keys("flour and *time*")
    window.find("#c-text").send_keys("Shorter." + Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "4 remarks not sent yet" in window.find("#pending").text)
    assert window.find("#a-round").text.endswith("4 remarks go with it.")
    window.open("/console/board")
    window.open(path)
    assert len(window.chrome.find_elements("css selector", "[data-kept]")) == 4
    window.find("#a-note").send_keys("Nearly there.")
    assert "Round 1: agents get it back up to round 2" in window.find("#a-round").text
    window.press("Request changes")
    notice = window.find("#toasts .notice").text
    assert "with your note and 4 remarks, and its brief is offered. That was round 1." in notice
    assert not window.has("[data-kept]")

    threads = threads_of(project, document)
    assert {(text, one["level"], (one["quote"] or {}).get("exact")) for text, one in threads.items()} == {
        ("Which flour?", "must", "Whole-grain flour"),
        ("Said twice.", "should", "feed it each morning"),
        ("A photograph would help.", "note", None),
        ("Shorter.", "should", "flour, water and *patience*"),
    }
    window.until(lambda: "4 remarks: 4 open" in window.find(".note").text)

    packet = agent.call("claim_next_brief", packet=True)["packet"]
    assert len(packet["threads"]) == 4
    agent.call("accept_suggestion", documentId=document["id"], threadId=threads["Shorter."]["id"])
    sections = {one["title"]: one["hash"] for one in agent.call("get_outline", documentId=document["id"])["sections"]}
    needs = {"hash": sections["What you need"], "markdown": "## What you need\n\n- Rye flour\n- Water, lukewarm\n"}
    agent.call("edit_content", documentId=document["id"], edits=[needs])
    for text in ("Which flour?", "Said twice."):
        agent.call("reply_to_thread", documentId=document["id"], threadId=threads[text]["id"], text="Done: rye.")
    agent.call("submit_document", documentId=document["id"])
    project.store[Outboxes].publish_all(project.id)

    window.until(lambda: "2 new since you last looked" in window.find(".note").text)
    assert "In review again, round 2" in window.find(".note").text
    assert "Nearly there." in window.find(".note").text
    assert "flour and time" in window.find(".prose").text
    assert len(window.chrome.find_elements("css selector", ".comments [data-new]")) == 2
    gone = window.find(f"#t-{threads['Which flour?']['id']}")
    assert "has changed at these words" in gone.text
    assert "Whole-grain flour" in gone.text
    window.keys("c")
    window.until(lambda: "since=2" in window.chrome.current_url)
    assert [one.text for one in window.chrome.find_elements("css selector", ".prose ins")] == ["time", "Rye"]
    window.keys("c")
    window.until(lambda: "since=" not in window.chrome.current_url)

    window.click(f"#t-{threads['Which flour?']['id']}")
    window.keys("d")
    window.until(lambda: threads_of(project, document)["Which flour?"]["state"] == "resolved")
    window.until(lambda: not window.has(f".threads > #t-{threads['Which flour?']['id']}"))
    for round_ in (2, 3):
        window.find("#a-note").send_keys("Once more.")
        window.press("Request changes")
        assert f"That was round {round_}." in window.find("#toasts .notice").text
        if round_ == 2:
            agent.call("claim_next_brief")
            agent.call("submit_document", documentId=document["id"])
            project.store[Outboxes].publish_all(project.id)
            window.until(lambda: "After 2 rounds people decide" in window.find(".actions").text)
            assert not window.has("[name=offer]")
    assert now(project, document)["brief"]["state"] == "drafted"
    window.press("Approve")
    assert now(project, document)["status"] == "approved"
    assert window.problems() == []


def test_what_is_selected_is_found_in_the_markdown_or_it_is_said_that_it_is_not(
    window: Window, project: Project
) -> None:
    markdown = "One *two* [three](https://a.example) four.\n"
    markdown += "\n\nSee it. See it.\n\nAn &amp; entity, R&amp;D.\n\nA caf&eacute;. See it.\n"
    document = a_document(project.context(), title="Rye", markdown=markdown)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")

    def quoted(words: str, number: int = 0, within: str = ".prose") -> str:
        select(window, words, number, within)
        window.keys("s")
        window.until(lambda: window.has(".composing[open]"))
        shown = window.find("[data-about]").get_attribute("title")
        window.keys(Keys.ESCAPE)
        window.until(lambda: not window.has(".composing[open]"))
        return str(shown)

    assert quoted("One two") == "One *two*"
    assert quoted("two three") == "*two* [three](https://a.example)"
    assert quoted("three") == "three"
    select(window, "One two")
    window.keys("s")
    window.until(lambda: window.find(".composing[open] [data-about]").text == "One two")  # as it is read
    window.keys(Keys.ESCAPE)
    assert quoted("four.") == "four."
    assert quoted("entity, R&D.") == "entity, R&amp;D."
    select(window, "café")
    window.keys("s")
    window.until(lambda: "don't stand in the markdown as they are shown" in window.find("#toasts").text)
    window.keys("v")
    window.until(lambda: not window.find(".prose").is_displayed())
    assert quoted("See it", 2, "#markdown") == "See it"
    select(window, "See it", 1, "#markdown")
    remark(window, "s", "Again?", "at once")
    window.click(".composer .button:not([name])")
    window.until(lambda: threads_of(project, document))
    thread = threads_of(project, document)["Again?"]
    assert (thread["quote"]["prefix"][-4:], thread["quote"]["suffix"][:5]) == ("it. ", ".\n\nAn")
    assert window.problems() == []


def test_words_of_a_footnote_are_remarked_on_and_letters_typed_on_a_selection_stay_on_the_page(
    window: Window, project: Project
) -> None:
    markdown = "Feed it.[^b] Wait.[^a]\n\n[^a]: See *her* book, twice. See him.\n[^b]: Feed it. See him.\n\nThe end."
    document = a_document(project.context(), title="Rye", markdown=f"{markdown}\n")
    OPERATIONS["submit_document"](project.context(), document["id"], fields={})
    page = f"/console/documents/{document['id']}"
    window.sign_in(project.token("Ingrid"), page)
    for words, number, exact in (("her book", 0, "*her* book"), ("Feed it", 1, "Feed it"), ("See him", 0, "See him")):
        select(window, words, number)
        window.keys("ej/gb")  # keys that leave the page, where nothing is selected
        remark(window, "s", exact)
        quote = window.chrome.execute_script(
            "return [...document.querySelectorAll('[data-kept]')].at(-1).dataset.quote"
        )
        assert json.loads(quote)["exact"] == exact
    window.click("[data-sends]")
    window.until(lambda: len(threads_of(project, document)) == 3)
    ends = {text: one["quote"]["prefix"][-6:] for text, one in threads_of(project, document).items()}
    assert ends == {"*her* book": ": See ", "Feed it": "[^b]: ", "See him": "d it. "}

    window.until(
        lambda: (
            not window.has("[data-kept]")
            and len(window.chrome.find_elements("css selector", ".threads > .thread[id]")) == 3
        )
    )
    select(window, "Wait")
    window.keys("e")
    window.keys(Keys.ESCAPE)
    assert window.chrome.current_url.endswith(page)
    assert window.problems() == []


def test_remarks_outlive_a_change_of_the_text(window: Window, project: Project) -> None:
    document = submitted(project)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    select(window, "lukewarm")
    remark(window, "m", "How warm?")
    select(window, "second day")
    window.keys("s")
    window.keys("Which?")

    fields = {"markdown": TEXT.replace("lukewarm", "at 28 °C"), "baseVersion": 2}
    OPERATIONS["write_content"](project.context(project.token("Ada")), document["id"], fields=fields)
    project.store[Outboxes].publish_all(project.id)
    assert window.find("#c-text").get_attribute("value") == "Which?"
    window.keys(Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "28 °C" in window.find(".prose").text)
    window.until(
        lambda: all(part in window.find("[data-kept]").text for part in ("has changed at these words", "lukewarm"))
    )
    window.press("Request changes")

    threads = threads_of(project, document)
    gone = next(text for text in threads if text.startswith("How warm?"))
    assert (threads[gone]["level"], threads[gone]["quote"]) == ("must", None)
    assert "“lukewarm”" in gone
    assert threads["Which?"]["quote"]["exact"] == "second day"


def test_a_suggestion_is_accepted_or_rejected_with_one_key(window: Window, project: Project) -> None:
    document = submitted(project)
    for exact, suggestion in (("lukewarm", "at 28 °C"), ("Nothing much happens", "Little happens")):
        fields = {"text": exact, "quote": {"exact": exact}, "suggestion": suggestion}
        OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")

    for key, text, outcome in (("a", "lukewarm", "accepted"), ("x", "Nothing much happens", "rejected")):
        window.keys("t")
        window.until(lambda text=text: text in window.chrome.switch_to.active_element.text)
        window.keys(key)
        window.until(lambda text=text, outcome=outcome: threads_of(project, document)[text]["outcome"] == outcome)
        settled = f".resolved #t-{threads_of(project, document)[text]['id']}"
        window.until(lambda settled=settled: window.has(settled))
    assert "at 28 °C" in window.find(".prose").text
    assert "Nothing much happens" in window.find(".prose").text

    fields = {"text": "Plainer?", "quote": {"exact": "Throw half away"}, "suggestion": "Keep half"}
    OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: "Plainer?" in window.find(".threads > .thread").text)
    window.keys("t")
    window.keys("r")
    window.keys("By half of what?" + Keys.CONTROL + Keys.ENTER)
    window.until(lambda: threads_of(project, document)["Plainer?"]["state"] == "answered")
    assert window.problems() == []


@pytest.mark.parametrize(
    ("markdown", "words", "left"),
    [
        ("Rye keeps very well.", "very", "Rye keeps well."),
        ("Rye keeps well, too.", "well", "Rye keeps, too."),
        ("Rye keeps very well.", "very well", "Rye keeps."),
        ("- [ ] Slow rye bread", "Slow", "- [ ] rye bread"),
        ("> Rye\n> keeps very  \n> well", "very", "> Rye\n> keeps  \n> well"),
        ("| A long day | B |\n| - | - |\n| one | two |", "long", "| A day | B |\n| - | - |\n| one | two |"),
        ("| A long day | B |\n| - | - |\n| one | two |", "A long", "| day | B |\n| - | - |\n| one | two |"),
        ("Rye (always slow) and wheat", "always", "Rye (slow) and wheat"),
        ("Slow, very slow", "very slow", "Slow,"),
        ("Slow and steady[^1].\n\n[^1]: Her book", "and steady", "Slow[^1].\n\n[^1]: Her book"),
    ],
)
def test_words_that_are_proposed_to_be_removed_leave_no_space_too_many(
    window: Window, project: Project, markdown: str, words: str, left: str
) -> None:
    document = a_document(project.context(), title="Rye", markdown=markdown)
    window.sign_in(project.token("Ada"), f"/console/documents/{document['id']}")
    select(window, words)
    window.keys("p")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "c-suggestion")
    window.find("#c-suggestion").clear()
    window.click(".composer .button:not([value=keep])")
    window.until(lambda: threads_of(project, document))
    [thread] = threads_of(project, document).values()
    OPERATIONS["accept_suggestion"](project.context(), document["id"], thread["id"], fields={})

    window.open(f"/console/documents/{document['id']}/edit")
    assert window.find("#markdown").get_property("value").rstrip("\n") == left


def test_what_can_be_done_with_a_thread_is_visible_and_proposing_begins_in_the_words(
    window: Window, project: Project
) -> None:
    document = submitted(project)
    fields = {"text": "Plainer?", "quote": {"exact": "Nothing much happens"}}
    OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    with screen(window, 390, 844):
        assert all(window.find(f".answer {one}").is_displayed() for one in ("[data-replies]", "[data-press=d]"))
    window.click("[data-replies]")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("name") == "text")
    window.keys("Yes." + Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "Yes." in window.find(".threads > .thread").text)
    assert threads_of(project, document)["Plainer?"]["state"] == "answered"

    select(window, "flour, water and patience")
    window.keys("p")
    window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "c-suggestion")
    window.keys(" and time" + Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "These words are proposed." in window.find("[data-kept]").text)
    assert window.problems() == []


def test_what_is_half_written_stays_when_another_remark_is_resolved(window: Window, project: Project) -> None:
    document = submitted(project)
    for exact in ("lukewarm", "Nothing much happens"):
        fields = {"text": exact, "quote": {"exact": exact}}
        OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    warm, much = (f"#t-{one['id']}" for one in threads_of(project, document).values())
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.click(f"{warm} [data-replies]")
    window.keys("At 28 degrees")
    select(window, "second day")
    window.keys("m")
    window.keys("Which?")

    window.click(f"{much} [data-press=d]")
    window.until(lambda: window.has(f".resolved {much}"))
    assert window.find(f"{warm} textarea").get_property("value") == "At 28 degrees"
    assert window.find("#c-text").get_property("value") == "Which?"
    assert window.find(".composing[open] [data-about]").text == "second day"
    assert window.find("[name=level][value=must]").is_selected()
    window.find("#c-text").send_keys(Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "Which?" in window.find("[data-kept]").text)
    window.click(f"{warm} [data-replies]")
    window.until(lambda: threads_of(project, document)["lukewarm"]["state"] == "answered")
    assert window.problems() == []


def test_a_suggestion_is_accepted_and_remarks_are_answered_where_the_text_is_written(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown=TEXT)
    ada = project.context(project.token("Ada"))
    warm = {"text": "How warm?", "quote": {"exact": "lukewarm"}, "suggestion": "at 28 °C"}
    for fields in (warm, {"text": "Which flour?"}, {"text": "A photograph?"}):
        OPERATIONS["open_thread"](ada, document["id"], fields=fields)
    project.store[Outboxes].publish_all(project.id)
    ids = {text: f"#t-{one['id']}" for text, one in threads_of(project, document).items()}
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element("css selector", ".cm-content")
    editor.send_keys("Mine. ")
    window.find(f"{ids['A photograph?']} textarea").send_keys("On Thursday")

    window.find(f"{ids['How warm?']} textarea").send_keys("Thanks.")
    window.click(f"{ids['How warm?']} [formaction$='/accept']")
    window.until(lambda: not window.has(ids["How warm?"]))
    window.until(lambda: "at 28 °C" in editor.text and "Mine." in editor.text)
    assert window.find("[name=baseVersion]").get_attribute("value") == str(now(project, document)["version"]) == "3"
    accepted = threads_of(project, document)["How warm?"]
    assert (accepted["outcome"], accepted["comments"][-1]["text"]) == ("accepted", "Thanks.")
    assert window.find(f"{ids['A photograph?']} textarea").get_property("value") == "On Thursday"

    editor.send_keys("More. ")
    window.until(lambda: window.find(f"{ids['Which flour?']} textarea").send_keys("Rye.") or True)
    window.click(f"{ids['Which flour?']} [data-replies]")
    window.until(lambda: "Rye." in window.find(f"{ids['Which flour?']} .comments").text)
    assert threads_of(project, document)["Which flour?"]["state"] == "answered"
    window.click(f"{ids['A photograph?']} [formaction$='/resolve']")
    window.until(lambda: not window.has(ids["A photograph?"]))
    assert window.find("#remarks-left").text == "1 remark to see to"
    assert threads_of(project, document)["A photograph?"]["comments"][-1]["text"] == "On Thursday"
    assert "More." in editor.text
    assert now(project, document)["version"] == 3

    window.press("Save")
    window.until(lambda: "Saved as version 4." in window.find("#toasts .notice").text)
    assert all(part in window.find(".prose").text for part in ("Mine.", "More.", "at 28 °C"))
    assert window.problems() == []


def test_answers_and_notes_that_were_not_sent_are_there_again(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="drafting", markdown=TEXT)
    fields = {"text": "Which flour?", "level": "must"}
    OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    thread = f"#t-{threads_of(project, document)['Which flour?']['id']}"
    page = f"/console/documents/{document['id']}"
    answer = lambda: window.find(f"{thread} textarea").get_property("value")  # noqa: E731
    with screen(window, 390, 844):
        window.sign_in(project.token("Ingrid"), f"{page}/edit")
        window.find(".editor")
        window.click("#remarks-left")
        window.find(f"{thread} textarea").send_keys("Rye, of ")
        window.press("Save and submit")
        assert "answer or resolve it first" in window.find("#toasts .notice").text
        window.until(lambda: window.find(f"{thread} textarea").is_displayed())
        assert answer() == "Rye, of "
        assert "Saved as" not in window.find("#toasts .notice").text
    window.open(page)
    window.until(lambda: answer() == "Rye, of ")
    window.find(f"{thread} textarea").send_keys("course.")
    window.open(f"{page}/fields")
    window.open(page)
    window.until(lambda: answer() == "Rye, of course.")
    window.click(f"{thread} [data-replies]")
    window.until(lambda: "Rye, of course." in comments_of(project, document, "Which flour?"))
    window.until(lambda: answer() == "")
    window.open(f"{page}/edit")
    window.find(".editor")
    assert answer() == ""

    OPERATIONS["submit_document"](project.context(), document["id"], fields={})
    window.open(page)
    window.find("#a-note").send_keys("Say more.")
    window.open(f"{page}/fields")
    window.open(page)
    window.until(lambda: window.find("#a-note").get_property("value") == "Say more.")
    window.press("Request changes")
    assert now(project, document)["status"] == "drafting"
    OPERATIONS["submit_document"](project.context(), document["id"], fields={})
    window.open(page)
    assert window.find("#a-note").get_property("value") == ""
    assert window.problems() == []


def test_a_suggestion_that_can_not_be_accepted_leaves_what_was_typed(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", markdown="Feed it.\n")
    fields = {"text": "Feed what?", "quote": {"exact": "Feed it"}, "suggestion": "Feed the starter"}
    OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=fields)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element("css selector", ".cm-content")
    editor.send_keys(Keys.CONTROL + "a" + Keys.NULL, "Throw half away.")
    window.find("#remarks textarea").send_keys("Thanks.")
    window.click("#remarks [formaction$='/accept']")
    window.until(lambda: "not at one certain place of the text" in window.find("#toasts").text)
    assert comments_of(project, document, "Feed what?") == ["Feed what?", "Thanks."]
    assert window.find("#remarks textarea").get_property("value") == ""
    assert editor.text == "Throw half away."
    assert now(project, document)["version"] == 2

    editor.send_keys(" Mine.")
    theirs = {"markdown": "Theirs.\n", "baseVersion": 2}
    OPERATIONS["write_content"](project.context(project.token("Ada")), document["id"], fields=theirs)
    window.click("#remarks [formaction$='/resolve']")
    window.until(lambda: threads_of(project, document)["Feed what?"]["state"] == "resolved")
    assert editor.text == "Throw half away. Mine."
    window.press("Save")
    assert "Your text is not saved yet" in window.find(".notice").text


PRESS_TWICE = "const button = document.querySelector(arguments[0]); button.click(); button.click()"
SAVE_AND_PRESS = """
document.dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true }));
document.querySelector(arguments[0]).click();
"""
IS_IN_VIEW = (
    "const { top, bottom } = document.activeElement.getBoundingClientRect(); return top > 0 && bottom < innerHeight"
)


def written(window: Window, project: Project, *texts: str, **fields: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Shows a text where it is written, with a suggestion and other remarks; returns it and the remarks' selectors."""
    document = a_document(project.context(), title="Rye", markdown=TEXT, **fields)
    warm = {"text": "How warm?", "quote": {"exact": "lukewarm"}, "suggestion": "at 28 °C"}
    for remarked in (warm, *({"text": text} for text in texts)):
        OPERATIONS["open_thread"](project.context(project.token("Ada")), document["id"], fields=remarked)
    project.store[Outboxes].publish_all(project.id)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.find(".editor")
    return document, {text: f"#t-{one['id']}" for text, one in threads_of(project, document).items()}


def comments_of(project: Project, document: dict[str, Any], text: str) -> list[str]:
    """Returns what was said in a thread."""
    return [comment["text"] for comment in threads_of(project, document)[text]["comments"]]


def test_an_answer_is_sent_once_however_often_it_is_pressed(window: Window, project: Project) -> None:
    document, ids = written(window, project, "Which flour?")
    window.find(f"{ids['Which flour?']} textarea").send_keys("Rye.")
    window.chrome.execute_script(PRESS_TWICE, f"{ids['Which flour?']} [data-replies]")
    window.until(lambda: "Rye." in window.find(f"{ids['Which flour?']} .comments").text)
    window.find(f"{ids['How warm?']} textarea").send_keys("Thanks.")
    window.chrome.execute_script(PRESS_TWICE, f"{ids['How warm?']} [formaction$='/accept']")
    window.until(lambda: not window.has(ids["How warm?"]))
    assert comments_of(project, document, "Which flour?") == ["Which flour?", "Rye."]
    assert comments_of(project, document, "How warm?") == ["How warm?", "Thanks."]
    assert "It is accepted" in window.find("#toasts").text

    window.open(f"/console/documents/{document['id']}")
    window.click(f"{ids['Which flour?']} [data-replies]")
    window.keys("Whole-grain.")
    window.chrome.execute_script(PRESS_TWICE, f"{ids['Which flour?']} [data-replies]")
    window.until(lambda: "Whole-grain." in window.find(f"{ids['Which flour?']} .comments").text)
    assert comments_of(project, document, "Which flour?") == ["Which flour?", "Rye.", "Whole-grain."]
    assert window.problems() == []


def test_a_message_is_not_over_the_remarks(window: Window, project: Project) -> None:
    _, ids = written(window, project, *map(str, range(8)))
    with screen(window, 1440, 900):
        window.find(f"{ids['5']} textarea").send_keys("At 28.")
        window.click(f"{ids['5']} [data-replies]")
        message = window.find("#toasts .notice").rect
        assert message["x"] + message["width"] < window.find("#remarks").rect["x"]


def test_a_suggestion_is_accepted_after_the_save_that_runs(window: Window, project: Project) -> None:
    document, ids = written(window, project)
    editor = window.find(".editor").shadow_root.find_element("css selector", ".cm-content")
    editor.send_keys("Mine. ")
    window.chrome.execute_script(SAVE_AND_PRESS, f"{ids['How warm?']} [formaction$='/accept']")
    window.until(lambda: "at 28 °C" in editor.text and "Mine." in editor.text)
    assert now(project, document)["version"] == 3


def test_a_tick_that_is_taken_away_is_saved_with_the_text(window: Window, project: Project) -> None:
    document, ids = written(window, project, status="planned")
    editor = window.find(".editor").shadow_root.find_element("css selector", ".cm-content")
    editor.send_keys("Mine. ")
    window.click("[name=drafts]")
    window.click(f"{ids['How warm?']} [formaction$='/accept']")
    window.until(lambda: not window.has(ids["How warm?"]))
    window.until(lambda: "at 28 °C" in editor.text)
    assert "saved version" not in window.find("#meanwhile").get_attribute("textContent")
    editor.send_keys(Keys.CONTROL + "s" + Keys.NULL)
    window.until(lambda: "All of it is saved." in window.find("#toasts").text)
    assert now(project, document)["status"] == "planned"


def test_who_types_an_answer_stays_in_it_when_another_remark_is_resolved(window: Window, project: Project) -> None:
    document, ids = written(window, project, *map(str, range(8)))
    answer = window.find(f"{ids['5']} textarea")
    answer.send_keys("At ")
    assert window.chrome.execute_script(IS_IN_VIEW)
    OPERATIONS["resolve_thread"](project.context(), document["id"], ids["7"].removeprefix("#t-"), fields={})
    project.store[Outboxes].publish_all(project.id)
    window.until(lambda: not window.has(ids["7"]))
    window.until(lambda: window.chrome.execute_script(IS_IN_VIEW))
    window.keys("28")
    assert window.find(f"{ids['5']} textarea").get_property("value") == "At 28"


def test_words_in_a_table_are_marked_where_a_text_is_written_as_where_it_is_read(
    window: Window, project: Project
) -> None:
    markdown = "Flour.\n\n| Day | What |\n| - | - |\n| One | Mix it **warm** |\n| Two | Rest |\n"
    document = a_document(project.context(), title="Rye", markdown=markdown)
    for exact in ("warm", "Rest", "Flour"):
        OPERATIONS["open_thread"](project.context(), document["id"], fields={"text": "Why?", "quote": {"exact": exact}})
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    window.find("#remarks .thread")
    marks = "return [...CSS.highlights.get('thread') ?? []].map((range) => `${range}`).sort()"
    window.until(lambda: window.chrome.execute_script(marks) == ["Flour", "Rest", "warm"])
    editor = window.find(".editor").shadow_root
    editor.find_elements("css selector", ".cm-grid td")[1].click()
    window.keys(Keys.END + " water")
    window.until(lambda: "water" in window.find("[data-editor]").get_property("value"))
    window.until(lambda: window.chrome.execute_script(marks) == ["Flour", "Rest", "warm"])


TOUCH = """
const [range] = ["thread", "here"].flatMap((name) => [...CSS.highlights.get(name)]);
const { left, top } = range.getBoundingClientRect();
const at = { bubbles: true, clientX: left + 10, clientY: top + 8 };
document.elementFromPoint(at.clientX, at.clientY).dispatchEvent(new MouseEvent("click", at));
"""
HEADER = "return document.querySelector('.prose').getBoundingClientRect().top + scrollY"


def test_on_a_phone_the_text_is_near_and_touching_words_shows_their_remark_over_it(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Flour. Lukewarm.\n\n" + "Water. " * 900)
    fields = {"text": "How warm?", "quote": {"exact": "Lukewarm"}}
    OPERATIONS["open_thread"](project.context(), document["id"], fields=fields)
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open(f"/console/documents/{document['id']}")
        assert window.chrome.execute_script(HEADER) < 340
        window.chrome.execute_script(TOUCH)
        assert window.chrome.execute_script("return scrollY") == 0
        thread = window.find(".thread")
        assert (thread.rect["y"] + thread.rect["height"], thread.rect["y"] > 400) == (844, True)
        window.click(".thread [data-lowers]")
        assert thread.rect["y"] > 844
        window.chrome.execute_script(TOUCH)
        window.find(".thread textarea").send_keys("At 28 degrees.")
        window.click(".thread [data-replies]")
        window.until(lambda: "At 28 degrees." in window.find(".comments").text)
        assert window.chrome.execute_script("return scrollY") == 0
        window.open(f"/console/documents/{document['id']}/edit")
        assert window.chrome.execute_script("return innerWidth") == 390
    assert window.problems() == []


WORDS_AND_FORM = """
const words = [...CSS.highlights.get("written")][0].getBoundingClientRect();
const form = document.querySelector(".composing").getBoundingClientRect();
return [words.top, words.bottom, form.top, form.bottom, innerHeight];
"""


@pytest.mark.parametrize("size", [(390, 844), (1280, 900)])
def test_a_link_to_a_remark_shows_the_words_that_it_is_about(
    window: Window, project: Project, size: tuple[int, int]
) -> None:
    markdown = "Water. " * 900 + "Lukewarm.\n\n" + "Flour. " * 900
    document = a_document(project.context(), title="Rye", status="drafting", markdown=markdown)
    fields = {"text": "How warm?", "level": "must", "quote": {"exact": "Lukewarm"}}
    OPERATIONS["open_thread"](project.context(), document["id"], fields=fields)
    window.sign_in(project.token("Ingrid"))
    with screen(window, *size):
        window.open(f"/console/documents/{document['id']}")
        link = window.find(".actions [href^='#t-']")
        assert "1 Must remark is open: answer it before you submit." in window.find(".actions").text
        link.click()
        top, thread = window.chrome.execute_script(
            "return [[...CSS.highlights.get('here')][0], document.querySelector('.thread')]"
            ".map((one) => one.getBoundingClientRect().top)"
        )
        assert (0 < top < size[1] / 2, 0 < thread < size[1]) == (True, True)
    assert window.problems() == []


def test_on_a_phone_a_remark_is_written_below_its_words_and_the_text_stays_where_it_is(
    window: Window, project: Project
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Water. " * 900 + "Lukewarm.\n\n" + "Flour. " * 900)
    OPERATIONS["open_thread"](project.context(), document["id"], fields={"text": "Which?"})
    window.sign_in(project.token("Ingrid"))
    with screen(window, 390, 844):
        window.open(f"/console/documents/{document['id']}")
        select(window, "Lukewarm")
        window.chrome.execute_script("scrollBy(0, getSelection().getRangeAt(0).getBoundingClientRect().bottom - 800)")
        window.until(lambda: window.find("#marking").is_displayed())
        assert not window.find("#marking kbd").is_displayed()
        window.click("[data-marks=s]")
        window.until(lambda: window.chrome.switch_to.active_element.get_attribute("id") == "c-text")
        top, bottom, form, end, height = window.chrome.execute_script(WORDS_AND_FORM)
        assert 0 < top < bottom < form < end <= height
        at = window.chrome.execute_script("return scrollY")
        window.keys("How warm?")
        window.click(".composer .button:not([name])")
        window.until(lambda: len(window.chrome.find_elements("css selector", ".threads > .thread")) == 2)
        assert window.chrome.execute_script("return scrollY") == pytest.approx(at, abs=40)
    assert window.problems() == []


def test_a_visitor_remarks_by_a_link_until_it_is_revoked(window: Window, project: Project) -> None:
    document = submitted(project)
    ingrid = project.token("Ingrid")
    remark_of_ingrid = {"text": "<b>Which flour?</b>", "level": "must", "quote": {"exact": "Whole-grain flour"}}
    OPERATIONS["open_thread"](project.context(ingrid), document["id"], fields=remark_of_ingrid)
    window.sign_in(ingrid, f"/console/documents/{document['id']}/links")
    window.find("#f-name").send_keys("Lee & Partners")
    window.press("Make the link")
    link = window.find(".secret").text
    assert "/console/review#cwl_" in link

    window.chrome.delete_all_cookies()
    window.chrome.get(link)
    window.until(lambda: "Lee & Partners" in window.find("main").text)
    assert "cwl_" not in window.chrome.current_url
    assert "<b>Which flour?</b>" in window.find(".thread").text
    assert not window.has(".side, .tabs, .actions, [name=level][value=must]")
    select(window, "Nothing much happens")
    window.keys("s")
    window.keys("Is that so?" + Keys.CONTROL + Keys.ENTER)
    window.until(lambda: "Is that so?" in threads_of(project, document))
    window.until(lambda: len(window.chrome.find_elements("css selector", ".threads > .thread")) == 2)
    first = window.find(".thread")
    first.click()
    first.find_element("css selector", "textarea").send_keys("Rye, I hope.")
    first.find_element("css selector", "[data-replies]").click()
    window.until(lambda: threads_of(project, document)["<b>Which flour?</b>"]["state"] == "answered")
    assert not window.has(f"#t-{threads_of(project, document)['<b>Which flour?</b>']['id']} [data-press=d]")
    mine = threads_of(project, document)["Is that so?"]
    assert (mine["openedBy"]["type"], mine["openedBy"]["name"]) == ("link", "Lee & Partners")
    window.chrome.execute_script("document.activeElement.blur()")
    window.click(f"#t-{mine['id']}")
    window.keys("d")
    window.until(lambda: threads_of(project, document)["Is that so?"]["state"] == "resolved")
    window.open("/console/board")
    assert "/console/sign-in" in window.chrome.current_url

    [made] = OPERATIONS["list_review_links"](project.context(), document["id"]).body
    OPERATIONS["delete_review_link"](project.context(), document["id"], made["id"])
    window.open("/console/review")
    assert "This link has ended" in window.find("main").text
    window.chrome.get(link)
    window.until(lambda: "This link has ended" in window.find("main").text)
    assert "Your first loaf" not in window.find("body").text


@pytest.mark.clients
def test_axe_finds_nothing_in_a_review(window: Window, project: Project) -> None:
    document = submitted(project)
    ctx, ingrid = project.context(project.token("Ada")), project.token("Ingrid")
    for fields in (
        {"text": "Which?", "level": "must", "quote": {"exact": "flour", "prefix": "grain "}},
        {"text": "Plainer.", "level": "note", "quote": {"exact": "Nothing much"}, "suggestion": "Little"},
        {"text": "Good."},
    ):
        OPERATIONS["open_thread"](ctx, document["id"], fields=fields)
    OPERATIONS["resolve_thread"](ctx, document["id"], threads_of(project, document)["Good."]["id"], fields={})
    OPERATIONS["request_changes"](project.context(ingrid), document["id"], fields={"note": "Say more."})
    fields = {"markdown": TEXT.replace("lukewarm", "at 28 °C"), "baseVersion": 2}
    OPERATIONS["write_content"](project.context(), document["id"], fields=fields)
    which = threads_of(project, document)["Which?"]["id"]
    OPERATIONS["reply_to_thread"](project.context(), document["id"], which, fields={"text": "Rye."})
    OPERATIONS["submit_document"](project.context(), document["id"], fields={})
    link = OPERATIONS["create_review_link"](ctx, document["id"], fields={"name": "Lee"}).body["link"]
    examiner = Examiner(window)
    window.sign_in(ingrid)
    for page in ("", "?since=2", "/revisions", "/activity", "/links"):
        window.open(f"/console/documents/{document['id']}{page}")
        examiner.examine(page)
    window.open(f"/console/documents/{document['id']}")
    select(window, "second day")
    window.until(lambda: window.find("#marking").is_displayed())
    window.keys("p")
    window.keys("Which?")
    window.chrome.execute_script("document.querySelector('.resolved').open = true")
    examiner.examine("composer")
    with screen(window, 390, 844):
        assert window.chrome.execute_script("return document.documentElement.scrollWidth") == 390
        examiner.examine("phone")
    window.find("#c-text").send_keys(Keys.CONTROL + Keys.ENTER)
    window.until(lambda: window.has("[data-kept]"))
    window.keys("v")
    examiner.examine("kept")
    window.chrome.delete_all_cookies()
    window.open("/console/review")
    examiner.examine("no link")
    window.chrome.get(window.base + link)
    window.find(".thread")
    examiner.examine("visitor")
    with screen(window, 390, 844):
        assert window.chrome.execute_script("return document.documentElement.scrollWidth") == 390
    assert examiner.found == {}


def test_a_name_is_completed_after_an_at_sign(window: Window, project: Project) -> None:
    ctx = project.context()
    for name in ("Ada Miller", "Åsa Berg", "Jun"):
        OPERATIONS["create_member"](ctx, fields={"name": name})
    document = a_document(ctx, title="Rye", markdown="Flour.\n", status="drafting")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}")
    window.click(".composing summary")
    field = window.find("#c-text")
    field.send_keys("Ask @as")
    window.until(lambda: window.find("#mentions [aria-selected]").text == "Åsa Berg")
    field.send_keys(Keys.ENTER)
    assert field.get_attribute("value") == "Ask @Åsa Berg "
    field.send_keys("or @mil")
    window.until(lambda: window.find("#mentions [aria-selected]").text == "Ada Miller")
    field.send_keys(Keys.ESCAPE)
    assert field.get_attribute("value") == "Ask @Åsa Berg or @mil"
    assert window.problems() == []
