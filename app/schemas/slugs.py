"""What a slug may be: a document's is one URL path segment, a category's is stricter (decisions, section 4)."""

import marshmallow as ma
import regex

from app.schemas.checks import full_match

MAX_PAST_SLUGS = 20
"""The most past slugs that are stored of a document; the oldest are dropped (decisions, section 15)."""

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


def _named(character: str) -> str:
    visible = character.isprintable() and not character.isspace()
    return f"`{character}`" if visible else f"A space or invisible character (U+{ord(character):04X})"
