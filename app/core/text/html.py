"""Markdown as html that is safe to put on a page (decisions, sections 5 and 7): the parser's own html, then nh3.

What nh3 takes grows with the square of the depth of the tree (100,000 different `<b>` that are never closed: over 12 s)
and of what stands in a table outside its cells (390,000 `<br>`: over 12 s), so the tags in between are bounded and well
nested. nh3 alone says what is safe.
"""

import re
from typing import Final

import nh3

from app.core.text.markdown import BEFORE_TEXT, parsed_html

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
    "img": {"alt", "height", "src", "width"},
    "input": {"checked", "disabled", "type"},
    "ins": {"datetime"},
    "li": {"id"},
    "meter": {"high", "low", "max", "min", "optimum", "value"},
    "ol": {"reversed", "start", "type"},
    "progress": {"max", "value"},
    "section": {"class", "data-footnotes"},
    "sup": {"class"},
    "td": {"align", "colspan", "rowspan"},
    "th": {"align", "colspan", "rowspan", "scope"},
    "time": {"datetime"},
}
"""The attributes that they may have: no `style`; no `id` or `name`, by which a page's scripts find
things, but those of footnotes; and of
addresses, only `href` and `src`, since nh3 lets any scheme through in the others."""

TASK_BOX: Final = re.compile(r'<input type="checkbox"(?: checked="")? disabled="" />')
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
_CLASSES = {
    "a": re.compile("footnote-backref"),
    "code": re.compile(r"language-\S+"),
    "section": re.compile("footnotes"),
    "sup": re.compile("footnote-ref"),
}
_FOOTNOTE = re.compile(r"fn(?:ref)?-[\w%.-]+")
"""The `id` of a footnote or of a reference to one."""
_NO_PART_OF_A_URL = re.compile(r"[\x00-\x20]")


class TooMuchMarkup(Exception):
    """The html has more tags, or more escaped characters such as `&amp;`, than the limit."""


def to_html(markdown: str) -> str:
    """Returns the html of CommonMark with GitHub's tables, strikethrough, task lists and autolinks, safe on any page.

    Harmless raw html stays. The only `id` that can come out is that of a footnote or of a reference to one.
    Links lead to http, https, mail, a telephone or a relative address, images come from http, https or a relative one.
    The box of a task list is the only control, and it is disabled. Raises `TooMuchMarkup`. (decisions, section 7)
    """
    html = parsed_html(markdown)
    if len(html) > MAX_HTML_BYTES or html.count("<") > MAX_TAGS or len(_REFERENCES.findall(html)) > MAX_REFERENCES:
        raise TooMuchMarkup
    return _SANITISER.clean(_well_nested(html.removeprefix(f"{BEFORE_TEXT}\n")))


def _well_nested(html: str) -> str:
    """Returns html with every element closed, at most 100 inside each other.

    In an author's own link (`<a href="/a">https://a.example</a>`) a bare address is text.
    """
    parts: list[str] = []
    opened: list[str] = []
    end = 0
    for found in MARKUP.finditer(html):
        parts.append(html[end : found.start()])
        end = found.end()
        name = (found["name"] or "").lower()
        if name not in ELEMENTS or (name == "input" and not TASK_BOX.fullmatch(found[0])):
            parts.append("&lt;" if found[0] == "<" else "")
        elif found["end"]:
            if name in opened:
                _close(opened, len(opened) - 1 - opened[::-1].index(name), parts)
        elif opened[-1:] != ["a"] or not _BARE_LINK.match(html, found.start()):
            ended, depth = _ENDED_BY.get(name, ()), len(opened)
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
    parts += [f"</{name}>" for name in reversed(opened[depth:])]
    del opened[depth:]


def _allowed_value(element: str, attribute: str, value: str) -> str | None:
    """Returns an attribute's value, or None where one of `ATTRIBUTES` must not have this one."""
    if attribute == "class":
        return value if _CLASSES[element].fullmatch(value) else None
    if attribute == "id":
        return value if _FOOTNOTE.fullmatch(value) else None
    if attribute == "src":
        return None if _NO_PART_OF_A_URL.sub("", value).lower().startswith(("mailto:", "tel:")) else value
    return value


_SANITISER = nh3.Cleaner(
    tags=set(ELEMENTS),
    attributes=ATTRIBUTES,
    set_tag_attribute_values=GIVEN,
    attribute_filter=_allowed_value,
    url_schemes={"http", "https", "mailto", "tel"},
    link_rel="noopener",  # for pages that open links in a new tab; `noreferrer` would hide an article from its partners
)
