"""What a reader of a document's markdown finds, with lines: links, images, paragraphs and text.

Raw html counts as a reader sees it, so links and images that were written as html are found, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from app.rules.outline_html import to_annotated_html

_CODE = frozenset({"code", "pre", "script", "style"})


@dataclass(frozen=True)
class Passage:
    """A piece of text, and the line of the markdown that it begins in, from 1."""

    text: str
    line: int


@dataclass(frozen=True)
class Image:
    """An image: its address and alternative text as written, and its line."""

    address: str
    alt: str
    line: int


@dataclass
class Content:
    """What a document holds, each list in the order of the text."""

    links: list[Passage] = field(default_factory=list)
    """The addresses of links."""
    images: list[Image] = field(default_factory=list)
    paragraphs: list[Passage] = field(default_factory=list)
    prose: list[Passage] = field(default_factory=list)
    """All text outside of code, in pieces that hold no markup."""
    text: str = ""
    """All text that a reader sees, code too."""


def content_of(markdown: str) -> Content:
    """Returns what a document's markdown holds."""
    content = Content()
    document = to_annotated_html(markdown)
    if not document.strip():
        return content
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True, remove_pis=True)
    root = etree.fromstring(document.encode(), parser)
    if root is None:
        return content
    content.text = "".join(root.itertext())
    line, code_depth = 1, 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        is_code = element.tag in _CODE
        if event == "start":
            line = _line_of(element, line)
            code_depth += is_code
            _add(content, element, line)
            text = element.text
        else:
            code_depth -= is_code
            text = element.tail
        if text:
            if not code_depth:
                content.prose.append(Passage(text, line))
            line += text.count("\n")
    return content


def _add(content: Content, element: etree._Element, line: int) -> None:
    if element.tag == "a" and (address := element.get("href")) is not None:
        content.links.append(Passage(address, line))
    elif element.tag == "img":
        content.images.append(Image(element.get("src") or "", element.get("alt") or "", line))
    elif element.tag == "p":
        content.paragraphs.append(Passage(" ".join("".join(element.itertext()).split()), line))


def _line_of(element: etree._Element, last: int) -> int:
    """Returns the line in which the parser says that an element begins; of raw html, the last line known."""
    begin = (element.get("data-sourcepos") or "").partition(":")[0]
    return int(begin) if begin.isascii() and begin.isdigit() and len(begin) < 9 else last
