"""The slugs of documents: made from titles, and numbered when they are taken (decisions, section 4)."""

import re
import unicodedata

import regex
from anyascii import anyascii

MAX_LENGTH = 200

_SYMBOLS = regex.compile(r"[\p{So}\p{Sk}]")  # emoji above all, which would come out as their English names
_HAN = regex.compile(r"\p{Han}")
_GERMAN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})  # anyascii makes ß `ss`
_WORD = re.compile(r"[a-z0-9]+")


def slug_of(title: str) -> str:
    """Returns the slug that a title makes: its words in ASCII, in lower case, at most 200 characters.

    Umlauts are written out, as in German: `fuer`. It is cut at a word boundary; a first word longer than that is
    truncated. A title without a letter or digit, as of emoji alone, makes `untitled`.
    """
    spelled = unicodedata.normalize("NFC", title).translate(_GERMAN)
    text = _HAN.sub(r" \g<0> ", _SYMBOLS.sub(" ", spelled))
    words = _WORD.findall(anyascii(text).lower().replace("'", ""))
    slug = "-".join(words) or "untitled"
    if len(slug) <= MAX_LENGTH:
        return slug
    return slug[: MAX_LENGTH + 1].rpartition("-")[0] or slug[:MAX_LENGTH]


def numbered(slug: str, n: int) -> str:
    """Returns the slug to try as the n-th, `-2` and up, when those before it are taken; within 200 characters too."""
    if n == 1:
        return slug
    suffix = f"-{n}"
    return slug[: MAX_LENGTH - len(suffix)].rstrip("-") + suffix
