"""Text for XML: escaped, without the characters that XML does not allow."""

import re
from xml.sax.saxutils import escape, quoteattr

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'


def text(value: str) -> str:
    """Returns text for an element."""
    return escape(_ILLEGAL.sub("", value))


def attribute(value: str) -> str:
    """Returns text for an attribute, with its quotes."""
    return quoteattr(_ILLEGAL.sub("", value))
