"""Writing in headless Chromium without seeing markdown: the text that is stored is markdown all the same."""

from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.console.accessibility import Examiner
from tests.console.browser import Window
from tests.console.test_in_a_browser import screen
from tests.console.test_pasting import paste, press, text_of
from tests.console.visitor import now
from tests.make import OPERATIONS, Project, a_document

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

ARTICLE = """## Day by day

Feed it **every morning** and wait, says [Ada](https://a.example/ada).[^1]

### What you need

- Rye flour
- Water
  - lukewarm

| Day | Flour |  |
| - | - | - |
| One | 50 g | Mix \\| rest |
| Two | 50 g | Feed |
| Three | 100 g | Bake \\*well\\* |

Patience.

[^1]: Her book, page 12
"""


@pytest.fixture
def editor(window: Window, project: Project) -> WebElement:
    """Where a text is typed, with nothing in it."""
    return opened(window, project, "")


def opened(window: Window, project: Project, markdown: str) -> WebElement:
    """Shows a text where it is written."""
    document = a_document(project.context(), title="Rye", status="drafting", markdown=markdown)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    return content(window)


def content(window: Window) -> WebElement:
    """Returns where a text is typed."""
    return window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")


def within(window: Window, selector: str) -> list[WebElement]:
    """Returns what a selector finds in the editor."""
    return window.find(".editor").shadow_root.find_elements(By.CSS_SELECTOR, selector)


def tool(window: Window, name: str) -> None:
    """Presses a button of the toolbar."""
    window.click(f"[data-tool={name}]")


def keys(window: Window, *typed: str) -> None:
    """Types where the cursor is."""
    for one in typed:
        ActionChains(window.chrome).send_keys(one).perform()


def seen(window: Window) -> str:
    """Returns the words that are seen where a text is written."""
    return str(content(window).text)


def write_article(window: Window) -> None:
    """Writes an article without typing a mark."""
    content(window).click()
    tool(window, "heading")
    keys(window, "Day by day", Keys.ENTER, "Feed it ")
    press(window, Keys.CONTROL, "b")
    keys(window, "every morning")
    press(window, Keys.CONTROL, "b")
    keys(window, " and wait, says ")
    press(window, Keys.CONTROL, "k")
    window.find("#address-words").send_keys("Ada")
    window.find("#address-url").send_keys("https://a.example/ada", Keys.ENTER)
    keys(window, ".")
    tool(window, "footnote")
    keys(window, "Her book, page 12")
    assert "**" not in seen(window)
    assert "[" not in seen(window)
    press(window, Keys.CONTROL, Keys.END)
    keys(window, Keys.ARROW_UP, Keys.ARROW_UP, Keys.END, Keys.ENTER)
    tool(window, "subheading")
    keys(window, "What you need", Keys.ENTER)
    tool(window, "list")
    keys(window, "Rye flour", Keys.ENTER, "Water", Keys.ENTER, Keys.TAB, "lukewarm", Keys.ENTER)
    press(window, Keys.SHIFT, Keys.TAB)
    keys(window, Keys.ENTER, "/tab")
    window.until(lambda: within(window, ".cm-tooltip-autocomplete [aria-selected]"))
    keys(window, Keys.ENTER)
    window.until(lambda: within(window, "th .cm-content"))
    keys(
        window,
        "Day",
        Keys.TAB,
        "Flour",
        Keys.TAB,
        Keys.TAB,
        "One",
        Keys.TAB,
        "50 g",
        Keys.TAB,
        "Mix | rest",
        Keys.TAB,
    )
    [cell] = window.until(lambda: within(window, "td .cm-content"))
    paste(window, cell, plain="Two\t50 g\tFeed\nThree\t100 g\tBake *well*\n")
    keys(window, Keys.ESCAPE, "Patience.")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_an_article_is_written_without_typing_a_mark(
    window: Window, project: Project, editor: WebElement, width: int, height: int
) -> None:
    with screen(window, width, height):
        window.open(window.chrome.current_url.removeprefix(window.base))
        write_article(window)
        assert text_of(window) == ARTICLE
        assert not any(mark in seen(window) for mark in ("**", "##", "](", "| -", "[^", "- Rye"))
        assert not window.chrome.execute_script("return document.documentElement.scrollWidth > innerWidth")
    assert window.problems() == []


