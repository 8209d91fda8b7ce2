"""What a reader sees of a document's markdown: how many words, and which begin it (decisions, sections 5 and 7)."""

import re
from collections.abc import Iterable
from html import unescape
from itertools import accumulate, takewhile

from icu4py.breakers import CharacterBreaker, WordBreaker

from app.rules.cmark import parsed
from app.rules.html import INLINE
from app.rules.tags import DECLARATION, TAG, tags_of, without_hidden
from app.rules.words import search_words, words

__all__ = ["first_paragraph", "search_words", "word_count"]

EXCERPT_LENGTH = 200
_BLOCKS_LOOKED_AT = 1_000

_INSIDE_A_WORD = re.compile(tags_of(INLINE))
_BETWEEN_WORDS = re.compile(rf"{TAG}|{DECLARATION}")


def word_count(markdown: str) -> int:
    """Returns the number of words that a reader of the rendered markdown sees; `words` says what a word is.

    Code counts, and the text of links and of raw html; addresses, descriptions of images, tags, comments, scripts and
    styles do not. (decisions, section 5)
    """
    with parsed(markdown) as tree:
        html = tree.html()
    return sum(1 for _ in words(_text_of(html)))


def first_paragraph(markdown: str) -> str | None:
    """Returns the text of the first paragraph that has any, at most 200 characters of it, or None.

    Headings, quotes, lists, tables, code, raw html and paragraphs of images alone are passed over; it is looked for
    among the first 1,000 blocks. (decisions, section 7: `excerpt`)
    """
    with parsed(markdown) as tree:
        for html in tree.paragraphs(within=_BLOCKS_LOOKED_AT):
            if text := " ".join(_text_of(html).split()):
                return _shortened(text, EXCERPT_LENGTH)
    return None


def _text_of(html: str) -> str:
    """Returns the text that html shows, with a space where a block or a line ends."""
    text = _BETWEEN_WORDS.sub(" ", _INSIDE_A_WORD.sub("", without_hidden(html)))
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "\0")):
        text = text.replace(entity, character)  # what the parser writes: a million of them would take `unescape` long
    return unescape(text).replace("\0", "&")  # markdown holds no null, so `&amp;lt;` is not decoded twice


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
