"""The slugs of documents: made from titles, numbered when taken, refused if no path segment (decisions, section 4)."""

import re
import unicodedata

import regex
from anyascii import anyascii

MAX_LENGTH = 200

_SYMBOLS = regex.compile(r"[\p{So}\p{Sk}]")  # emoji above all, which would come out as their English names
_HAN = regex.compile(r"\p{Han}")
_WORD = re.compile(r"[a-z0-9]+")

_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986, section 2.3
_JOINERS = "\u200c\u200d"  # part of the spelling in Persian and Indic scripts
_UNFIT = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})


def slug_of(title: str) -> str:
    """Returns the slug that a title makes: its words in ASCII, in lower case, as many as 200 characters hold.

    A title without a letter or digit, as of emoji alone, makes `untitled`.
    """
    text = _HAN.sub(r" \g<0> ", _SYMBOLS.sub(" ", title))
    words = _WORD.findall(anyascii(text).lower().replace("'", ""))
    return _joined(words) or "untitled"


def numbered(slug: str, n: int) -> str:
    """Returns the slug to try as the n-th, `-2` and up, when those before it are taken; within 200 characters too."""
    suffix = f"-{n}"
    return slug[: MAX_LENGTH - len(suffix)].rstrip("-") + suffix


def slug_problem(slug: str) -> str | None:
    """Returns what is wrong with a document's slug, and what to do, or None when it is one URL path segment as sent.

    Letters of any script are fine, in either case; spaces, control characters and all that RFC 3986 reserves are not.
    """
    if not slug.strip():
        return "A slug is not blank. Leave it out to have one made from the title."
    if slug in (".", ".."):
        return "A slug is not only dots, which mean a folder in an address. Use letters, digits or hyphens."
    for character in slug:
        if not _fits(character):
            return f"{_named(character)} can't be part of a slug. Use letters, digits, hyphens, `.`, `_` or `~`."
    return None


def _joined(words: list[str]) -> str:
    """Returns as many words as fit, with hyphens; of a first word that does not fit, its beginning."""
    slug = "-".join(words)
    if len(slug) <= MAX_LENGTH:
        return slug
    return slug[: MAX_LENGTH + 1].rpartition("-")[0] or slug[:MAX_LENGTH]


def _fits(character: str) -> bool:
    if character.isascii():
        return character in _UNRESERVED
    return character in _JOINERS or unicodedata.category(character) not in _UNFIT


def _named(character: str) -> str:
    visible = character.isprintable() and not character.isspace()
    return f"`{character}`" if visible else f"A space or invisible character (U+{ord(character):04X})"
