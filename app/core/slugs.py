"""Rules for slugs, and how names are compared (decisions, sections 2 and 4).

A document's slug is one URL path segment, a category's is stricter.
"""

import re
import unicodedata
from collections.abc import Container
from itertools import count

import marshmallow as ma
import regex
from anyascii import anyascii

from app.core.records import Stored
from app.core.schemas.validation import full_match
from app.core.times import Instant


def name_key(name: str) -> str:
    """Returns what names are compared by: the name composed, trimmed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


def lower_id(record_id: str | None) -> str | None:
    return record_id.lower() if record_id else None


class StoredNamed(Stored):
    """The fields that all of them have."""

    name: str
    deletedAt: Instant | None


MAX_PAST_SLUGS = 20
"""Maximum number of past slugs that are stored of a document; the oldest are dropped (decisions, section 15)."""


_UNFIT = regex.compile(
    r"[\p{ASCII}--[A-Za-z0-9\-._~]]|[[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}]--[\u200c\u200d]]", regex.VERSION1
)
"""Characters outside those that RFC 3986, section 2.3, leaves unreserved; of other scripts the invisible ones, but for
the joiners, which are part of the spelling in Persian and Indic scripts."""


category_slug = full_match(
    "[a-z0-9]+(-[a-z0-9]+)*", "Must be lowercase letters, numbers and single hyphens, like `how-to`."
)


def document_slug(value: str) -> None:
    """Checks the form of a document's slug."""
    if problem := slug_problem(value):
        raise ma.ValidationError(problem)


def slug_problem(slug: str) -> str | None:
    """Returns what is wrong with a document's slug, and what to do, or None when it is one URL path segment as sent.

    Letters of any script are fine, in either case; spaces, control characters and all that RFC 3986 reserves are not.
    """
    if not slug.strip():
        return "A slug is not blank. Leave it out to have one made from the title."
    if slug in (".", ".."):
        return "A slug is not only dots, which mean a folder in an address. Use letters, digits or hyphens."
    if unfit := _UNFIT.search(slug):
        return f"{_named(unfit[0])} can't be part of a slug. Use letters, digits, hyphens, `.`, `_` or `~`."
    return None


def slug_key(slug: str) -> str:
    """Returns what no two slugs of a project have in common: without case, composed form and final dots."""
    return name_key(slug).rstrip(".")


def _named(character: str) -> str:
    visible = character.isprintable() and not character.isspace()
    return f"`{character}`" if visible else f"A space or invisible character (U+{ord(character):04X})"


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


def first_free(slug: str, taken: Container[str]) -> str:
    """Returns the slug, with the lowest number where it is taken."""
    return next(one for number in count(1) if (one := numbered(slug, number)) not in taken)


def numbered(slug: str, n: int) -> str:
    """Returns the slug to try as the n-th, `-2` and up, when those before it are taken; within 200 characters too."""
    if n == 1:
        return slug
    suffix = f"-{n}"
    return slug[: MAX_LENGTH - len(suffix)].rstrip("-") + suffix
