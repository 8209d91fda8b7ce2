"""What a reader sees of a document's markdown: its words and first paragraph (decisions, sections 5 and 7)."""

import re
from collections.abc import Iterable
from html import escape, unescape
from itertools import accumulate, islice, takewhile

from app.core.text.html import INLINE, MARKUP
from app.core.text.markdown import events_with_places, parsed_html, protected, restored
from app.core.text.words import count_words

EXCERPT_LENGTH = 200
_EVENTS_LOOKED_AT = 100_000
_INLINE_MARKDOWN = frozenset({"Emphasis", "Strong", "Strikethrough", "Link", "Image"})
_INSIDE_A_LINE = re.compile(f"</?(?:img|{'|'.join(INLINE)})(?:[ /][^<>]*+)?>|<!--[^<>]*-->")
"""The tags inside of which a word goes on."""


def word_count(markdown: str) -> int:
    """Returns the number of words that a reader of the rendered markdown sees; `words` says what a word is.

    Code counts, and the text of links and of raw html; addresses, descriptions of images, tags, comments, scripts and
    styles do not. (decisions, section 5)
    """
    return count_words(_text(parsed_html(markdown)))


def first_paragraph(markdown: str) -> str | None:
    """Returns the text of the first paragraph that has any, at most 200 characters of it, or None.

    Headings, quotes, lists, tables, code, raw html and paragraphs of images alone are skipped; it is looked for
    in the first 100,000 parts. (decisions, section 7: `excerpt`)
    """
    depth = images = 0
    html: list[str] = []
    for event, _ in islice(events_with_places(protected(markdown)), _EVENTS_LOOKED_AT):
        kind, value = (event, "") if isinstance(event, str) else next(iter(event.items()))
        name = next(iter(value)) if isinstance(value, dict) else value
        step = {"Start": 1, "End": -1}.get(kind, 0)
        if step and name == "Image":
            images += step
        elif step and name not in _INLINE_MARKDOWN:
            depth += step
            text = _text(restored("".join(html))).split(maxsplit=EXCERPT_LENGTH)
            if text and name == "Paragraph" and depth == 0:
                return _shortened(" ".join(text[:EXCERPT_LENGTH]), EXCERPT_LENGTH)
            html.clear()
        elif depth == 1 and not images and not step:
            html.append(value if kind == "InlineHtml" else escape(value) or " ")
    return None


def _text(html: str) -> str:
    """Returns the text of html that the parser made, with a space where a block or a line ends."""
    return unescape(MARKUP.sub(" ", _INSIDE_A_LINE.sub("", html)))


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
