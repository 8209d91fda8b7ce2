"""Pasting into the editor in headless Chromium: formatted text becomes markdown, plain text stays as it is."""

from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from tests.console.browser import Window
from tests.make import Project, a_document

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.needs_mongod]

PASTE = """
const clipboardData = new DataTransfer();
for (const [type, text] of Object.entries(arguments[1])) clipboardData.setData(type, text);
const options = { clipboardData, bubbles: true, composed: true, cancelable: true };
arguments[0].dispatchEvent(new ClipboardEvent("paste", options));
"""
COPY = """
const [types] = arguments;
addEventListener("copy", (event) => {
  event.preventDefault();
  for (const [type, text] of Object.entries(types)) event.clipboardData.setData(type, text);
}, { once: true });
"""
GOOGLE_DOCS = (
    """<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1">
<h2 dir="ltr"><span style="font-size:16pt;font-weight:400;font-style:normal;">Day by day</span></h2>
<p dir="ltr"><span style="font-weight:400;">Feed it </span><span style="font-weight:700;">each morning </span>"""
    """<span style="font-style:italic;">and wait</span>, says <a href="https://a.example/ada">"""
    """<span style="text-decoration:underline;">Ada</span></a>: 3 &lt; 4 *.</p><br>
<ul><li aria-level="1"><p role="presentation"><span>Flour</span></p></li>
<ul><li aria-level="2"><p role="presentation"><span>Rye</span></p></li></ul>
<li aria-level="1"><p role="presentation"><span>Water</span></p></li></ul>
<div align="left"><table><colgroup><col width="200"></colgroup><tbody>
<tr><td><p><span style="font-weight:700">Day</span></p></td><td><p>What</p></td></tr>
<tr><td><p>1 | 2</p></td><td><p>Mix.</p><p>Rest.</p></td></tr></tbody></table></div></b><br>"""
)
WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p {margin:0} --></style></head>
<body><!--StartFragment--><h1>Bread<o:p></o:p></h1>
<p class=MsoNormal>It is <b style='mso-bidi-font-weight:normal'>very</b><b> good</b>.<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·
<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span><![endif]>Flour<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o</span>Rye</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>Water</p>
<p class=MsoNormal>Then:</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>Mix</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>2.</span>Bake</p>
<p class=MsoNormal>See <a href="javascript:alert(1)">this</a><img src="data:image/svg+xml;base64,AAAA"></p>
<!--EndFragment-->"""
PAGE = """<h3>A <code>starter</code></h3><blockquote><p>Said <em>she</em>.</p></blockquote>
<pre><code class="language-py">def feed():\n    pass\n</code></pre><p>One<br>two</p>
<img src="https://i.example/a.png" alt="A loaf"><hr><p>Last.</p>"""
NEWSLETTER = """<table><tr><td><h2>News</h2><p>x<i style='display: none'>y</i></p>
<table><tr><td>z</td></tr></table></td></tr></table>"""
REVIEWED = (
    """<html xmlns:o="urn:schemas-microsoft-com:office:office"><body><!--StartFragment-->
<p class=MsoNormal>Rye is <del cite="mailto:Ada" datetime="2026-11-02T10:00">not </del><ins cite="mailto:Ada">very """
    """</ins><a style='mso-comment-reference:A_1;mso-comment-date:20261102T1000'>good</a><span
class=MsoCommentReference>
<span style='font-size:8.0pt'><![if !supportAnnotations]><a class=msocomanchor id="_anchor_1" href="#_msocom_1"
 name="_msoanchor_1">[A1]</a><![endif]><span style='mso-special-character:comment'>&nbsp;</span></span></span>
bread<a style='mso-footnote-id:ftn1' href="#_ftn1" name="_ftnref1" title=""><span class=MsoFootnoteReference>
<span style='mso-special-character:footnote'><![if !supportFootnotes]><span class=MsoFootnoteReference>[1]</span>"""
    """<![endif]></span></span></a>, <s>cheap</s>.<o:p></o:p></p>
