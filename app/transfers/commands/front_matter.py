"""Reads a markdown file with front matter, YAML between `---` or TOML between `+++`, as the fields of a document.

Keys that are not known here are listed by the command and ignored (decisions, section 10).
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from app.cli.bounded_parsing import Unparsable, parse_toml, parse_yaml
from app.cli.calling import read_bounded
from app.core.context import this_instant
from app.core.schemas.loading import cached_schema
from app.core.slugs import slug_problem
from app.core.times import missing_day
from app.documents.schemas import BriefFields
from app.provenance.schemas import DraftGenerationFields

FENCES = {"---": ("YAML", parse_yaml), "+++": ("TOML", parse_toml)}
MAX_FILE_BYTES = 10 * 1024 * 1024
"""More than the longest text has in UTF-8, with its front matter."""

FIELDS = {
    "title": "title",
    "slug": "slug",
    "description": "metaDescription",
    "subtitle": "subtitle",
    "excerpt": "excerpt",
    "status": "status",
    "generation": "generation",
}
"""The field that each front matter key sets."""
CATEGORY, KEYWORD, AUTHOR = ("category", "categories"), ("keywords", "tags"), ("authors", "author")
IMAGE, OF_IMAGE = ("image", "cover", "heroImage", "images"), ("image", "path", "src", "url")
"""The keys for a cover, and those of its address where it is a table."""
DATE = ("publishedAt", "date", "pubDate", "publishDate")
PERMALINK, ALIASES = ("permalink", "url"), ("aliases", "redirect_from")
"""The keys for the path of a page, and for its earlier paths."""
DRAFT_WHEN = {"draft": True, "published": False}
"""The keys that say that a file is a draft, and with which value."""
LATER, UNTIL = "publishdate", ("expirydate", "unpublishdate")
"""The keys, in lower case, of the times from which and until which a generator shows a page."""
BUILD, HEADLESS = ("build", "_build"), "headless"
OTHERS = ("brief", "draft", "published", "path", *BUILD, HEADLESS)
COVER = "coverImageUrl"
EMPTY: tuple[object, ...] = ("", None, [], {})
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
DATED_PATH = re.compile(r"(\d{4})[-/](\d{2})[-/](\d{2})(?:[-/]|$)")


class Unreadable(Exception):
    """A file that is not markdown with front matter; the message says why."""


@dataclass(frozen=True)
class Post:
    """A file's content."""

    fields: dict[str, Any]
    unknown: frozenset[str]
    """Front matter keys that are not known."""
    dated: datetime | None
    withheld: str
    """Why `--publish` does not publish the file; empty if it does."""
    further: frozenset[str] = frozenset()
    """Front matter keys with more values than the one that a document takes."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """The former slug that each earlier path of its page becomes."""


def read_post(file: Path) -> Post:
    """Returns a file's content. Raises `Unreadable`."""
    front, markdown = _split(_text(file))
    front = _without_empty(front)
    fields = {ours: front[key] for key, ours in FIELDS.items() if key in front}
    permalink, permalinked = _permalink(front)
    fields.setdefault("slug", permalinked or _slug_of_file(file))
    fields |= {name: value for name, value in (("category", _first(front, CATEGORY)), (COVER, _cover(front))) if value}
    if brief := _brief(front):
        fields["brief"] = brief
    if authors := _listed(front, AUTHOR):
        fields["authors"] = [name for one in authors for name in _names(one)]
    aliases = [path for key in ALIASES for path in _listed(front, (key,))]
    paths = {path: _slug_of_path(path) for path in aliases}
    if permalinked and (former := _slug_of_path(permalink)) != fields["slug"]:
        paths[permalink] = former
    if paths:
        fields["aliases"] = [*dict.fromkeys(paths.values())]
    _refuse_unquoted(fields)
    if markdown:
        fields["markdown"] = markdown
        if "brief" in fields:
            fields.setdefault("status", "drafting")  # it has content, but its brief would make it begin as an idea
    unknown = {*_unknown(front)} | ({*PERMALINK} & front.keys() if not permalinked else set())
    dated = _dated(front, file)
    return Post(fields, frozenset(unknown), dated, _withheld(front, dated), frozenset(_further(front)), paths)


def _without_empty(value: Any) -> Any:
    """Returns a value of front matter without what is empty in it: that is as if it were not there."""
    if isinstance(value, dict):
        return {key: inner for key, one in value.items() if (inner := _without_empty(one)) not in EMPTY}
    if isinstance(value, list):
        return [inner for one in value if (inner := _without_empty(one)) not in EMPTY]
    return "" if isinstance(value, str) and not value.strip() else value


def _refuse_unquoted(fields: Mapping[str, Any]) -> None:
    parts = {name: fields[name] for name in ("brief", "generation") if isinstance(fields.get(name), dict)}
    texts = {name: value for name, value in fields.items() if name not in ("brief", "generation")}
    texts |= {f"{part}.{name}": value for part, within in parts.items() for name, value in within.items()}
    for name, value in texts.items():
        if isinstance(value, bool | int | float | date):
            raise Unreadable(f"{name}: Is a number, a date, or true or false, and must be text: quote it.")


def _text(file: Path) -> str:
    content = read_bounded(file, MAX_FILE_BYTES, Unreadable, name="It")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Unreadable("It is not UTF-8.") from None


