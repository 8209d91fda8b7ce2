"""The search in texts in the console: a filter of the table and the board, and the sentences that have the words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from app.console.additions import Pages
from app.console.sessions import context
from app.core.text.words import search_words
from app.search.operations import sentences_with
from app.search.rules import Part


def _shown(parts: Iterable[Part]) -> Markup:
    return Markup().join(
        Markup("<mark>{}</mark>").format(one.text) if one.is_found else escape(one.text) for one in parts
    )


def _sentences(ids: Sequence[str], chosen: Mapping[str, str]) -> dict[str, Any]:
    """Returns the sentence of each document that a page lists, by id."""
    text = chosen.get("text", "")
    if not ids or not search_words(text):
        return {}
    return {one: _shown(parts) for one, parts in sentences_with(context(), ids, text).items()}


def _filters() -> dict[str, Any]:
    return {"text": "Whole words in texts"}


PAGES = Pages("search", values={"filters": _filters, "sentences": _sentences})