TEXTS = {
    "tables": "Intro\n\n|a|b|\n|-|:-:|\n|1|2|3|\n|x|\n\nc | d\n--|--\n1 | `a \\| b`\nlast\n",
    "html": "<div>\n  <b>x</b>\n\n</div>\n\n<!-- a\n\nb -->\n\na<br>b &amp; &copy; \\*c\\*  \nd\\\ne",
    "front matter": "---\ntitle: Rye\ntags: [a, b]\n---\n\n# Rye\n\nSetext\n===\n\n",
    "code": "```py\n| a |\n| - |\n```\n\n    four\n\tindented\n\n~~~\n**x**\n",
    "lists": "* a\n\n  b\n+ c\n1) d\n   - [x] e\n> > f\n>\n> | a |\n> | - |\n",
    "spaces": "\n\n  a \t\n\n\n\nb\u00a0c\u200b\n\n\n",
}


@pytest.mark.parametrize("markdown", TEXTS.values(), ids=TEXTS)
def test_a_text_that_is_opened_walked_through_and_saved_is_the_same(
    window: Window, project: Project, markdown: str
) -> None:
    document = a_document(project.context(), title="Rye", status="drafting", markdown=markdown)
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    content(window).click()
    press(window, Keys.CONTROL, Keys.HOME)
    keys(window, Keys.ARROW_DOWN * 12, Keys.ARROW_RIGHT * 12)
    window.click("[data-shows-markdown]")
    window.click("[data-shows-markdown]")
    assert text_of(window) == markdown
    window.press("Save")
    assert now(project, document)["version"] == document["version"]


def test_whether_marks_are_shown_is_remembered(window: Window, project: Project) -> None:
    opened(window, project, "A **loaf**.\n")
    assert "A loaf." in seen(window)
    assert not window.find("#preview").is_displayed()
    window.click("[data-shows-markdown]")
    assert "A **loaf**." in seen(window)
    window.chrome.refresh()
    assert "A **loaf**." in seen(window)
    assert window.find("#preview").is_displayed()
    window.click("[data-shows-markdown]")
    assert "A loaf." in seen(window)


PLACES = """return [...document.querySelectorAll('.tools button')].map((one) => {
    const {left, right, top} = one.getBoundingClientRect(); return [left, right, top]; })"""


def test_each_tool_is_reached_on_every_screen_and_all_are_in_one_row_of_a_desktop(
    window: Window, project: Project
) -> None:
    opened(window, project, "A **loaf**.\n")
    for width, height in ((1440, 900), (1100, 800), (390, 844)):
        with screen(window, width, height):
            for _ in range(2):
                window.click("[data-shows-markdown]")
                places = window.chrome.execute_script(PLACES)
                assert all(0 <= left < right <= width for left, right, _ in places), (width, places)
                assert width < 500 or len({top for *_, top in places}) == 1, (width, places)


BOXES = {
    "a footnote": ("footnote", "Her book", "Rye[^1]. More\n\n[^1]: Her book\n"),
    "code": ("code", "rm -r", "Rye.\n\n```\nrm -r\n```\n\n More"),
    "a quote": ("quote", "Wait", "> Rye.Wait\n\n More"),
}


@pytest.mark.parametrize(("name", "words", "written"), BOXES.values(), ids=BOXES)
@pytest.mark.parametrize("way", [Keys.ESCAPE, "Ctrl-Enter", "pressed"])
def test_what_has_a_text_of_its_own_says_how_it_is_left(
    window: Window, project: Project, editor: WebElement, name: str, words: str, written: str, way: str
) -> None:
    editor.click()
    keys(window, "Rye.", *([Keys.ARROW_LEFT] if name == "footnote" else []))
    tool(window, name)
    keys(window, words)
    hint = window.until(lambda: within(window, ".cm-leave"))[0]
    assert hint.text == ("EscBack to the text" if name == "footnote" else "EscWrite below")
    if way == "pressed":
        hint.click()
    elif way == "Ctrl-Enter":
        press(window, Keys.CONTROL, Keys.ENTER)
    else:
        keys(window, way)
    assert not within(window, ".cm-leave")
    keys(window, *([Keys.ARROW_RIGHT] if name == "footnote" else []), " More")

    assert text_of(window) == written


