"""What a reader sees of a document's markdown: how many words, and which begin it (decisions, sections 5 and 7)."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import accumulate, islice, takewhile

from icu4py.breakers import CharacterBreaker, WordBreaker

from app.rules.html import INLINE, INLINE_MARKDOWN
from app.rules.markdown import Event, element_of, parsed, rendered, tag_name
from app.rules.words import count_words, parts_of

EXCERPT_LENGTH = 200
_BLOCKS_LOOKED_AT = 1_000
_EVENTS_LOOKED_AT = 100_000
_ATTRIBUTES = r'(?: [a-z]+="[^"<>]*")*'
_INLINE = "(?:em|strong|del|a|code)"
_BLOCK = "(?:t[dhr]|p|li|h[1-6]|[uo]l|pre|blockquote|table|thead|tbody|hr|br|input)"
_COMMENT = re.compile("<!--(?!-?>)[^<>]*-->")
"""A comment; one with tags, or in the attribute of a tag, may be something else to the parser."""
_INLINE_TAG = re.compile(f"<{_INLINE}{_ATTRIBUTES}>|</{_INLINE}>|<img{_ATTRIBUTES} />")
_BLOCK_TAG = re.compile(f"</?{_BLOCK}>|<{_BLOCK}{_ATTRIBUTES}(?: ?/)?>")
"""The tags that the parser writes; the same ones in raw html divide words alike."""


def word_count(markdown: str) -> int:
    """Returns the number of words that a reader of the rendered markdown sees; `words` says what a word is.

    Code counts, and the text of links and of raw html; addresses, descriptions of images, tags, comments, scripts and
    styles do not. (decisions, section 5)
    """
    words = _words_of_rendered(markdown)
    return count_words("".join(_shown(parsed(markdown)))) if words is None else words


def first_paragraph(markdown: str) -> str | None:
    """Returns the text of the first paragraph that has any, at most 200 characters of it, or None.

    Headings, quotes, lists, tables, code, raw html and paragraphs of images alone are skipped; it is looked for
    among the first 1,000 blocks. (decisions, section 7: `excerpt`)
    """
    for paragraph in _paragraphs(markdown):
        if text := " ".join("".join(_shown(paragraph)).split(maxsplit=EXCERPT_LENGTH)[:EXCERPT_LENGTH]):
            return _shortened(text, EXCERPT_LENGTH)
    return None


def _words_of_rendered(markdown: str) -> int | None:
    """Returns the words of the same text as `_shown` by passes in C over the html; None for raw html with other tags.

    Looking at each event of the parser in Python takes four times as long: 0.6 ms of a 10 KB draft.
    """
    if "<img" in markdown:  # unlike an image of markdown, it ends a word
        return None
    number = 0
    for html in parts_of(rendered(markdown)):
        text = _BLOCK_TAG.sub(" ", _INLINE_TAG.sub("", _COMMENT.sub("", html)))
        if "<" in text:
            return None
        number += count_words(unescape(text))
    return number


def _shown(events: Iterable[Event]) -> Iterator[str]:
    """Returns the text that a reader sees, with a space where a block or a line ends."""
    images = 0
    for kind, value in events:
        if kind in ("Start", "End"):
            name, _ = element_of(value)
            if name == "Image":
                images += 1 if kind == "Start" else -1
            elif name not in INLINE_MARKDOWN:
                yield " "
        elif images:
            continue
        elif kind == "Tag":
            yield "" if tag_name(value) in INLINE else " "
        elif kind in ("Text", "Code"):
            yield value
        else:
            yield unescape(value) if kind == "Raw" else " "


def _paragraphs(markdown: str) -> Iterator[list[Event]]:
    """Returns the content of each paragraph outside of quotes, lists and tables, among the first 1,000 blocks."""
    depth = blocks = 0
    block: list[Event] = []
    for kind, value in islice(parsed(markdown), _EVENTS_LOOKED_AT):
        name = element_of(value)[0] if kind in ("Start", "End") else None
        if name is None or name in INLINE_MARKDOWN:
            if depth == 1:
                block.append((kind, value))
        elif kind == "Start":
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                if name == "Paragraph":
                    yield block
                block, blocks = [], blocks + 1
                if blocks == _BLOCKS_LOOKED_AT:
                    return


def _shortened(text: str, length: int) -> str:
    """Returns a text that is too long cut at the end of a word, in any script, with an ellipsis within `length`."""
    if len(text) <= length:
        return text
    beginning = text[:length]
    cut = _last_end(WordBreaker(beginning, "root"), length) or _last_end(CharacterBreaker(beginning, "root"), length)
    return beginning[: cut or length - 1].rstrip() + "…"


def _last_end(segments: Iterable[str], before: int) -> int:
    ends = accumulate(map(len, segments))  # not `segments()`, which counts units of UTF-16
    return max(takewhile(lambda end: end < before, ends), default=0)