def _split(text: str) -> tuple[Mapping[str, Any], str]:
    fence = text[:3]
    if fence not in FENCES or not (first := re.match(r"...[ \t]*\n", text)):
        raise Unreadable("It has no front matter: begin it with a line of --- (YAML) or +++ (TOML).")
    end = re.compile(rf"^{re.escape(fence)}[ \t]*(?:\n|\Z)", re.MULTILINE).search(text, first.end())
    if end is None:
        raise Unreadable(f"Its front matter does not end: close it with a line of {fence}.")
    return _front_matter(fence, text[first.end() : end.start()]), text[end.end() :].strip("\n")


def _front_matter(fence: str, text: str) -> Mapping[str, Any]:
    language, parse = FENCES[fence]
    try:
        front = parse(text)
    except Unparsable as error:
        raise Unreadable(f"Its front matter is not valid {language}: {error}") from None
    if front is None:
        return {}
    if not isinstance(front, dict) or not all(isinstance(key, str) for key in front):
        raise Unreadable("Its front matter must be keys with values.")
    return front


def _slug_of_file(file: Path) -> str:
    """Returns the slug of a file that names none: its name, or its folder's where it is an `index.md`."""
    name = file.absolute().parent.name if file.stem == "index" else file.stem
    slug = "".join(
        letter if slug_problem(f"a{letter}") is None else "-" for letter in unicodedata.normalize("NFC", name)
    )
    return re.sub("-{2,}", "-", slug).strip("-.")


def _first(front: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next(iter(_listed(front, keys)), None)


def _further(front: Mapping[str, Any]) -> Iterator[str]:
    """Yields the keys whose values are not all those that a document takes, which has one category and one keyword."""
    for keys in (CATEGORY, KEYWORD):
        taken = _first(front, keys)
        yield from (key for key in keys if any(value != taken for value in _listed(front, (key,))))


def _cover(front: Mapping[str, Any]) -> Any:
    """Returns the address of the cover; Hugo and Jekyll have it in a table with its description."""
    cover = _first(front, IMAGE)
    return _first(cover, OF_IMAGE) if isinstance(cover, dict) else cover


def _permalink(front: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the path that a file names for its page, and the slug in that; nothing for a pattern or another site."""
    path = _first(front, PERMALINK)
    if not isinstance(path, str) or re.search(r"[:{}]", path):
        return "", ""
    path = path.removesuffix("index.html")
    slug = unquote(path.rstrip("/").rpartition("/")[2]).removesuffix(".html")
    return ("", "") if slug_problem(slug) else (path, slug)


def _listed(front: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    """Returns the values of the first of some keys that is there."""
    value: Any = next((front[key] for key in keys if key in front), [])
    return value if isinstance(value, list) else [value]


def _names(author: Any) -> list[Any]:
    """Returns what an author may be found by: their name, or of a table the e-mail address and the name."""
    return [author[key] for key in ("email", "name") if key in author] if isinstance(author, dict) else [author]


def _slug_of_path(path: object) -> str:
    """Returns the last segment of a path, which is the slug that a redirect leads away from."""
    if not isinstance(path, str):
        raise Unreadable("Its aliases must be paths, like /2019/rye/: quote them.")
    slug = unquote(re.split("[?#]", path)[0].rstrip("/").rpartition("/")[2])
    if not slug:
        raise Unreadable(f"Its alias {path!r} has no last segment, which becomes a former slug: leave it out.")
    return slug


def _brief(front: Mapping[str, Any]) -> Any:
    brief, keyword = front.get("brief"), _first(front, KEYWORD)
    if not isinstance(brief, dict | None):
        return brief
    return ({"keyword": keyword} if keyword is not None else {}) | (brief or {})


def _unknown(front: Mapping[str, Any]) -> list[str]:
    known = {*FIELDS, *CATEGORY, *KEYWORD, *IMAGE, *AUTHOR, *DATE, *PERMALINK, *ALIASES, *OTHERS}
    inner = [f"{name}.{key}" for name in IMAGE if isinstance(front.get(name), dict) for key in front[name]]
    inner = [one for one in inner if not one.endswith(tuple(f".{key}" for key in OF_IMAGE))]
    inner += [
        f"{name}.{key}"
        for name, schema in (("brief", BriefFields), ("generation", DraftGenerationFields))
        if isinstance(within := front.get(name), dict)
        for key in within
        if key not in cached_schema(schema).fields
    ]
    return [key for key in front if key not in known and str(key).casefold() not in DRAFT_WHEN] + inner


def _is_draft(front: Mapping[str, Any]) -> bool:
    """Returns whether a file says that it is a draft; keys are compared without case, as `Draft: true` is meant so."""
    says = [(str(key), value) for key, value in front.items() if str(key).casefold() in DRAFT_WHEN]
    for name, value in says:
        if not isinstance(value, bool | None):
            raise Unreadable(f"Its {name} must be true or false, without quotes.")
    return any(value is DRAFT_WHEN[name.casefold()] for name, value in says)


def _withheld(front: Mapping[str, Any], dated: datetime | None) -> str:
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
    return "a draft" if draft else "no date" if dated is None else "the date is in the future" if dated > now else ""


def _dated(front: Mapping[str, Any], file: Path) -> datetime | None:
    """Returns when the file was published: `publishedAt`, its `date`, or what its `path` or its name begins with."""
    name = next((key for key in DATE if key in front), None)
    if name is None:
        return _date_of_path(front.get("path")) or _date_of_path(file.name)
    instant = _instant_of(front, name)
    if name == "publishedAt" and instant > this_instant():
        raise Unreadable("Its publishedAt must not be in the future.")
    return instant


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
            return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
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