def test_enter_at_the_end_of_a_footnote_leads_back_to_its_number(window: Window, editor: WebElement) -> None:
    editor.click()
    keys(window, "Rye")
    tool(window, "footnote")
    keys(window, "Her book", Keys.ENTER, ", and wheat")

    assert text_of(window) == "Rye[^1], and wheat\n\n[^1]: Her book\n"


def test_the_button_of_the_toolbar_begins_a_table_in_its_first_cell(window: Window, editor: WebElement) -> None:
    editor.click()
    keys(window, "Before.", Keys.ENTER)
    tool(window, "table")
    keys(window, "Day", Keys.TAB, "Flour")
    window.until(lambda: "| Day | Flour |  |\n" in text_of(window))
    assert text_of(window).startswith("Before.\n\n| Day")


def test_one_writes_on_where_a_table_was_that_is_undone(window: Window, editor: WebElement) -> None:
    editor.click()
    keys(window, "One line.", Keys.ENTER, "/table")
    window.until(lambda: within(window, ".cm-tooltip-autocomplete"))
    keys(window, Keys.ENTER)
    window.until(lambda: within(window, "th .cm-content"))
    press(window, Keys.CONTROL, "z")
    window.until(lambda: not within(window, "table"))
    keys(window, "edit gb")
    assert text_of(window).strip() == "One line.\n\nedit gb"


def test_buttons_undo_and_redo_also_in_a_table(window: Window, project: Project) -> None:
    opened(window, project, "One\n\n| b |\n| - |\n| c |\n")
    within(window, "td")[0].click()
    keys(window, "x")
    tool(window, "undo")
    window.until(lambda: "x" not in text_of(window))
    tool(window, "redo")
    window.until(lambda: "x" in text_of(window))


def test_one_word_is_counted_as_one(window: Window, editor: WebElement) -> None:
    editor.click()
    keys(window, "Rye")
    window.until(lambda: window.find("[data-words]").text == "1 word")


def test_one_writes_on_in_the_table_whose_row_is_undone(window: Window, project: Project) -> None:
    opened(window, project, "| b |\n| - |\n| c |\n")
    within(window, "td")[0].click()
    keys(window, Keys.ENTER)
    window.until(lambda: len(within(window, "td")) == 2)
    press(window, Keys.CONTROL, "z")
    window.until(lambda: len(within(window, "td")) == 1)
    keys(window, "x")
    assert text_of(window) == "| b |\n| - |\n| x |\n"


@pytest.mark.parametrize("next_block", ["Feed it.\n", "### Water\n", "- Flour\n- Water\n"])
def test_what_follows_a_heading_that_is_deleted_stays_what_it_is(
    window: Window, project: Project, next_block: str
) -> None:
    opened(window, project, f"## Day by day\n\n{next_block}").click()
    press(window, Keys.CONTROL, Keys.HOME)
    press(window, Keys.SHIFT, Keys.ARROW_DOWN)
    press(window, Keys.SHIFT, Keys.HOME)
    keys(window, Keys.DELETE)
    window.until(lambda: text_of(window) == next_block)


def test_letters_beside_the_text_do_nothing(window: Window, editor: WebElement) -> None:
    page = window.find("html")
    editor.click()
    keys(window, Keys.TAB, "e?gb/kz")
    assert not window.has("dialog[open]")
    assert window.find("html") == page
    assert window.chrome.current_url.endswith("/edit")


def test_an_empty_text_says_how_to_begin(window: Window, editor: WebElement) -> None:
    assert "/" in within(window, ".cm-placeholder")[0].text
    editor.click()
    keys(window, "x")
    window.until(lambda: not within(window, ".cm-placeholder"))