<div style='mso-element:footnote-list'><![if !supportFootnotes]><br clear=all><hr
align=left size=1 width="33%"><![endif]>
<div style='mso-element:footnote' id=ftn1><p class=MsoFootnoteText><a style='mso-footnote-id:ftn1' href="#_ftnref1"
 name="_ftn1" title=""><span class=MsoFootnoteReference>[1]</span></a> A <i>baker</i>'s note.</p></div></div>
<div style='mso-element:comment-list'><![if !supportAnnotations]><hr class=msocomoff
align=left size=1 width="33%"><![endif]>
<div style='mso-element:comment'><div id="_com_1" class=msocomtxt><span style='mso-comment-author:Ada'><a
name="_msocom_1">
</a></span><p class=MsoCommentText><a class=msocomanchor
href="#_msoanchor_1">[A1]</a>Check this please</p></div></div></div>
<!--EndFragment--></body></html>""",
    "Rye is very good bread[^1], ~~cheap~~.\n\n[^1]: A _baker_'s note.\n",
)
NOTES = {
    "word": REVIEWED,
    "google docs": (
        """<p><span>Stale</span><sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup><span>&nbsp;rye</span>"""
        """<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup><span>.</span></p><hr>"""
        """<div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span>&nbsp;Two days.</span></p></div>"""
        """<div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a><span>Really?</span></p></div>""",
        "Stale[^1]\xa0rye.\n\n[^1]: Two days.\n",
    ),
    "libreoffice": (
        """<p>Stale<a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym"><sup>1</sup></a> rye"""
        """<a class="sdfootnoteanc" name="sdfootnote2anc" href="#sdfootnote2sym"><sup>2</sup></a>.</p>
<div id="sdfootnote1"><p><a class="sdfootnotesym" name="sdfootnote1sym"
href="#sdfootnote1anc">1</a>One.</p><p>More.</p></div>
<div id="sdfootnote2"><p><a class="sdfootnotesym" name="sdfootnote2sym" href="#sdfootnote2anc">2</a>Two.</p></div>""",
        "Stale[^1] rye[^2].\n\n[^1]: One.\n\n    More.\n\n[^2]: Two.\n",
    ),
    "pandoc": (
        """<p>Stale<a href="#fn1" class="footnote-ref" id="fnref1"><sup>1</sup></a> rye.</p>
<section id="footnotes"><hr><ol><li id="fn1"><p>One.<a href="#fnref1"
class="footnote-back">↩︎</a></p></li></ol></section>""",
        "Stale[^1] rye.\n\n[^1]: One.\n",
    ),
    "github": (
        """<p>Stale<sup><a href="https://a.example/x#fn-1" id="fnref-1">1</a></sup> and<sup>
<a href="https://a.example/x#fn-1" id="fnref-1-2">1</a></sup> rye.</p><section class="footnotes"><h2 class="sr-only"
id="l">Footnotes
</h2><ol><li id="fn-1"><p>One. <a href="https://a.example/x#fnref-1" aria-label="Back">↩</a>
<a href="https://a.example/x#fnref-1-2">↩<sup>2</sup></a></p></li></ol></section>""",
        "Stale[^1] and[^1] rye.\n\n[^1]: One.\n",
    ),
    "wikipedia": (
        """<p>Stale<sup id="cite_ref-1"><a href="https://w.example/Rye#cite_note-1">[1]</a></sup> rye.</p><ol><li
id="cite_note-1">
<span class="mw-cite-backlink"><b><a
href="https://w.example/Rye#cite_ref-1">^</a></b></span> <span>One.</span></li></ol>""",
        "Stale[^1] rye.\n\n[^1]: One.\n",
    ),
    "the strikes and marks of a page": (
        """<p><del>Old</del> new<a href="#end">[1]</a>.</p><p>Go <a href="#toc">up</a>.</p><p id="end">End.</p>""",
        "~~Old~~ new\\[1].\n\nGo up.\n\nEnd.",
    ),
}
EXPECTED = {
    GOOGLE_DOCS: """## Day by day

Feed it **each morning** _and wait_, says [Ada](https://a.example/ada): 3 < 4 \\*.

- Flour
  - Rye
- Water

| Day | What |
| - | - |
| 1 \\| 2 | Mix.<br>Rest. |""",
    WORD: """# Bread

It is **very good**.

- Flour
  - Rye
- Water

Then:

1. Mix
2. Bake

See this""",
    PAGE: """### A `starter`

> Said _she_.

```py
def feed():
    pass
```

One\\
two

![A loaf](https://i.example/a.png)

---

Last.""",
    NEWSLETTER: "## News\n\nx\n\nz",
    "<p>One paragraph.</p><p>Another *one*.</p>": "One paragraph.\n\nAnother \\*one\\*.",
}


