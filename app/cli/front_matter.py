"""A markdown file with front matter, YAML between `---` or TOML between `+++`, as the fields that `import` takes.

Decisions, section 10. What is not known here is listed by the command, and left alone.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import yaml

from app.fields.briefs import BriefFields
from app.fields.slugs import slug_problem

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
FENCES = {"---": "YAML", "+++": "TOML"}

FIELDS = {
    "title": "title",
    "slug": "slug",
    "description": "metaDescription",
    "subtitle": "subtitle",
    "excerpt": "excerpt",
    "status": "status",
}
"""The keys that stand for one field, and which."""
CATEGORY, KEYWORD, IMAGE = ("category", "categories"), ("keywords", "tags"), ("image", "cover")
DATED_PATH = re.compile(r"(\d{4})[-/](\d{2})[-/](\d{2})(?:[-/]|$)")


class Unreadable(Exception):
    """A file that is no markdown with front matter; the message says why."""


@dataclass(frozen=True)
class Post:
    """What a file says."""

    fields: dict[str, Any]
    unknown: frozenset[str]
    dated: datetime | None
    draft: bool


def read_post(file: Path) -> Post:
    """Returns what a file says. Raises `Unreadable`."""
    front, markdown = _split(file)
    fields = {ours: front[key] for key, ours in FIELDS.items() if front.get(key) is not None}
    fields.setdefault("slug", _slug_of_file(file))
    for keys, field in ((CATEGORY, "category"), (IMAGE, "coverImageUrl")):
        if (named := _first(front, keys)) is not None:
            fields[field] = named
    if brief := _brief(front):
        fields["brief"] = brief
    if markdown:
        fields["markdown"] = markdown
        if "brief" in fields:
            fields.setdefault("status", "drafting")  # it is written already: a brief alone would make it an idea
    return Post(fields, frozenset(_unknown(front)), _dated(front, file), front.get("draft") is True)


def _split(file: Path) -> tuple[Mapping[str, Any], str]:
    try:
        text = file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Unreadable("It is not UTF-8.") from None
    except OSError as error:
        raise Unreadable(f"It can't be read: {error.strerror}.") from None
    fence = text[:3]
    if fence not in FENCES or not (first := re.match(r"...[ \t]*\n", text)):
        raise Unreadable("It has no front matter: begin it with a line of --- (YAML) or +++ (TOML).")
    end = re.compile(rf"^{re.escape(fence)}[ \t]*(?:\n|\Z)", re.MULTILINE).search(text, first.end())
    if end is None:
        raise Unreadable(f"Its front matter does not end: close it with a line of {fence}.")
    return _parsed(fence, text[first.end() : end.start()]), text[end.end() :].strip("\n")


def _parsed(fence: str, text: str) -> Mapping[str, Any]:
    try:
        front = tomllib.loads(text) if fence == "+++" else yaml.load(text, LOADER)
    except (tomllib.TOMLDecodeError, yaml.YAMLError, ValueError) as error:
        raise Unreadable(f"Its front matter is no {FENCES[fence]}: {_why(error)}") from None
    if front is None:
        return {}
    if not isinstance(front, dict) or not all(isinstance(key, str) for key in front):
        raise Unreadable("Its front matter must be keys with values.")
    return front


def _why(error: Exception) -> str:
    """Returns what a parser complains of on one line, with the line of the file; the fence is its first."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem and error.problem_mark:
        return f"line {error.problem_mark.line + 2}: {error.problem}"
    return " ".join(str(error).split())


def _slug_of_file(file: Path) -> str:
    """Returns the slug of a file that names none: its name, or its folder's where it is an `index.md`."""
    name = file.resolve().parent.name if file.stem == "index" else file.stem
    kept = "".join(
        letter if slug_problem(f"a{letter}") is None else "-" for letter in unicodedata.normalize("NFC", name)
    )
    return re.sub("-{2,}", "-", kept).strip("-.")


def _first(front: Mapping[str, Any], keys: tuple[str, str]) -> Any:
    value = next((front[key] for key in keys if front.get(key) not in (None, [])), None)
    return value[0] if isinstance(value, list) else value


def _brief(front: Mapping[str, Any]) -> Any:
    brief, keyword = front.get("brief"), _first(front, KEYWORD)
    if not isinstance(brief, dict | None):
        return brief
    return ({"keyword": keyword} if keyword is not None else {}) | (brief or {})


def _unknown(front: Mapping[str, Any]) -> list[str]:
    known = {*FIELDS, *CATEGORY, *KEYWORD, *IMAGE, "brief", "date", "draft", "path"}
    brief = front.get("brief")
    inner = (
        [f"brief.{key}" for key in brief if key not in BriefFields._declared_fields] if isinstance(brief, dict) else []
    )
    return [key for key in front if key not in known] + inner


def _dated(front: Mapping[str, Any], file: Path) -> datetime | None:
    """Returns the file's date: its `date`, else the one that its `path` or its name begins with."""
    given = front.get("date")
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError:
            raise Unreadable(f"Its date is {given!r}: write it like 2027-01-31 or 2027-01-31T09:00:00Z.") from None
    if given is None:
        found = DATED_PATH.match(str(front.get("path", "")).lstrip("/")) or DATED_PATH.match(file.name)
        given = date(*map(int, found.groups())) if found else None
    if isinstance(given, datetime):
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).astimezone(UTC)
    if isinstance(given, date):
        return datetime(given.year, given.month, given.day, tzinfo=UTC)
    if given is not None:
        raise Unreadable(f"Its date is {given!r}: write it like 2027-01-31 or 2027-01-31T09:00:00Z.")
    return None
