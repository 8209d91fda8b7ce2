"""Markdown made of its own pieces: rendered, divided into sections, checked, compared."""

import random
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from flask import Flask

from app.checks.rules import Subject, run_checks
from app.core.errors import BadRequest, VersionConflict
from app.core.slugs import slug_of
from app.core.store.store import Store
from app.core.text.diffs import unified_diff
from app.core.text.excerpts import first_paragraph, word_count
from app.core.text.words import search_words
from app.publications.rules import rendered
from app.sections.rules import Edit, apply_edits, partition
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import TEXTS, mutated_text
from tests.bad_input.scene import TEXT
from tests.core.text.safe_html import unsafe_parts
from tests.core.text.xss_corpus import VECTORS

PIECES = (
    *("*", "**", "_", "~~", "`", "```", "~~~\n", "[", "]", "](", "![", "][", "<", ">", "</", "<!--", "-->", "<?", "&#"),
    *("&amp;", "\\", "|", "|-", "|a|b|\n|-|-|\n", "- ", "+ ", "1. ", "> ", "# ", "###### ", "===\n", "---\n", "    "),
    *("\t", "  \n", "\n", "\n\n", "\r", "\r\n", "[a]: b\n", "[x] ", "http://", "www.", "a@b.c", "mailto:"),
    *("javascript:", "<b>", "</b>", "<p>", "<div>\n", "<table><tr><td>", "<a href=", "<img src=x alt=", "<script>"),
    *("rye", "Rye bread", "TODO", "é", "日本語", "\u200d"),
)
LONG = 65_536
"""Characters of the few inputs that repeat one pattern; `test_markdown.py` tries two megabytes."""


@dataclass(frozen=True)
class Texts:
    """A text, and what it is compared with."""

    markdown: str
    other: str
    keyword: str
    html_is_judged: bool

    def __str__(self) -> str:
        beginning = self.markdown[:1_000]
        return (
            f"{len(self.markdown):,} characters: {beginning!r}\nother: {self.other[:500]!r}\nkeyword: {self.keyword!r}"
        )


class MarkdownTarget:
    """Everything that reads markdown."""

    def __init__(self, app: Flask) -> None:
        pass

    def begin(self, store: Store) -> None:
        """Needs nothing."""

    def make(self, chance: random.Random) -> Texts:
        """Returns a text made of pieces of markdown."""
        if chance.random() < 0.01:
            beginning, unit = (self._pieces(chance, *most) for most in ((0, 3), (1, 5)))
            markdown = (beginning + unit * (LONG // max(1, len(unit))))[:LONG]
        else:
            markdown = self._pieces(chance, 1, chance.choice((5, 30, 100)))
        markdown = markdown if chance.random() < 0.7 else mutated_text(chance, TEXT + markdown)
        text = markdown.encode("utf-8", "ignore").decode().replace("\0", "")  # which no interface accepts
        other = mutated_text(chance, text).encode("utf-8", "ignore").decode()
        is_judged = len(text) < 20_000 and chance.random() < 0.2  # two more parsers, which take longest
        return Texts(text, other, chance.choice(("rye", *TEXTS)), is_judged)

    def _pieces(self, chance: random.Random, least: int, most: int) -> str:
        return "".join(chance.choices((*PIECES, *PIECES, *VECTORS[:200], *TEXTS), k=chance.randint(least, most)))

    def end(self) -> str | None:
        """Needs nothing: nothing is written."""
        return None

    def run(self, given: Texts) -> Outcome:
        """Reads a text in every way."""
        markdown = given.markdown
        made = rendered(markdown)
        if made and given.html_is_judged and (unsafe := unsafe_parts(made.html)):
            return Outcome(False, f"The html is not safe: {unsafe[:3]}")
        sections = partition(markdown)
        if "".join(one.text for one in sections) != markdown:
            return Outcome(False, "The sections are not the text.")
        keyword = given.keyword.encode("utf-8", "ignore").decode()
        brief = {"keyword": keyword, "wordCount": keyword, "outline": given.other}
        document: Any = {"title": keyword, "slug": slug_of(keyword), "metaTitle": markdown[:60], "brief": brief}
        run_checks(Subject(document | {"wordCount": word_count(markdown)}, markdown, (), ()), {})
        first_paragraph(markdown)
        search_words(markdown[:500])
        with suppress(BadRequest):
            unified_diff(markdown, given.other, "1", "2")
        with suppress(BadRequest, VersionConflict):
            apply_edits(markdown, [Edit(one.hash, given.other[:500]) for one in sections[-2:]], 1)
        return Outcome(made is None)
