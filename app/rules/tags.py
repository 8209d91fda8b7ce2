"""How tags in html of any author are read, and the one plain form they are given, which every parser reads alike."""

import re
from typing import Final, NamedTuple

from app.rules.html import ATTRIBUTES, ELEMENTS, GIVEN, VOID

MAX_VALUE: Final = 10_000
"""Characters of an attribute's value; an attribute with a longer one is left out."""

# Patterns. None can fail far from where it began, so that no text is read twice.
_REST = r"""(?:[^=>]++|=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?)*+(?:>|\Z)"""
TAG: Final = rf"</?[a-zA-Z]{_REST}"
DECLARATION: Final = r"<[!?/][^>]*+(?:>|\Z)"

_HIDDEN = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))|<(?P<element>script|style)(?=[\s/>]).*?(?:</(?P=element)\b[^>]*+(?:>|\Z)|\Z)"
    rf"|(?P<tag>{TAG})",
    re.IGNORECASE | re.DOTALL,
)
_BEGINS_HIDDEN = re.compile(r"<(?:!--|script|style)", re.IGNORECASE)
_PARTS = re.compile(r"<(/?)([a-zA-Z][^\s/>]*+)(.*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++)))?+""")
_KNOWN_ATTRIBUTES = frozenset().union(*ATTRIBUTES.values())


class Tag(NamedTuple):
    """A start or end tag in its plain form."""

    name: str
    is_end: bool
    text: str


def tags_of(names: frozenset[str]) -> str:
    """Returns the pattern of the tags of some elements, with names in lower case."""
    return rf"</?(?:{'|'.join(sorted(names))})(?=[\s/>]){_REST}"


def without_hidden(html: str) -> str:
    """Returns html without its comments, scripts and styles: what they hold is no text and no tags."""
    if _BEGINS_HIDDEN.search(html) is None:
        return html
    return _HIDDEN.sub(lambda part: part["tag"] or "", html)


def plain_tag(written: str) -> Tag | None:
    """Returns a tag, as its author wrote it, in its plain form; None when it is not one of `ELEMENTS`."""
    parts = _PARTS.match(written)
    if parts is None:
        return None
    end, name, attributes = parts[1], parts[2].lower(), parts[3]
    if name not in ELEMENTS or (end and name in VOID):
        return None
    return Tag(name, True, f"</{name}>") if end else Tag(name, False, f"<{name}{_plain(name, attributes)}>")


def _plain(element: str, attributes: str) -> str:
    values = dict(GIVEN.get(element, {}))
    for name, double, single, bare in _ATTRIBUTE.findall(attributes):
        value = double or single.replace('"', "&quot;") or bare
        if name.lower() in _KNOWN_ATTRIBUTES and len(value) <= MAX_VALUE:
            values.setdefault(name.lower(), value)
    return "".join(f' {name}="{value}"' for name, value in values.items())
