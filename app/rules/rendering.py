"""Markdown as html that is safe to put on a page (decisions, sections 5 and 7).

The html is written well nested and no deeper than a limit; then nh3 parses it as a browser would, and writes out only
the elements, attributes and addresses named in `html`.
"""

import re
from html import escape
from typing import Any, Final
from urllib.parse import quote

import nh3

from app.rules.autolinks import linked
from app.rules.html import ATTRIBUTES, ELEMENTS, GIVEN, INLINE_MARKDOWN
from app.rules.html_writer import HtmlWriter
from app.rules.markdown import element_of, parsed

MAX_HTML_BYTES: Final = 15 * 1024 * 1024
"""Markdown whose html is larger can't be published; publishing checks it."""

MAX_VALUE: Final = 10_000
"""Characters of a link's address or title, or of an image's description."""

_LANGUAGE = re.compile(r"language-\S+")
_NO_PART_OF_A_URL = re.compile(r"[\x00-\x20]")
_URL_SAFE = "-_.+!*(),%#@?=;:/&$~'"
_SAME_IN_HTML = {
    "Paragraph": ("p", ""),
    "BlockQuote": ("blockquote", "\n"),
    "Item": ("li", ""),
    "Emphasis": ("em", ""),
    "Strong": ("strong", ""),
    "Strikethrough": ("del", ""),
}


def to_html(markdown: str) -> str:
    """Returns the html of CommonMark with GitHub's tables, strikethrough, task lists and autolinks, safe on any page.

    Harmless raw html stays. Footnotes and headings get no anchors, since no `id` can come out.
    Links lead to http, https, mail or a relative address, images come from http, https or a relative one. The box of
    a task list is the only control, and it is disabled. Raises `TooMuchMarkup`. (decisions, section 7)
    """
    renderer = _Renderer()
    for kind, value in parsed(markdown):
        renderer.render(kind, value)
    return _SANITISER.clean(renderer.writer.html())


class _Renderer:
    """Writes the html of one event of the parser after the other."""

    def __init__(self) -> None:
        self.writer = HtmlWriter()
        self._unlinked = 0
        """How many links and blocks of code are open, inside of which bare addresses are no links."""
        self._images: list[dict[str, str]] = []
        self._description: list[str] = []
        self._alignments: tuple[str, ...] = ()
        self._column = 0
        self._cell = "td"

    def render(self, kind: str, value: Any) -> None:
        """Writes an event; of an image's content only the text, as its description."""
        if kind == "Start":
            name, details = element_of(value)
            if name == "Image":
                self._images.append(details)
            elif not self._images:
                self._start(name, details)
        elif kind == "End":
            name, _ = element_of(value)
            if name == "Image":
                self._image(self._images.pop())
            elif not self._images:
                self._end(name)
        elif self._images:
            self._description.append(value if kind in ("Text", "Code") else " ")
        else:
            self._content(kind, value)

    def _content(self, kind: str, value: Any) -> None:
        writer = self.writer
        match kind:
            case "Text":
                self._text(value)
            case "SoftBreak":
                writer.text("\n")
            case "HardBreak":
                writer.void("<br>\n")
            case "Code":
                writer.start("code")
                writer.text(escape(value))
                writer.end()
            case "Tag":
                writer.raw(value)
            case "Raw":
                writer.text(value.replace("<", "&lt;"))
            case "Rule":
                writer.new_line()
                writer.void("<hr>\n")
            case "TaskListMarker":
                writer.void(f'<input type="checkbox" disabled=""{" checked" if value else ""}> ')

    def _text(self, text: str) -> None:
        if self._unlinked:
            self.writer.text(escape(text))
            return
        for shown, address in linked(text):
            if address and len(address) <= MAX_VALUE:
                self.writer.start("a", f' href="{_url(address)}"')
                self.writer.text(escape(shown))
                self.writer.end()
            elif shown:
                self.writer.text(escape(shown))

    def _start(self, name: str, details: Any) -> None:
        writer = self.writer
        if name not in INLINE_MARKDOWN:
            writer.new_line()
        match name:
            case "Heading":
                writer.start(details["level"].lower())
            case "List" if details is None:
                writer.start("ul", after="\n")
            case "List":
                writer.start("ol", f' start="{details}"' if details != 1 else "", after="\n")
            case "CodeBlock":
                self._unlinked += 1
                language = details["Fenced"].split(maxsplit=1)[:1] if isinstance(details, dict) else []
                writer.start("pre")
                writer.start("code", "".join(f' class="language-{escape(word[:MAX_VALUE])}"' for word in language))
            case "Link":
                self._unlinked += 1
                mail = "mailto:" if details["link_type"] == "Email" else ""
                writer.start("a", _attribute("href", mail + details["dest_url"]) + _title(details))
            case "Table":
                self._alignments = details
                writer.start("table", after="\n")
            case "TableHead":
                self._cell, self._column = "th", 0
                writer.start("thead", after="\n")
                writer.start("tr", after="\n")
            case "TableRow":
                if self._cell == "th":
                    writer.start("tbody", after="\n")
                self._cell, self._column = "td", 0
                writer.start("tr", after="\n")
            case "TableCell":
                alignment = self._alignments[self._column]
                self._column += 1
                writer.start(self._cell, "" if alignment == "None" else f' align="{alignment.lower()}"')
            case "HtmlBlock":
                pass
            case _:
                element, after = _SAME_IN_HTML[name]
                writer.start(element, after=after)

    def _end(self, name: str) -> None:
        match name:
            case "HtmlBlock":
                self.writer.new_line()
                return
            case "Link":
                self._unlinked -= 1
            case "CodeBlock":
                self._unlinked -= 1
                self.writer.end()
            case "TableHead":
                self.writer.end()
            case "Table" if self._cell == "td":
                self.writer.end()
        self.writer.end()

    def _image(self, image: dict[str, str]) -> None:
        if not self._images:
            description = escape("".join(self._description)[:MAX_VALUE])
            self._description.clear()
            source = _attribute("src", image["dest_url"])
            self.writer.void(f'<img{source} alt="{description}"{_title(image)}>')


def _attribute(name: str, address: str) -> str:
    return f' {name}="{_url(address)}"' if len(address) <= MAX_VALUE else ""


def _url(address: str) -> str:
    return escape(quote(address, safe=_URL_SAFE))


def _title(link: dict[str, str]) -> str:
    return f' title="{escape(link["title"][:MAX_VALUE])}"' if link["title"] else ""


def _allowed_value(element: str, attribute: str, value: str) -> str | None:
    """Returns an attribute's value, or None where one of `ATTRIBUTES` must not have this one."""
    if attribute == "class":
        return value if _LANGUAGE.fullmatch(value) else None
    if attribute == "src":
        return None if _NO_PART_OF_A_URL.sub("", value).lower().startswith("mailto:") else value
    return value


_SANITISER = nh3.Cleaner(
    tags=set(ELEMENTS),
    attributes=ATTRIBUTES,
    set_tag_attribute_values=GIVEN,
    attribute_filter=_allowed_value,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener",  # for pages that open links in a new tab; `noreferrer` would hide an article from its partners
)
