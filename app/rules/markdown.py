"""Markdown as its parser reads it: CommonMark with GitHub's tables, strikethrough and task lists, by pyromark.

pyromark binds pulldown-cmark, which is written in Rust: threads parse at once, and no input takes it long.
"""

import re
from collections.abc import Iterable
from typing import Any

import pyromark

from app.rules.autolinks import protected, restored

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH | pyromark.Options.ENABLE_TASKLISTS
_LONE_RETURN = re.compile(r"\r(?!\n)")


def parsed_html(markdown: str) -> str:
    """Returns the html that the parser makes of markdown: raw html as it is, bare addresses as text."""
    source = protected(markdown)
    html = pyromark.html(_with_line_feeds(source), options=_OPTIONS)
    return html if source == markdown else restored(html)


def events_with_places(markdown: str) -> Iterable[tuple[Any, Any]]:
    """Returns the parser's own events, raw html whole, each with its `start` and `end` in bytes of the UTF-8 text.

    An event without details is a string, as `"SoftBreak"`; any other is a dict with one key: `{"Text": "a"}`.
    """
    return pyromark.events_with_range(_with_line_feeds(markdown), options=_OPTIONS, merge_text=True)


def _with_line_feeds(markdown: str) -> str:
    """Returns markdown with a line feed for each lone carriage return, which the parser misses in code and raw html."""
    return _LONE_RETURN.sub("\n", markdown) if "\r" in markdown else markdown
