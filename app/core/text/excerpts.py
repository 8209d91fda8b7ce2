"""A document's markdown as a reader sees it: its words and first paragraph (decisions, sections 5 and 7)."""

import re
from collections.abc import Iterable
from html import unescape
from itertools import accumulate, takewhile

from app.core.text.html import INLINE, MARKUP
from app.core.text.markdown import parsed_html, parsed_xml
from app.core.text.words import count_words

EXCERPT_LENGTH = 200
_PARAGRAPH = re.compile(r"^  <paragraph [^>]*+>\n(.*?)^  </paragraph>", re.MULTILINE | re.DOTALL)
"""A paragraph outside of quotes and lists in the parser's XML."""
_INLINE_NODE = re.compile(r"<(text |code |html_inline |softbreak |linebreak |image (?![^>]*/>)|/image)[^>]*+>([^<]*+)")
_GENERATED = re.compile(
    r'<sup class="footnote-ref"><a href="#fn-[^>]*+>[^<]*+</a></sup>'
    r'|<a href="#fnref-[^>]*+>↩(?:<sup class="footnote-ref">\d++</sup>)?</a>'
    r'|<p class="markdown-alert-title">(?:Note|Tip|Important|Warning|Caution)</p>'
)
"""What the parser adds to a text."""
_MARKS = re.compile(r"\[\^[^\s\[\]]++\]|\{[:.#][^{}\n]*+\}")
"""Marks of footnotes without a definition, and attributes in braces."""
_INSIDE_A_LINE = re.compile(f"</?(?:img|{'|'.join(INLINE)})(?:[ /][^<>]*+)?>|<!--[^<>]*-->")
"""The tags inside of which a word goes on."""


def word_count(markdown: str) -> int:
    """Returns the number of words that a reader of the rendered markdown sees; `words` says what a word is.

    Code counts, and the text of links and of raw html; addresses, descriptions of images, tags, comments, scripts and
    styles do not; nor do the marks of footnotes and the titles that alerts get. (decisions, section 5)
    """
    return count_words(_text(_GENERATED.sub("", parsed_html(markdown))))


def first_paragraph(markdown: str) -> str | None:
    """Returns the text of the first paragraph that has any, at most 200 characters of it, or None.

    Headings, quotes, lists, tables, code, raw html and paragraphs of images alone are skipped, marks of footnotes and
    attributes in braces (`{.lead}`) left out.
    (decisions, section 7: `excerpt`)
    """
    for paragraph in _PARAGRAPH.finditer(parsed_xml(markdown)):
        text = _MARKS.sub("", _text(_html_without_images(paragraph[1]))).split(maxsplit=EXCERPT_LENGTH)
        if text:
            return _shortened(" ".join(text[:EXCERPT_LENGTH]), EXCERPT_LENGTH)
    return None


def _html_without_images(inlines: str) -> str:
    """Returns the html of a paragraph's content, given in the parser's XML: raw html, and text between it."""
    parts: list[str] = []
    images = 0
    for kind, text in _INLINE_NODE.findall(inlines):
        images += (kind == "image ") - (kind == "/image")
        if not images:
            parts.append(unescape(text) if kind == "html_inline " else text or (" " if "break" in kind else ""))
    return "".join(parts)


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