@pytest.fixture
def editor(window: Window, project: Project) -> WebElement:
    """Where a text is typed, with a short one in it."""
    document = a_document(project.context(), title="Rye", markdown="Before.\n")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    return window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")


def text_of(window: Window) -> str:
    """Returns the text that would be saved."""
    return str(window.find("#markdown").get_property("value"))


def paste(window: Window, editor: WebElement, **types: Any) -> None:
    """Has the editor get what a clipboard holds."""
    window.chrome.execute_script(PASTE, editor, {f"text/{name}": text for name, text in types.items()})


def press(window: Window, *keys: str) -> None:
    """Presses the last key while the others are held, where the cursor is."""
    chain = ActionChains(window.chrome)
    for key in keys[:-1]:
        chain.key_down(key)
    chain.send_keys(keys[-1])
    for key in keys[:-1]:
        chain.key_up(key)
    chain.perform()


def test_the_title_at_the_beginning_of_a_pasted_text_is_left_out(window: Window, project: Project) -> None:
    document = a_document(project.context(), title="Rye & wheat", markdown="")
    window.sign_in(project.token("Ingrid"), f"/console/documents/{document['id']}/edit")
    editor = window.find(".editor").shadow_root.find_element(By.CSS_SELECTOR, ".cm-content")
    for title in ("<h1>Rye <b>&amp;</b> wheat</h1>", "<p class=MsoTitle>Rye &amp; wheat</p>"):
        paste(window, editor, html=f"{title}<p>It is <b>good</b>.</p>", plain="x")
        window.until(lambda: text_of(window) == "It is **good**.")
        paste(window, editor, html="<h1>Rye &amp; wheat</h1><p>More.</p>", plain="x")
        window.until(lambda: "# Rye & wheat\n\nMore." in text_of(window))
        editor.send_keys(Keys.CONTROL + "a" + Keys.NULL, Keys.BACKSPACE)


@pytest.mark.parametrize("html", EXPECTED, ids=["google docs", "word", "a page", "a newsletter", "paragraphs"])
def test_formatted_text_is_pasted_as_markdown_and_undone_at_once(window: Window, editor: WebElement, html: str) -> None:
    editor.send_keys(Keys.CONTROL, "a")
    paste(window, editor, plain="Plain.", html=html)

    assert text_of(window) == EXPECTED[html]
    editor.send_keys(Keys.CONTROL, "z")
    assert text_of(window) == "Before.\n"
    # The preview shows the pasted images, whose host does not exist.
    assert [one for one in window.problems() if "ERR_NAME_NOT_RESOLVED" not in one] == []


@pytest.mark.parametrize("kind", NOTES)
def test_footnotes_stay_changes_are_accepted_and_comments_are_left_out(
    window: Window, editor: WebElement, kind: str
) -> None:
    html, expected = NOTES[kind]
    editor.send_keys(Keys.CONTROL, "a")
    paste(window, editor, html=html)

    assert text_of(window) == expected


