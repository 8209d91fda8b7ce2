"""Splits a markdown file into its front matter (YAML between `---`, TOML between `+++`, or JSON) and its text."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from app.cli.bounded_parsing import Unparsable, parse_leading_json, parse_toml, parse_yaml
from app.cli.calling import read_bounded

FENCES = {"---": ("YAML", parse_yaml), "+++": ("TOML", parse_toml)}
MAX_FILE_BYTES = 10 * 1024 * 1024
"""More than the longest text has in UTF-8, with its front matter."""
EMPTY: tuple[object, ...] = ("", None, [], {})


class Unreadable(Exception):
    """A file that is not markdown with front matter; the message says why."""


class LeftOut(Unreadable):
    """A file that is no document's; the message says why."""


def read_front_matter(file: Path) -> tuple[Mapping[str, Any], str]:
    """Returns the keys of a file's front matter that have a value, and its text. Raises `Unreadable`."""
    front, markdown = _split(_text(file))
    return _without_empty(front), markdown


def _without_empty(value: Any) -> Any:
    """Returns a value of front matter without what is empty in it: that is as if it were not there."""
    if isinstance(value, dict):
        return {key: inner for key, one in value.items() if (inner := _without_empty(one)) not in EMPTY}
    if isinstance(value, list):
        return [inner for one in value if (inner := _without_empty(one)) not in EMPTY]
    return "" if isinstance(value, str) and not value.strip() else value


def _text(file: Path) -> str:
    content = read_bounded(file, MAX_FILE_BYTES, Unreadable, name="It")
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise Unreadable("It is not UTF-8.") from None


def _split(text: str) -> tuple[Mapping[str, Any], str]:
    if text.startswith("{"):
        front, end = _parsed("JSON", parse_leading_json, text)
        return _keys(front), text[end:].strip("\n")
    fence = text[:3]
    if fence not in FENCES or not (first := re.match(r"...[ \t]*\n", text)):
        raise Unreadable("It has no front matter: begin it with a line of --- (YAML) or +++ (TOML), or with JSON.")
    end = re.compile(rf"^{re.escape(fence)}[ \t]*(?:\n|\Z)", re.MULTILINE).search(text, first.end())
    if end is None:
        raise Unreadable(f"Its front matter does not end: close it with a line of {fence}.")
    front = _parsed(*FENCES[fence], text[first.end() : end.start()])
    return _keys(front), text[end.end() :].strip("\n")


def _parsed(language: str, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except Unparsable as error:
        raise Unreadable(f"Its front matter is not valid {language}: {error}") from None


def _keys(front: Any) -> Mapping[str, Any]:
    if front is None:
        return {}
    if not isinstance(front, dict) or not all(isinstance(key, str) for key in front):
        raise Unreadable("Its front matter must be keys with values.")
    return front
