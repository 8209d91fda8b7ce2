"""Markdown as html that is safe to put on a page (decisions, sections 5 and 7): the parser's own html, then nh3.

What nh3 takes grows with the square of the depth of the tree (100,000 different `<b>` that are never closed: over 12 s)
and of what stands in a table outside its cells (390,000 `<br>`: over 12 s), so the tags in between are bounded and well
nested. nh3 alone says what is safe. At the end, what a reader sees of it: its words and first paragraph.
"""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import accumulate, takewhile
from typing import Final

import nh3

from app.core.text.long_texts import remembered
from app.core.text.markdown import BEFORE_TEXT, parsed_html, parsed_xml, with_markers_defined
from app.core.text.words import count_words

MAX_HTML_BYTES: Final = 15 * 1024 * 1024
"""Markdown whose html is larger can't be published; publishing checks it."""

MAX_TAGS: Final = 400_000
MAX_REFERENCES: Final = 100_000
"""Maximum `&` and characters from U+0080 to U+00BF, at which nh3 divides a text; 2 MB of prose have a tenth."""
MAX_DEPTH: Final = 100
"""The deepest nesting of elements; of deeper ones only the content is kept."""

_INLINE = """
    a abbr b bdi bdo cite code data del dfn em i ins kbd mark q s samp small span strike strong sub sup time tt u var
    wbr
"""
_OTHERS = """
    address article aside blockquote br caption center col colgroup dd details div dl dt figcaption figure footer
    h1 h2 h3 h4 h5 h6 header hgroup hr img input li main meter nav ol p pre progress rp rt ruby section summary
    table tbody td tfoot th thead tr ul
"""
INLINE: Final = frozenset(_INLINE.split())
"""Elements inside a line of text; where one begins or ends, no word ends."""
ELEMENTS: Final = INLINE | frozenset(_OTHERS.split())
"""Elements that the html may have: no script, style, frame or form, nothing of svg and math."""
ATTRIBUTES: Final = {
    "*": {"dir", "lang", "title"},
    "a": {"aria-label", "class", "data-footnote-backref", "data-footnote-ref", "href", "hreflang", "id"},
    "code": {"class"},
    "col": {"span"},
    "colgroup": {"span"},
    "data": {"value"},
    "del": {"datetime"},
    "details": {"open"},
    "div": {"class"},
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), {"id"}),
    "img": {"alt", "height", "src", "width"},
    "input": {"checked", "class", "disabled", "type"},
    "ins": {"datetime"},
    "li": {"class", "id"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "ol": {"reversed", "start", "type"},
    "p": {"class"},
    "progress": {"max", "value"},
    "section": {"class", "data-footnotes"},
    "sup": {"class"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "time": {"datetime"},
    "ul": {"class"},
}
"""The attributes that they may have: no `style` or `name`; an `id` where links lead: headings, footnotes, anchors;
and of addresses, only `href` and `src`, since nh3 lets any scheme through in the others."""
CLASSES: Final = {
    "a": re.compile("footnote-backref"),
    "code": re.compile(r"language-\S+"),
    "div": re.compile("markdown-alert markdown-alert-(?:note|tip|important|warning|caution)"),
    "input": re.compile("task-list-item-checkbox"),
    "li": re.compile("task-list-item"),
    "p": re.compile("markdown-alert-title"),
    "section": re.compile("footnotes"),
    "sup": re.compile("footnote-ref"),
    "ul": re.compile("contains-task-list"),
}
"""The classes that they may have: those that GitHub's stylesheets know."""

SCHEMES: Final = {"http", "https", "mailto", "tel"}
"""The schemes of addresses; images have no `mailto` and `tel`."""

TASK_BOX: Final = re.compile(
    r'<input type="checkbox"(?: class="task-list-item-checkbox")?(?: checked="")? disabled="" />'
)
"""The box of a task list as the parser writes it; any other control belongs to a form, and goes with it."""

GIVEN: Final = {"input": {"type": "checkbox", "disabled": ""}}
"""The attributes that elements always have: the only control is the box of a task list."""

MARKUP: Final = re.compile(
    r"<(script|style)\b[^<>]*+>[^<]*+(?:<(?!/?\1\b)[^<]*+)*+</\1\s*+>"
    r"|<(?P<end>/?)(?P<name>[a-z][a-z0-9-]*+)"
    r"(?:\s++[^\s\"'<>/=]++(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?){0,50}+\s*+/?>"
    r"|</?[a-z][^<>]*+>|<!--(?:-?>|.*?(?:-->|\Z))|<\?.*?(?:\?>|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<![^>]*+(?:>|\Z)|<",
    re.DOTALL | re.IGNORECASE,
)
"""Scripts and styles whole; a tag of up to 50 attributes; what is like a tag; comments, instructions; any other `<`."""

_VOID = frozenset({"br", "col", "hr", "img", "input", "wbr"})
_TABLE_PARTS = frozenset({"colgroup", "table", "tbody", "tfoot", "thead", "tr"})
_IN_TABLES = _TABLE_PARTS - {"table"} | {"caption", "col", "td", "th"}
_CELLS, _ROWS = frozenset({"colgroup", "p", "td", "th"}), frozenset({"tbody", "tfoot", "thead"})
_ENDED_BY: Final = {
    **dict.fromkeys(ELEMENTS - INLINE - {"br", "img", "input", "meter", "progress", "rp", "rt", "ruby"}, {"p"}),
    **{"a": {"a"}, "li": {"li", "p"}, "dd": {"dd", "dt", "p"}, "dt": {"dd", "dt", "p"}},
    **{"td": _CELLS, "th": _CELLS, "tr": _CELLS | {"tr"}, **dict.fromkeys(_ROWS, _CELLS | _ROWS | {"tr"})},
}
"""Authors may leave out many end tags: for the start of an element, the open elements that it ends."""
_REFERENCES = re.compile("[&\x80-\xbf]")
_BARE_LINK = re.compile(r'<a href="[^"]*+">(?:(?:https?|ftp)://|www\.|[\w.+-]++@)[^\s<]*+</a>', re.IGNORECASE)
"""A link whose text is its address."""
_RAW_HTML = re.compile("<[a-z/!?]", re.IGNORECASE)
_NESTED_WRONG = re.compile(r"<a [^<>]*+>[^<]*+<a |<section ")
"""A link in a link, and footnotes, which stand in quotes and in each other: the parser itself nests them wrong."""
_TAG = re.compile("<(/?)([a-z0-9]++)")
_NO_PART_OF_A_URL = re.compile(r"[\x00-\x20]")


class TooMuchMarkup(Exception):
    """The html has more tags, or more escaped characters such as `&amp;`, than the limit."""


def to_html(markdown: str) -> str:
    """Returns the html of CommonMark with GitHub's extensions, safe on any page.

    Harmless raw html stays. Headings have ids, as GitHub makes them.
    Links lead to http, https, mail, a telephone or a relative address, images come from http, https or a relative one.
    The box of a task list is the only control, and it is disabled. Raises `TooMuchMarkup`. (decisions, section 7)
    """
    html = parsed_html(markdown)
    if len(html) > MAX_HTML_BYTES or html.count("<") > MAX_TAGS or len(_REFERENCES.findall(html)) > MAX_REFERENCES:
        raise TooMuchMarkup
    html = html.removeprefix(f"{BEFORE_TEXT}\n")
    return _SANITISER.clean(html if _is_well_nested(html, markdown) else _well_nested(html))


def _is_well_nested(html: str, markdown: str) -> bool:
    """Returns whether `_well_nested` would leave html as it is: the parser alone made it, and not too deep."""
    if _RAW_HTML.search(markdown) or _NESTED_WRONG.search(html):
        return False
    levels = (0 if name in _VOID else -1 if end else 1 for end, name in _TAG.findall(html))
    return max(accumulate(levels), default=0) <= MAX_DEPTH


def _well_nested(html: str) -> str:
    """Returns html with every element closed, at most 100 inside each other.

    In an author's own link (`<a href="/a">https://a.example</a>`) a bare address is text.
    """
    parts: list[str] = []
    opened: list[str] = []
    end = 0
    for found in MARKUP.finditer(html):
        start = found.start()
        parts.append(html[end:start])
        end = found.end()
        is_end, name = found.group("end", "name")
        name = (name or "").lower()
        if name not in ELEMENTS or (name == "input" and not TASK_BOX.fullmatch(found[0])):
            parts.append("&lt;" if found[0] == "<" else "")
        elif is_end:
            if name in opened:
                _close(opened, len(opened) - 1 - opened[::-1].index(name), parts)
        elif opened[-1:] != ["a"] or not _BARE_LINK.match(html, start):
            if ended := _ENDED_BY.get(name):
                depth = len(opened)
                while depth and opened[depth - 1] in ended:
                    depth -= 1
                _close(opened, depth, parts)
            if name not in _IN_TABLES and opened and opened[-1] in _TABLE_PARTS:
                opened.append("td")
                parts.append("<td>")
            if name in _VOID:
                parts.append(found[0])
            elif len(opened) < MAX_DEPTH:
                opened.append(name)
                parts.append(found[0])
    parts.append(html[end:])
    _close(opened, 0, parts)
    return "".join(parts)


def _close(opened: list[str], depth: int, parts: list[str]) -> None:
    while len(opened) > depth:
        parts.append(f"</{opened.pop()}>")


def _allowed_value(element: str, attribute: str, value: str) -> str | None:
    """Returns an attribute's value, or None where one of `ATTRIBUTES` must not have this one."""
    if attribute == "class":
        return value if CLASSES[element].fullmatch(value) else None
    if attribute == "src":
        return None if _NO_PART_OF_A_URL.sub("", value).lower().startswith(("mailto:", "tel:")) else value
    return value


_SANITISER = nh3.Cleaner(
    tags=set(ELEMENTS),
    attributes=ATTRIBUTES,
    set_tag_attribute_values=GIVEN,
    attribute_filter=_allowed_value,
    url_schemes=SCHEMES,
    link_rel="noopener",  # for pages that open links in a new tab; `noreferrer` would hide an article from its partners
)


EXCERPT_LENGTH = 200
_PARAGRAPH = re.compile(r"\n  <paragraph [^>]*+>(\n.*?)\n  </paragraph>", re.DOTALL)
"""A paragraph outside of quotes and lists in the parser's XML."""
_INLINE_NODE = re.compile(r"<(text |code |html_inline |softbreak |linebreak |image (?![^>]*/>)|/image)[^>]*+>([^<]*+)")
_CAPTIONED = re.compile(
    r"\n +(?:<link [^>]*+>\n +)?<image [^>]*+(?:(?<=/)>|>(?:(?!</image>).)*+</image>)\n(?: +</link>\n)?"
    r" +<(?:linebreak |softbreak [^>]*+>\n +<emph )",
    re.DOTALL,
)
"""The beginning of a paragraph whose first line is an image, and the second a caption."""
_WORDLESS = re.compile(r"(?:\{\{[^{}]*+\}\}|https?://\S+|[\W_])*+")
_SHORTCODE = re.compile(r"\0([^\0]*+)\0|\{\{(?:&lt;|%)[^{}\0]*+(?<=[%;])\}\}|\{%[^{}\0]*+(?<=%)\}")
"""Code between zeros, or a shortcode or tag that a generator left."""
_GENERATED = re.compile(
    r'<sup class="footnote-ref">(?:<a [^<>]*+>[^<]*+</a>|[^<]*+)</sup>'
    r'|<a href="#fnref-[^>]*+>↩(?:<sup class="footnote-ref">\d++</sup>)?</a>'
    r'|<p class="markdown-alert-title">(?:Note|Tip|Important|Warning|Caution)</p>'
)
"""What the parser adds to a text: numbers of footnotes, links back from them, titles of alerts."""
_MARKS = re.compile(r"\[\^[^\s\[\]]++\]|\{[:.#][^{}\n]*+\}")
"""Marks of footnotes without a definition, and attributes in braces."""
_INSIDE_A_LINE = re.compile(f"</?(?:img|{'|'.join(INLINE)})(?:[ /][^<>]*+)?>|<!--[^<>]*-->")
"""The tags inside of which a word goes on."""


@remembered(1_000, lambda count: 1)
def word_count(markdown: str) -> int:
    """Returns the number of words that a reader of the rendered markdown sees; `words` says what a word is.

    Code counts, and the text of links and of raw html; addresses, descriptions of images, tags, comments, scripts and
    styles do not; nor do the marks of footnotes and the titles that alerts get. (decisions, sections 5 and 22)
    """
    return count_words(read_text(markdown))


def read_text(markdown: str) -> str:
    """Returns the text that a reader of the rendered markdown sees, with code and without descriptions of images."""
    return _text(_GENERATED.sub("", parsed_html(with_markers_defined(markdown)[0])))


def first_paragraph(markdown: str) -> str | None:
    """Returns the text of the first paragraph that has words, else of the first with any, at most 200 characters.

    Headings, quotes, lists, tables, code, raw html and paragraphs of images alone are skipped, marks of footnotes and
    attributes in braces (`{.lead}`) left out. A caption below an image, a bare address, and a shortcode that a
    generator left are no words. None where there is no text.
    (decisions, section 7: `excerpt`)
    """
    wordless = None
    for text, has_words in _paragraphs(markdown):
        if has_words:
            return _shortened(text, EXCERPT_LENGTH)
        wordless = wordless or text
    return wordless and _shortened(wordless, EXCERPT_LENGTH)


def text_of_paragraphs(markdown: str, length: int) -> str:
    """Returns the text of the paragraphs that have words, as `first_paragraph` reads them, at most `length`."""
    return _shortened(" ".join(text for text, has_words in _paragraphs(markdown) if has_words), length)


def _paragraphs(markdown: str) -> Iterator[tuple[str, bool]]:
    """Yields the beginning of each paragraph's text that is not empty, and whether it has words."""
    for paragraph in _PARAGRAPH.finditer(parsed_xml(markdown)):
        words = _text(_html_without_images(paragraph[1])).split(maxsplit=EXCERPT_LENGTH)[:EXCERPT_LENGTH]
        if text := " ".join(words):
            yield text, not (_CAPTIONED.match(paragraph[1]) or _WORDLESS.fullmatch(text[:1_000]))


def _html_without_images(inlines: str) -> str:
    """Returns the html of a paragraph's content, given in the parser's XML: raw html, and text between it."""
    parts: list[str] = []
    images = 0
    for kind, text in _INLINE_NODE.findall(inlines):
        images += (kind == "image ") - (kind == "/image")
        if not images:
            text = _MARKS.sub("", text) if kind == "text " else text
            text = f"\0{text}\0" if kind == "code " else text
            parts.append(unescape(text) if kind == "html_inline " else text or (" " if "break" in kind else ""))
    return _SHORTCODE.sub(r"\1", "".join(parts))


def _text(html: str) -> str:
    """Returns the text of html that the parser made, with a space where a block or a line ends."""
    text = MARKUP.sub(" ", _INSIDE_A_LINE.sub("", html))
    return unescape(text.replace("&quot;", '"'))  # each reference takes `unescape` a step


def _shortened(text: str, length: int) -> str:
    """Returns a text that is too long cut at the end of a word, in any script, with an ellipsis within `length`."""
    if len(text) <= length:
        return text
    from icu4py.breakers import CharacterBreaker, WordBreaker  # 4 MB, as in `words`

    beginning = text[:length]
    cut = _last_end(WordBreaker(beginning, "root"), length) or _last_end(CharacterBreaker(beginning, "root"), length)
    return beginning[: cut or length - 1].rstrip() + "…"


def _last_end(segments: Iterable[str], before: int) -> int:
    ends = accumulate(map(len, segments))  # not `segments()`, which counts units of UTF-16
    return max(takewhile(lambda end: end < before, ends), default=0)