def test_pasted_footnotes_take_free_numbers_and_stand_at_the_end(window: Window, editor: WebElement) -> None:
    editor.send_keys(Keys.CONTROL, "a")
    paste(window, editor, plain="Oven[^1] here.\n\nLast.\n\n[^1]: Hot.\n")
    press(window, Keys.CONTROL, Keys.HOME)
    paste(window, editor, html=NOTES["google docs"][0])

    assert text_of(window) == "Stale[^2]\xa0rye.Oven[^1] here.\n\nLast.\n\n[^1]: Hot.\n[^2]: Two days.\n"


def test_a_heading_pasted_within_a_line_has_lines_of_its_own_and_a_word_stays_in_it(
    window: Window, editor: WebElement
) -> None:
    editor.click()
    press(window, Keys.CONTROL, Keys.HOME)
    press(window, Keys.ARROW_RIGHT * 3)
    paste(window, editor, html="a <b>bold</b> word")
    paste(window, editor, html="<h2>Heading</h2>")

    assert text_of(window) == "Befa **bold** word\n\n## Heading\n\nore.\n"


@pytest.mark.parametrize(
    ("source", "selected", "expected"),
    [
        ("See it", 2, "See [it](https://a.example/b)"),
        ("See **it**", 2, "See **[it](https://a.example/b)**"),
        ("See https://c.example", 17, "See https://a.example/b"),
        ("| a |\n| - |\n| b |", 1, "| a |\n| - |\n| [b](https://a.example/b) |"),
    ],
    ids=["words", "marked words", "an address", "a cell"],
)
def test_an_address_pasted_over_words_makes_them_a_link(
    window: Window, editor: WebElement, source: str, selected: int, expected: str
) -> None:
    editor.send_keys(Keys.CONTROL, "a")
    paste(window, editor, plain=source)
    place = editor
    if cells := editor.find_elements(By.TAG_NAME, "td"):
        cells[0].click()
        place = editor.find_element(By.CSS_SELECTOR, "td .cm-content")
    press(window, Keys.END)
    press(window, Keys.SHIFT, Keys.ARROW_LEFT * selected)
    paste(window, place, plain="https://a.example/b")

    assert text_of(window) == expected


LINES = """<table><tr><th><p>What<br>else</p></th><th>Who</th></tr><tr><td>Buy
<ul><li><p>Rye</p></li><li>Salt</li></ul></td><td><p>Ada</p><p></p><p><b>Jun</b></p> or all</td></tr></table>"""


def test_paragraphs_and_items_of_a_cell_are_lines_of_it(window: Window, editor: WebElement) -> None:
    paste(window, editor, html="<p>These:</p>" + LINES)
    rows = "| What<br>else | Who |\n| - | - |\n| Buy<br>Rye<br>Salt | Ada<br>{}<br>or all |"
    window.until(lambda: text_of(window).startswith("These:\n\n" + rows.format("**Jun**")))
    editor.find_element(By.CSS_SELECTOR, "th").click()
    paste(window, editor.find_element(By.CSS_SELECTOR, "th .cm-content"), html=LINES)
    window.until(lambda: text_of(window).startswith("These:\n\n" + rows.format("Jun")))


def test_plain_text_is_pasted_as_it_is(window: Window, editor: WebElement) -> None:
    source = "# Rye\n\n- *flour*\n"
    for types in ({}, {"html": "<span style='color: red'># Rye</span>"}, {"html": f"<pre>{source}</pre>"}):
        editor.send_keys(Keys.CONTROL, "a")
        paste(window, editor, plain=source, **types)
        assert text_of(window) == source


def test_the_clipboard_is_pasted_with_its_format_or_as_plain_text(window: Window, editor: WebElement) -> None:
    editor.send_keys(Keys.CONTROL, "a")
    window.chrome.execute_script(COPY, {"text/html": "<h2>Rye</h2><p>Bread</p>", "text/plain": "Rye\nBread"})
    press(window, Keys.CONTROL, "c")
    press(window, Keys.CONTROL, "v")
    assert text_of(window) == "## Rye\n\nBread"
    press(window, Keys.CONTROL, "a")
    window.chrome.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": "keyDown", "commands": ["pasteAndMatchStyle"]})
    assert text_of(window) == "Rye\nBread"
