"""Markdown as its parser, comrak, reads it: GitHub's (GFM), with footnotes and alerts.

comrak is written in Rust, and no input takes it long: 0.3 ms for 20 KB, at most 2 s for 2 MB. But it holds the GIL
meanwhile, and takes up to 600 MB. So this file is also a program, in which long texts are parsed.
"""

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Final

import comrak

LONG: Final = 100_000
"""A text of more characters is parsed by a process of its own, which takes 40 ms more."""

BYTE_ORDER_MARK: Final = "\ufeff"

MARKER: Final = re.compile(r"\[\^[a-z][1-9][0-9]{0,8}\]")
"""A footnote reference that may have its definition elsewhere than in the text: a letter and a number."""

BEFORE_TEXT: Final = "<!-- -->"
"""Divides definitions that stand before a text from it."""

_AT_ONCE = threading.Semaphore(3)
"""Bounds the memory of these processes together."""

_WITHOUT_ALERTS = comrak.ExtensionOptions(
    table=True, strikethrough=True, autolink=True, tasklist=True, footnotes=True, header_id_prefix=""
)
_GFM = comrak.ExtensionOptions(
    table=True, strikethrough=True, autolink=True, tasklist=True, footnotes=True, alerts=True, header_id_prefix=""
)
DEEP = 100
"""How many quotes that begin in one line make the parser's time for alerts grow with their square: 80,000 take 3 s."""
_DEEP_IN_A_LINE = re.compile(rf"(?<![> \t])[ \t]*+(?:>[ \t]*+){{{DEEP}}}")
_HTML = comrak.RenderOptions(unsafe_=True, tasklist_classes=True)
_XML = comrak.RenderOptions(sourcepos=True)


def parsed_html(markdown: str) -> str:
    """Returns the html that the parser makes of markdown: raw html as it is."""
    return _parsed("html", markdown)


def parsed_xml(markdown: str) -> str:
    """Returns the parser's tree as XML, by the DTD of CommonMark: an element a line, indented by its depth.

    Each element has its position (`sourcepos="2:1-3:4"`, from line 2 to 3). Raw html is escaped text, so that no author
    can write an element. Control characters are as in the markdown, which strict parsers of XML refuse.
    """
    return _parsed("xml", markdown)


def with_definitions(markdown: str, definitions: Mapping[str, str]) -> tuple[str, int]:
    """Returns markdown with definitions of footnotes, inline markdown by label, and the number of lines before it.

    They stand before it, as a text may end inside of code; the comment keeps its first lines from joining the last one.
    """
    before = "".join(f"[^{label}]: {text}\n\n" for label, text in definitions.items()) + f"{BEFORE_TEXT}\n"
    return before + markdown.removeprefix(BYTE_ORDER_MARK), before.count("\n")


def with_markers_defined(markdown: str) -> tuple[str, int]:
    """Returns markdown with an empty definition for each marker, so that the parser sees references; and lines before.

    Markdown without markers stays as it is.
    """
    labels = dict.fromkeys((one[2:-1] for one in MARKER.findall(markdown)), "")
    return with_definitions(markdown, labels) if labels else (markdown, 0)


_DEEP_QUOTE = re.compile(rb"^ {40}</?block_quote[^\n]*+\n", re.MULTILINE)
"""A quote's start or end at the depth beyond which comrak indents no further."""

_ANCHOR = re.compile(r'<a href="#[^"]*+" aria-label="[^"]*+" data-heading-content="[^"]*+" class="anchor"></a>(?=</h)')
"""The empty link that the parser puts into each heading; its id is enough."""


def _options(markdown: str) -> comrak.ExtensionOptions:
    deep = markdown.count(">") >= DEEP and _DEEP_IN_A_LINE.search(markdown)  # the search takes as long as the parser
    return _WITHOUT_ALERTS if deep else _GFM


_PARSERS: Final[dict[str, Callable[[str], str]]] = {
    "html": lambda markdown: _ANCHOR.sub("", comrak.markdown_to_html(markdown, _options(markdown), None, _HTML)),
    "xml": lambda markdown: comrak.markdown_to_xml(markdown, _options(markdown), None, _XML),
}


def _parsed(form: str, markdown: str) -> str:
    markdown = markdown.removeprefix(BYTE_ORDER_MARK)  # with which the first line would be no heading
    if len(markdown) <= LONG:
        return _PARSERS[form](markdown)
    program = [sys.executable, "-P", __file__, form]  # -P: without this folder on the path of modules
    with _AT_ONCE:
        return subprocess.run(program, input=markdown.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()


if __name__ == "__main__":
    parsed = _PARSERS[sys.argv[1]](sys.stdin.buffer.read().decode()).encode()
    sys.stdout.buffer.write(_DEEP_QUOTE.sub(b"", parsed) if sys.argv[1] == "xml" else parsed)