def test_what_is_typed_before_the_editor_is_loaded_goes_on_in_it(window: Window, project: Project) -> None:
    opened(window, project, "")
    network = {"offline": False, "latency": 50, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
    window.chrome.execute_cdp_cmd("Network.enable", {})
    window.chrome.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
    window.chrome.execute_cdp_cmd("Network.emulateNetworkConditions", network)
    try:
        window.chrome.execute_script("location.reload()")
        window.until(lambda: not window.has(".editor") and window.find("#markdown").is_displayed())
        window.click("#markdown")
        typed = ""
        while not window.has(".editor") or typed[-1:] != ".":
            typed += "." if window.has(".editor") else "x"
            keys(window, typed[-1])
        assert text_of(window) == typed
        assert typed.startswith("x")
    finally:
        window.chrome.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        window.chrome.execute_cdp_cmd(
            "Network.emulateNetworkConditions", network | {"latency": 0, "downloadThroughput": -1}
        )


EDITS = {
    "a space at the end of bold words": (
        "",
        [(Keys.CONTROL, "b"), "very good", (Keys.CONTROL, "b"), " bread"],
        "**very good** bread",
    ),
    "the last letters of bold words": ("**very good**", [(Keys.END,), *[Keys.BACKSPACE] * 4, "x"], "**very** x"),
    "all of the bold words": ("**b**", [(Keys.END,), Keys.BACKSPACE], ""),
    "a paragraph under the last line": ("Para.\n", [(Keys.CONTROL, Keys.END), "New"], "Para.\n\nNew"),
    "two paragraphs joined": ("a\n\nb", [(Keys.CONTROL, Keys.END), (Keys.HOME,), Keys.BACKSPACE], "ab"),
    "a heading made a paragraph": ("## a", [(Keys.HOME,), Keys.BACKSPACE], "a"),
    "the end of a list": ("- a", [(Keys.END,), Keys.ENTER, "b", Keys.ENTER, Keys.ENTER, "c"], "- a\n- b\n\nc"),
    "the end of a quote": ("> a", [(Keys.END,), Keys.ENTER, "b", Keys.ENTER, Keys.ENTER, "c"], "> a\n>\n> b\n\nc"),
    "numbers": ("1. a", [(Keys.END,), Keys.ENTER, "b"], "1. a\n2. b"),
    "a line in a paragraph": ("a", [(Keys.END,), (Keys.SHIFT, Keys.ENTER), "b"], "a\\\nb"),
    "bold and italic": ("one", [(Keys.CONTROL, "a"), (Keys.CONTROL, "b"), (Keys.CONTROL, "i")], "**_one_**"),
    "into a table and out": (
        "a\n\n| b |\n| - |\n| c |",
        [(Keys.HOME,), Keys.ARROW_DOWN, "B", Keys.ARROW_DOWN, "C", Keys.ARROW_DOWN, "d"],
        "a\n\n| B |\n| - |\n| C |\n\nd",
    ),
    "below a footnote": (
        "a[^1]\n\n[^1]: Src\n",
        [(Keys.CONTROL, Keys.END), "abc", Keys.ENTER, Keys.BACKSPACE, "X"],
        "a[^1]\n\n[^1]: Src\n\nabcX",
    ),
    "an empty paragraph taken from between two": (
        "a\n\nb",
        [(Keys.CONTROL, Keys.HOME), (Keys.END,), Keys.ENTER, Keys.BACKSPACE, "x"],
        "ax\n\nb",
    ),
    "undone in a cell": (
        "| b |\n| - |\n| c |\n",
        [(Keys.CONTROL, Keys.END), Keys.ARROW_UP, "x", (Keys.CONTROL, "z")],
        "| b |\n| - |\n| c |\n",
    ),
}


@pytest.mark.parametrize(("markdown", "typed", "expected"), EDITS.values(), ids=EDITS)
def test_marks_stay_whole_that_are_not_seen(
    window: Window, project: Project, markdown: str, typed: list[Any], expected: str
) -> None:
    opened(window, project, markdown).click()
    press(window, Keys.CONTROL, Keys.HOME)
    for one in typed:
        press(window, *one) if isinstance(one, tuple) else keys(window, one)
    assert text_of(window) == expected


TOOLS = {
    "Row above": "| a | b |\n| - | - |\n|  |  |\n| 1 | 2 |",
    "Row below": "| a | b |\n| - | - |\n| 1 | 2 |\n|  |  |",
    "Delete row": "| a | b |\n| - | - |",
    "Column left": "|  | a | b |\n| - | - | - |\n|  | 1 | 2 |",
    "Column right": "| a |  | b |\n| - | - | - |\n| 1 |  | 2 |",
    "Delete column": "| b |\n| - |\n| 2 |",
    "Centre the column": "| a | b |\n| :-: | - |\n| 1 | 2 |",
    "Delete table": "",
}


def test_rows_and_columns_are_added_removed_and_aligned(window: Window, project: Project) -> None:
    table = "| a | b |\n| - | - |\n| 1 | 2 |"
    editor = opened(window, project, table)
    for label, expected in TOOLS.items():
        within(window, "td")[0].click()
        within(window, f"[aria-label='{label}']")[0].click()
        assert text_of(window) == expected, label
        editor.send_keys(Keys.CONTROL + "z" + Keys.NULL)
        assert text_of(window) == table, label


def test_a_link_is_seen_changed_and_removed(window: Window, project: Project) -> None:
    opened(window, project, "See [it](https://a.example/) now.").click()
    press(window, Keys.CONTROL, Keys.HOME)
    keys(window, Keys.ARROW_RIGHT * 5)
    window.until(lambda: within(window, ".cm-card button")[0].click() or True)
    window.find("#address-url").send_keys("b", Keys.ENTER)
    assert text_of(window) == "See [it](https://a.example/b) now."
    keys(window, Keys.ARROW_LEFT)
    window.until(lambda: within(window, ".cm-card button")[1].click() or True)
    assert text_of(window) == "See it now."


@pytest.mark.parametrize(
    "address", ["https://www.a.example", "https://a.example", "https://a.example:8080/b?c", "mailto:ada@a.example"]
)
def test_an_address_without_its_scheme_gets_one(window: Window, project: Project, address: str) -> None:
    opened(window, project, "").click()
    press(window, Keys.CONTROL, "k")
    window.find("#address-words").send_keys("Ada")
    window.find("#address-url").send_keys(address.partition("//")[2] or address.partition(":")[2], Keys.ENTER)
    window.until(lambda: text_of(window) == f"[Ada]({address})")


@pytest.mark.parametrize(
    ("site", "address"),
    [("https://thecrust.example/{slug}/", "https://thecrust.example/which-flour/"), (None, "which-flour")],
)
def test_a_document_is_linked_by_its_title(window: Window, project: Project, site: str | None, address: str) -> None:
    OPERATIONS["update_project"](project.context(), fields={"siteUrl": site})
    for title in ("Which flour?", "Which oven?", "Node.js"):
        a_document(project.context(), title=title)
    with screen(window, 390, 844):
        opened(window, project, "Flour").click()
        press(window, Keys.CONTROL, "a")
        tool(window, "link")
        window.until(lambda: window.find("#address-found").text == "Which flour?\nDrafting")
        assert ("no address yet" in window.find("#address-hint").text) == (site is None)
        keys(window, "whic", Keys.ENTER)
        window.until(lambda: text_of(window).startswith("[Flour](") and not window.has("#address[open]"))
        press(window, Keys.CONTROL, "a")
        keys(window, Keys.DELETE)
        tool(window, "link")
        keys(window, "which fl")
        window.until(lambda: window.find("#address-found").text == "Which flour?\nDrafting")
        window.click("#address-found li")
        window.until(lambda: text_of(window) == f"[Which flour?]({address})")
        tool(window, "link")
        press(window, Keys.CONTROL, "a")
        keys(window, "nothing", Keys.ENTER)
        window.until(lambda: "No document has this title" in window.find("#address-found").text)
        assert window.has("#address[open]")
        press(window, Keys.CONTROL, "a")
        keys(window, "node.js")
        window.until(lambda: window.find("#address-found").text == "Node.js\nDrafting")
    assert window.problems() == []


def test_words_are_found_and_replaced_in_the_whole_text_but_not_in_addresses(window: Window, project: Project) -> None:
    link = "[rye bread](https://a.example/rye)"
    lines = [f"Line {number}." for number in range(200)]
    opened(window, project, "\n\n".join([*lines, link, "| Rye |\n| - |\n| rye |", "Rye."])).click()
    press(window, Keys.CONTROL, "f")
    keys(window, "rye")
    window.until(lambda: within(window, ".cm-found")[0].text == "4 found")
    keys(window, Keys.ENTER)
    window.until(lambda: within(window, ".cm-found")[0].text == "1 of 4")
    assert within(window, ".cm-searchMatch-selected")[0].text == "rye"
    keys(window, Keys.TAB * 3, "Emmer")
    next(one for one in within(window, ".cm-find button") if one.text == "Replace all").click()
    found = "[Emmer bread](https://a.example/rye)\n\n| Emmer |\n| - |\n| Emmer |\n\nEmmer."
    window.until(lambda: text_of(window) == "\n\n".join([*lines, found]))
    keys(window, Keys.ESCAPE)
    window.until(lambda: not within(window, ".cm-find"))
    press(window, Keys.CONTROL, "z")
    window.until(lambda: "Emmer" not in text_of(window))
    assert window.problems() == []


MARKED = """return Object.fromEntries([...CSS.highlights].map(
  ([name, ranges]) => [name, [...ranges].map((range) => `${range}`)]))"""


def marked(window: Window) -> dict[str, list[str]]:
    """Returns the words that are highlighted, by the kind of highlight."""
    found: dict[str, list[str]] = window.chrome.execute_script(MARKED)
    return {name: words for name, words in found.items() if words}


def test_what_is_found_in_a_table_is_marked_and_scrolled_to_also_on_a_phone(window: Window, project: Project) -> None:
    row = "| A \\| *rye* [bread](https://a.example/rye)[^1] of rye | Water |"
    table = "\n".join(["| Flour | |", "| - | - |", *["| Wheat | Water |"] * 60, row, "| **Rye** and<br>rye | Salt |"])
    with screen(window, 390, 844):
        opened(window, project, f"Begin.\n\n{table}\n\n[^1]: Note").click()
        tool(window, "find")
        keys(window, "rye")
        window.until(lambda: marked(window) == {"found": ["rye"] * 2 + ["Rye", "rye"]})
        keys(window, Keys.ENTER, Keys.ENTER)
        window.until(lambda: marked(window).get("here") == ["rye"])
        window.until(lambda: 0 < within(window, ".cm-grid tr:nth-child(61)")[0].rect["y"] - scrolled(window) < 800)
        keys(window, Keys.ESCAPE)
        window.until(lambda: marked(window) == {})
    assert window.problems() == []


def scrolled(window: Window) -> int:
    """Returns how far the page is scrolled."""
    return int(window.chrome.execute_script("return scrollY"))


def test_a_callout_is_seen_as_one_and_stays_in_the_text(window: Window, project: Project) -> None:
    markdown = "Before.\n\n> [!NOTE]\n> Mind\n> the gap\n\n> [!tip] By Ada\n> Wait\n\n> [!OTHER] Quote"
    opened(window, project, markdown).click()
    window.until(lambda: "Note\nMind the gap" in seen(window))
    assert "By Ada\nWait" in seen(window)
    assert "[!OTHER] Quote" in seen(window)
    assert text_of(window) == markdown
    press(window, Keys.CONTROL, Keys.HOME)
    keys(window, Keys.ARROW_DOWN * 2, Keys.END, " now")
    assert "> [!NOTE]\n> Mind\n> the gap now\n" in text_of(window)
    keys(window, Keys.ARROW_UP, Keys.END, Keys.BACKSPACE)
    assert "> Mind\n> the gap now\n" in text_of(window)
    assert "[!NOTE]" not in text_of(window)
    press(window, Keys.CONTROL, "a")
    keys(window, Keys.DELETE, "/callout")
    window.until(lambda: within(window, ".cm-tooltip-autocomplete"))
    keys(window, Keys.ENTER, "Mind")
    assert text_of(window).strip() == "> [!NOTE]\n> Mind"
    assert window.problems() == []


CURSOR = """const { activeElement } = document.querySelector('.editor').shadowRoot;
const { top, bottom } = activeElement.closest('.cm-editor').querySelector('.cm-cursor-primary').getBoundingClientRect();
return [top, bottom];"""


@pytest.mark.parametrize("size", [(1440, 900), (800, 600), (390, 844), (390, 480)])
def test_the_cursor_is_not_under_the_tools_or_the_buttons(
    window: Window, project: Project, size: tuple[int, int]
) -> None:
    document = a_document(project.context(), title="Rye", status="planned", markdown="Water.\n\n" * 40)
    OPERATIONS["open_thread"](project.context(), document["id"], fields={"text": "Why?"})
    with screen(window, *size):
        window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
        content(window).send_keys(Keys.CONTROL, Keys.END)
        keys(window, *["Rye.", Keys.ENTER] * 4, "End.")
        buttons = window.find(".writing > .buttons")
        place = "return arguments[0].getBoundingClientRect()"
        below = window.chrome.execute_script(place, buttons)["top"]
        window.until(lambda: 0 < window.chrome.execute_script(CURSOR)[1] <= below)
        assert below - window.chrome.execute_script(place, window.find(".writing > .bar"))["bottom"] > 250
        tool(window, "find")
        bar = window.chrome.execute_script(place, window.find(".writing > .bar"))
        [panel] = within(window, ".cm-panels-top")
        window.until(lambda: window.chrome.execute_script(place, panel)["top"] >= bar["bottom"] - 1)
        keys(window, Keys.ESCAPE)
        press(window, Keys.CONTROL, Keys.HOME)
        above = window.chrome.execute_script(place, window.find(".writing > .bar"))["bottom"]
        window.until(lambda: window.chrome.execute_script(CURSOR)[0] >= above + 20)


def test_columns_are_aligned_where_a_text_is_read_as_where_it_is_written(window: Window, project: Project) -> None:
    opened(window, project, "| A | B | C |\n| - | -: | :-: |\n| 1 | 2 | 3 |")
    aligned = "return [...arguments[0].querySelectorAll('th, td')].map((cell) => getComputedStyle(cell).textAlign)"
    expected = ["start", "right", "center"] * 2
    assert window.chrome.execute_script(aligned, within(window, ".cm-grid")[0]) == expected
    window.click_tab("Read")
    assert window.chrome.execute_script(aligned, window.find(".prose table")) == expected


def test_long_numbers_of_a_list_are_beside_their_words(window: Window, project: Project) -> None:
    opened(window, project, "99. Rye\n100. Wheat\n\nText\n\n1986. A good year")
    for number in within(window, ".cm-number"):
        overlaps = "const [n] = arguments; const r = document.createRange(); r.selectNodeContents(n);"
        overlaps += (
            "const w = r.getBoundingClientRect().right; r.setStartAfter(n); r.setEndAfter(n.parentNode.lastChild);"
        )
        overlaps += "return r.getBoundingClientRect().left < w;"
        assert not window.chrome.execute_script(overlaps, number), number.text


def test_the_tick_that_moves_a_piece_to_drafting_goes_when_it_is_there(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye", status="planned", markdown="")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    content(window).click()
    keys(window, "Rye.")
    press(window, Keys.CONTROL, "s")
    window.until(lambda: "It is in Drafting now." in window.find("body").text)
    assert "Move to Drafting" not in window.find("body").text


def compose(window: Window, words: str) -> None:
    """Types words as an input method does, letter by letter, and commits them."""
    for at in range(1, len(words) + 1):
        written = {"text": words[:at], "selectionStart": at, "selectionEnd": at}
        window.chrome.execute_cdp_cmd("Input.imeSetComposition", written)
    window.chrome.execute_cdp_cmd("Input.insertText", {"text": words})


def test_words_of_an_input_method_get_marks_and_paragraphs_of_their_own(window: Window, project: Project) -> None:
    opened(window, project, "Para.\n").click()
    press(window, Keys.CONTROL, Keys.END)
    compose(window, "New")
    window.until(lambda: text_of(window) == "Para.\n\nNew")
    keys(window, " ")
    press(window, Keys.CONTROL, "b")
    compose(window, "loaf")
    window.until(lambda: text_of(window) == "Para.\n\nNew **loaf**")


ROOM = """const root = document.querySelector(".editor").shadowRoot;
const box = (selector) => root.querySelector(selector).getBoundingClientRect();
return [box(".cm-tooltip-autocomplete").top - box(".cm-cursor").bottom, innerHeight - box(".cm-cursor").bottom]"""


def test_what_can_be_inserted_is_listed_below_where_there_is_room(window: Window, project: Project) -> None:
    opened(window, project, "One.\n\n" * 7).click()
    with screen(window, 1440, 900):
        press(window, Keys.CONTROL, Keys.END)
        keys(window, "/")
        window.until(lambda: within(window, ".cm-tooltip-autocomplete"))
        above, room = window.chrome.execute_script(ROOM)
        assert 230 < room < 350
        assert above >= 0


@pytest.mark.clients
def test_everybody_can_write(window: Window, project: Project) -> None:
    opened(window, project, ARTICLE)
    window.until(lambda: within(window, "td"))
    examiner = Examiner(window)
    examiner.examine("a text")
    within(window, "td")[0].click()
    examiner.examine("a cell")
    keys(window, Keys.ESCAPE, Keys.ENTER, "/")
    window.until(lambda: within(window, ".cm-tooltip-autocomplete"))
    examiner.examine("what can be inserted")
    assert examiner.found == {}


WRAPPED = """Rye keeps *all
week* and is
baked at night.

> A loaf is
> a promise.

- Flour and
  water
- A second\x20\x20
  line\\
  and a third

```
one
two
```

| a |
| - |
| b |

Bread.[^1]

[^1]: Her book,
    page 12
"""


def lines_seen(window: Window) -> list[str]:
    """Returns the lines that stand on their own in the editor, with words in them."""
    texts = [line.get_attribute("textContent") for line in within(window, ".cm-content > .cm-line")]
    return [text for text in texts if text and text.strip()]


def test_the_lines_of_a_paragraph_are_seen_as_one_and_stay_in_the_text(window: Window, project: Project) -> None:
    opened(window, project, WRAPPED)
    window.until(lambda: within(window, "td"))
    assert lines_seen(window) == [
        "Rye keeps all week and is baked at night.",
        "A loaf is a promise.",
        "•Flour and water",
        "•A second  ",
        "line",
        "and a third",
        "one",
        "two",
        "Bread.1",
        "1.Her book, page 12",
    ]
    assert text_of(window) == WRAPPED
    window.click("[data-shows-markdown]")
    assert "Rye keeps *all" in lines_seen(window)


SOFT = {
    "arrows": ("one\ntwo", [Keys.ARROW_RIGHT * 4, "x", Keys.ARROW_LEFT * 3, "y"], "onye xtwo"),
    "in the second line": ("one\ntwo", [Keys.ARROW_RIGHT * 5, "x"], "one\ntxwo"),
    "to the end": ("one\ntwo\nthree", [(Keys.END,), "!"], "one\ntwo\nthree!"),
    "a sign that would begin a list": ("one\ntwo", [Keys.ARROW_RIGHT * 4, "- "], "one - two"),
    "spaces before a break": ("one\ntwo", [Keys.ARROW_RIGHT * 3, "  x"], "one  x two"),
    "undone": ("one\ntwo", [Keys.ARROW_RIGHT * 4, "x", (Keys.CONTROL, "z")], "one\ntwo"),
    "a break deleted": ("one\ntwo", [Keys.ARROW_RIGHT * 4, Keys.BACKSPACE], "onetwo"),
    "a break deleted from before": ("one\ntwo", [Keys.ARROW_RIGHT * 3, Keys.DELETE], "onetwo"),
    "a break of a quote deleted": ("> one\n> two", [Keys.ARROW_RIGHT * 4, Keys.BACKSPACE], "> onetwo"),
    "a word that is a line": ("one\ntwo\nthree", [Keys.ARROW_RIGHT * 7, *[Keys.BACKSPACE] * 3], "one  three"),
    "two paragraphs made of one": ("one\ntwo", [Keys.ARROW_RIGHT * 4, Keys.ENTER, "x"], "one\n\nxtwo"),
    "in the middle of a line": ("one\ntwo", [Keys.ARROW_RIGHT * 6, Keys.ENTER], "one\ntw\n\no"),
    "a new item": ("- one\n  two", [(Keys.END,), Keys.ENTER, "x"], "- one two\n- x"),
    "a hard break": ("one\ntwo", [Keys.ARROW_RIGHT * 3, (Keys.SHIFT, Keys.ENTER), "x"], "one\\\nxtwo"),
    "selected and bold": ("one\ntwo", [(Keys.CONTROL, "a"), (Keys.CONTROL, "b")], "**one\ntwo**"),
    "selected by words": ("one\ntwo six", [(Keys.SHIFT, Keys.CONTROL, *[Keys.ARROW_RIGHT] * 2), "x"], "x six"),
    "a heading": ("one\ntwo", [Keys.ARROW_RIGHT * 5, "heading"], "## one two"),
    "a list": ("one\ntwo", [Keys.ARROW_RIGHT * 5, "list"], "- one two"),
    "a nested item": ("- a\n- one\n  two", [(Keys.CONTROL, Keys.END), Keys.TAB], "- a\n  - one two"),
}


@pytest.mark.parametrize(("markdown", "typed", "expected"), SOFT.values(), ids=SOFT)
def test_a_paragraph_of_several_lines_is_written_in_as_one(
    window: Window, project: Project, markdown: str, typed: list[Any], expected: str
) -> None:
    opened(window, project, markdown).click()
    press(window, Keys.CONTROL, Keys.HOME)
    for one in typed:
        if one in ("heading", "list"):
            tool(window, one)
        else:
            press(window, *one) if isinstance(one, tuple) else keys(window, one)
    assert text_of(window) == expected
