"""Passages of markdown as they are read, without marks: for quotes and comparisons."""

import re
from collections.abc import Callable
from html import unescape

from app.console.frame import console

NOT_ESCAPED = r"(?<!\\)"
STEPS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"^[ \t]*(?:\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t:-]*|(?:```|~~~).*)$\n?", ""),
    (r"^[ \t]*(?:> ?|#{1,6}(?:[ \t]+|$)|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)+", ""),
    (NOT_ESCAPED + r"!?\[(?!\^)([^\[\]]*)\]\([^()]*\)", r"\1"),
    (NOT_ESCAPED + r"\[\^[^\[\]\s]+\](?::[ \t]*)?", ""),
    (
        r"^[ \t]*\|.*|.*" + NOT_ESCAPED + r"\|[ \t]*$",
        lambda row: re.sub(NOT_ESCAPED + r"\|", " · ", row[0].strip(" |")),
    ),
    (NOT_ESCAPED + r"(?:\*\*|~~|`+|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)|\*(?=\S)|(?<=\S)\*)", ""),
    (r"\\([!-/:-@\[-`{-~])|\\$", r"\1"),
)
"""Marks, and what is read in their place, in this order."""
PATTERNS = [(re.compile(pattern, re.MULTILINE), read) for pattern, read in STEPS]


@console.app_template_filter()
def as_read(markdown: str) -> str:
    """Returns a passage without the marks of markdown, also where it ends within some."""
    text = markdown
    for pattern, read in PATTERNS:
        text = pattern.sub(read, text)
    return unescape(re.sub("  +", " ", text))
