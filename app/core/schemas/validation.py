"""Checks that fields share; each raises marshmallow's `ValidationError` with what would be right."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date
from functools import partial
from urllib.parse import urlsplit

import marshmallow as ma
from marshmallow import validate
from pydantic import AfterValidator

from app.core.times import missing_day

SHORT_NAME = 4
"""Names of up to this many characters are near by one edit, longer ones by two."""
HEX_ID = re.compile("[0-9a-fA-F]{24}")
"""The form of ids."""
EMPTY_LETTERS = "\u115f\u1160\u3164\uffa0\u2800"
"""Characters that are letters or symbols and show nothing: the fillers of Hangul, and Braille without dots."""
WRONG_ID = "There is no record with this id: an id has 24 hexadecimal digits, as the lists show it."


def full_match(pattern: str, message: str) -> Callable[[str], None]:
    """Returns the check that the whole of a text matches a pattern; marshmallow's `Regexp` allows text after it."""

    def check(value: str) -> None:
        if not re.fullmatch(pattern, value):
            raise ma.ValidationError(message)

    return check


class _OneOf(validate.OneOf):
    """Checks that a string is a word of a closed list; the message has the one that was probably meant."""

    def __call__(self, value: str) -> str:
        if value in self.choices:
            return value
        near = near_name(value, self.choices)
        hint = f" Did you mean `{near}`?" if near else ""
        raise ma.ValidationError(f"Must be one of {', '.join(self.choices)}.{hint}")


def one_of(words: Iterable[str]) -> validate.OneOf:
    """Returns the check that a string is a word of a closed list."""
    return _OneOf([str(word) for word in words])


def word_of(words: Iterable[str]) -> AfterValidator:
    """Returns the same check for a record, whose type pydantic reads."""
    check = one_of(words)

    def checked(value: str) -> str:
        try:
            return str(check(value))
        except ma.ValidationError as error:
            raise ValueError(str(error)) from None

    return AfterValidator(checked)


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that is near: equal but for case, `_` and `-`, else by the fewest edits."""
    from rapidfuzz.distance import Levenshtein  # takes 2 MB, and is needed for misspelt names alone

    plain = folded(name)
    edits = 1 if len(name) <= SHORT_NAME else 2
    distance_to = partial(Levenshtein.distance, name, score_cutoff=2)
    distances = [(0 if folded(one) == plain else distance_to(one), one) for one in known]
    distance, nearest = min(distances, key=lambda pair: pair[0], default=(edits + 1, ""))
    return nearest if distance <= edits else None


def folded(name: str) -> str:
    """Returns a name without `_` and `-`, in lower case."""
    return name.replace("_", "").replace("-", "").lower()


def is_blank(text: str) -> bool:
    """Returns whether a text has nothing but white space and invisible characters."""
    return all(unicodedata.category(one)[0] in "ZCM" or one in EMPTY_LETTERS for one in text)


def not_blank(value: str) -> None:
    """Checks that a text has more than white space and invisible characters."""
    if is_blank(value):
        raise ma.ValidationError("Must not be blank.")


def calendar_date(value: str) -> None:
    """Checks for a day that exists, written `YYYY-MM-DD`."""
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            raise ValueError
        date.fromisoformat(value)
    except ValueError:
        raise ma.ValidationError(missing_day(value) or "Must be a calendar date, written YYYY-MM-DD.") from None


def http_url(value: str) -> None:
    """Checks for an absolute http or https URL with a host."""
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        if not good or re.search(r"[\x00-\x20\x7f<>\"\\^`{|}]", value):
            raise ValueError
    except ValueError:
        raise ma.ValidationError("Must be an http or https URL with a host.") from None
