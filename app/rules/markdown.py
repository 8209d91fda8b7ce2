"""Markdown as html that is safe to put on a page (decisions, sections 5 and 7).

Two steps keep it safe. `nesting` bounds the depth and leaves only tags named here; nh3 then parses what is left as a
browser would, and writes out only elements, attributes and addresses named here.
"""

import re
from typing import Final

import nh3

from app.rules.cmark import parsed
from app.rules.html import ATTRIBUTES, ELEMENTS, GIVEN
from app.rules.nesting import well_nested

MAX_HTML_BYTES: Final = 15 * 1024 * 1024
"""Markdown whose html is larger can't be published; whoever publishes checks it."""

MAX_DEPTH: Final = 100
"""Elements inside each other. What an author nests deeper is shown at this depth: its text stays, its tags go."""

_LANGUAGE = re.compile(r"language-\S+")
_NO_PART_OF_A_URL = re.compile(r"[\x00-\x20]")


def to_html(markdown: str) -> str:
    """Returns the html of CommonMark with GitHub's tables, strikethrough, task lists and autolinks, safe on any page.

    Raw html is kept as far as it is harmless. Footnotes and headings get no anchors, since no `id` can come out.
    Links lead to http, https, mail or a relative address, images come from http, https or a relative one. The box of
    a task list is the only control, and it is disabled. (decisions, section 7)
    """
    with parsed(markdown) as tree:
        html = tree.html()
    return _SANITISER.clean(well_nested(html, MAX_DEPTH))


def _kept(element: str, attribute: str, value: str) -> str | None:
    """Returns an attribute's value, or None where one that is named above must not have this one."""
    if attribute == "class":
        return value if _LANGUAGE.fullmatch(value) else None
    if attribute == "src":
        return None if _NO_PART_OF_A_URL.sub("", value).lower().startswith("mailto:") else value
    return value


_SANITISER = nh3.Cleaner(
    tags=set(ELEMENTS),
    attributes=ATTRIBUTES,
    set_tag_attribute_values=GIVEN,
    attribute_filter=_kept,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener",  # for pages that open links in a new tab; `noreferrer` would hide an article from its partners
)
