"""When a markdown file was published elsewhere, and why it is not to be published now, as generators decide it."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from app.core.context import this_instant
from app.core.times import missing_day
from app.transfers.commands.addresses import name_of_page
from app.transfers.commands.front_matter_files import Unreadable

DATE = ("publishedAt", "date", "pubDate", "publishDate")
DRAFT_WHEN = {"draft": True, "published": False}
"""The keys that say that a file is a draft, and with which value."""
LATER, UNTIL = "publishdate", ("expirydate", "unpublishdate")
"""The keys, in lower case, of the times from which and until which a generator shows a page."""
BUILD, HEADLESS = ("build", "_build"), "headless"
NO_DATE, NO_TEXT = "no date", "it has no text"
DATE_FORMATS = (
    "%b %d %Y",
    "%b %d, %Y",
    "%B %d %Y",
    "%B %d, %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%Y/%m/%d",
    "%a, %d %b %Y %H:%M:%S %z",
)
DATED_PATH = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[-/]|$)")


def reason_withheld(front: Mapping[str, Any], dated: datetime | None) -> str:
    """Returns why a file is not for publication now, as generators decide it; nothing if it is."""
    now, draft = this_instant(), _is_draft(front)
    for key, value in front.items():
        name = str(key).casefold()
        if name == LATER and _instant_of(front, key) > now:
            return f"{key} is in the future"
        if name in UNTIL and _instant_of(front, key) <= now:
            return f"{key} is in the past"
        if name == HEADLESS and value is True:
            return f"{key} is true"
        if name in BUILD and isinstance(value, dict) and value.get("render") in (False, "never", "link"):
            return f"{key}.render is {str(value['render']).lower()}"
    return "a draft" if draft else NO_DATE if dated is None else "the date is in the future" if dated > now else ""


def date_of(front: Mapping[str, Any], file: Path) -> datetime | None:
    """Returns when the file was published: `publishedAt`, its `date`, or what its `path` or its name begins with."""
    name = next((key for key in DATE if key in front), None)
    if name is None:
        return _date_of_path(front.get("path")) or _date_of_path(name_of_page(file))
    instant = _instant_of(front, name)
    if name == "publishedAt" and instant > this_instant():
        raise Unreadable("Its publishedAt must not be in the future.")
    return instant


def _is_draft(front: Mapping[str, Any]) -> bool:
    """Returns whether a file says that it is a draft; keys are compared without case, as `Draft: true` is meant so."""
    says = [(str(key), value) for key, value in front.items() if str(key).casefold() in DRAFT_WHEN]
    for name, value in says:
        if not isinstance(value, bool | None):
            raise Unreadable(f"Its {name} must be true or false, without quotes.")
    return any(value is DRAFT_WHEN[name.casefold()] for name, value in says)


def _instant_of(front: Mapping[str, Any], name: str) -> datetime:
    given = front[name]
    instant = _instant(given)
    if instant is None:
        no_day = missing_day(given) if isinstance(given, str) else None
        says = f"is no day: {no_day}" if no_day else "must be like 2027-01-31 or 2027-01-31T09:00:00Z."
        raise Unreadable(f"Its {name} {says}")
    return instant


def _instant(given: object) -> datetime | None:
    try:
        if isinstance(given, str):
            given = _written(given.strip()[:40])
        if isinstance(given, datetime):
            instant = given if given.tzinfo else given.replace(tzinfo=UTC)
            instant.astimezone(UTC)  # which may be before the year 1
            return instant
        if isinstance(given, date):
            return datetime(given.year, given.month, given.day, tzinfo=UTC)
    except (ValueError, OverflowError):
        pass
    return None


def _written(text: str) -> datetime:
    """Returns a date as generators write it. Raises `ValueError`."""
    for form in DATE_FORMATS:
        with suppress(ValueError):
            return datetime.strptime(text, form)  # noqa: DTZ007  # one without a zone is taken as UTC
    return datetime.fromisoformat(re.sub(r"\s+(?=[-+]\d\d:?\d\d$)", "", text))


def _date_of_path(path: object) -> datetime | None:
    found = DATED_PATH.match(path.lstrip("/")) if isinstance(path, str) else None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), tzinfo=UTC) if found else None
    except ValueError:
        return None  # digits in this order are not always a date
