"""Reads the pieces of a plan from a file: CSV as spreadsheets write it, YAML or JSON (decisions, section 14).

The keys of CSV are columns like `brief.keyword`; YAML and JSON hold the body of the request, or its list of pieces.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import orjson
from marshmallow import fields

from app.cli.bounded_parsing import Unparsable, parse_yaml
from app.fields.briefs import BriefFields
from app.fields.intents import MAX_MARKDOWN
from app.fields.loading import instance
from app.fields.plans import PieceFields, PlanFields
from app.fields.types import StrictBoolean, StringList
from app.fields.unknown import near_name, unknown_names

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_YAML_CHARACTERS = 5_000_000
"""YAML takes about a second a million characters."""

TABLES = (".csv", ".tsv", ".txt")
YAML = (".yaml", ".yml")
SUFFIXES = (*TABLES, *YAML, ".json")
DELIMITERS = ",;\t"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
WORDS = {"true": True, "yes": True, "false": False, "no": False}

COLUMNS: dict[str, fields.Field[Any]] = {
    **{name: field for name, field in instance(PieceFields).fields.items() if name != "brief"},
    **{f"brief.{name}": field for name, field in instance(BriefFields).fields.items()},
}
"""The columns of a table, each with the field that it holds."""


class UnreadablePlan(Exception):
    """A file that is no plan; the message says everything that is wrong, a line each."""


@dataclass(frozen=True)
class PlanFile:
    """A plan as its file has it."""

    pieces: list[Any]
    atomic: bool = False
    lines: tuple[int, ...] = ()
    """The line of each piece, from 1; empty for YAML and JSON."""

    def place(self, index: int) -> str:
        """Returns where a piece stands in the file."""
        return f"line {self.lines[index]}" if self.lines else f"piece {index + 1}"


def read_plan(path: Path) -> PlanFile:
    """Returns the plan in a file. Raises `UnreadablePlan`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnreadablePlan(f"{path.name}: its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    content = _content(path)
    if suffix in TABLES:
        return _from_table(_text(content))
    return _from_body(_from_yaml(_text(content)) if suffix in YAML else _from_json(content))


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise UnreadablePlan(f"{path.name}: it can't be read: {error.strerror}.") from None
    if len(content) > MAX_FILE_BYTES:
        raise UnreadablePlan(f"{path.name}: it is larger than 100 MB.")
    return content


def _text(content: bytes) -> str:
    """Returns the text of a file: UTF-8 with or without a byte order mark, or UTF-16 with one."""
    try:
        return content.decode("utf-16" if content.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadablePlan(
            "The file is not UTF-8: save it again with that encoding (`CSV UTF-8` in Excel)."
        ) from None


def _from_table(text: str) -> PlanFile:
    csv.field_size_limit(MAX_MARKDOWN * 2)
    rows = _rows(text, _delimiter(text))
    header_line, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    wrong = [f"line {header_line}: {message}" for message in _header_problems(names)]
    pieces, lines = [], []
    for line, cells in rows:
        if len(cells) > len(names):
            wrong.append(f"line {line}: has {len(cells)} cells, and the header {len(names)}: quote a cell with commas.")
        elif any(cell for name, cell in zip(names, cells, strict=False) if not name):
            wrong.append(f"line {line}: has a cell in a column without a name.")
        elif any(cells):
            pieces.append(_piece(names, cells))
            lines.append(line)
    if wrong:
        raise UnreadablePlan("\n".join(wrong))
    return PlanFile(pieces, lines=tuple(lines))


def _delimiter(text: str) -> str:
    """Returns the delimiter that makes the most known columns of the header."""

    def columns(delimiter: str) -> tuple[int, int]:
        try:
            header = next(csv.reader(StringIO(text, newline=""), delimiter=delimiter), [])
        except csv.Error:
            return 0, 0
        return sum(name.strip() in COLUMNS for name in header), len(header)

    return max(DELIMITERS, key=columns)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table, each with the line that it begins in."""
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadablePlan(f"line {line}: its quotes don't match: {error}.") from None


def _header_problems(names: list[str]) -> Iterator[str]:
    for name in dict.fromkeys(filter(None, names)):
        if name not in COLUMNS:
            near = near_name(name, COLUMNS)
            hint = f"did you mean `{near}`?" if near else f"the columns are {', '.join(COLUMNS)}."
            yield f"`{name}` is not a column; {hint}"
        elif names.count(name) > 1:
            yield f"the column `{name}` stands there {names.count(name)} times."
    if "key" not in names:
        yield "there is no column `key`."


def _piece(names: list[str], cells: list[str]) -> dict[str, Any]:
    """Returns a row as a piece; an empty cell is not sent."""
    piece: dict[str, Any] = {}
    for name, cell in zip(names, cells, strict=False):
        if cell:
            part, _, field = name.rpartition(".")
            (piece.setdefault(part, {}) if part else piece)[field] = _value(COLUMNS[name], cell)
    return piece


def _value(field: fields.Field[Any], cell: str) -> Any:
    if isinstance(field, StringList):
        return [item for part in cell.split("|") if (item := part.strip())]
    if isinstance(field, StrictBoolean):
        return WORDS.get(cell.strip().lower(), cell)
    return cell.replace("\r\n", "\n").replace("\r", "\n")


def _from_yaml(text: str) -> Any:
    try:
        return _with_dates_as_text(parse_yaml(text, max_characters=MAX_YAML_CHARACTERS, first_line=1))
    except Unparsable as error:
        raise UnreadablePlan(f"The file is not valid YAML: {error}") from None


def _with_dates_as_text(value: Any) -> Any:
    """Returns a value of YAML as JSON would have it: a date without quotes is a string."""
    if isinstance(value, dict):
        return {name: _with_dates_as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_dates_as_text(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _from_json(content: bytes) -> Any:
    try:
        return orjson.loads(content.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise UnreadablePlan(f"The file is not valid JSON: {error}.") from None


def _from_body(body: Any) -> PlanFile:
    plan = {"pieces": body} if isinstance(body, list) else body
    if not isinstance(plan, dict) or not isinstance(plan.get("pieces"), list):
        raise UnreadablePlan("The file must hold a list of pieces, or an object with such a list as `pieces`.")
    if wrong := list(_unknown(plan)):
        raise UnreadablePlan("\n".join(wrong))
    if not isinstance(plan.get("atomic", False), bool):
        raise UnreadablePlan("atomic: Must be true or false.")
    return PlanFile(plan["pieces"], atomic=plan.get("atomic") is True)


def _unknown(plan: Mapping[str, Any]) -> Iterator[str]:
    not_text = [place for place, piece in enumerate(plan["pieces"]) if _has_other_keys(piece)]
    yield from (f"piece {place + 1}: its keys must be strings." for place in not_text)
    if not not_text and not _has_other_keys(plan):
        yield from (f"{one.path}: unknown field; {one.hint}" for one in unknown_names(instance(PlanFields), plan))


def _has_other_keys(value: Any) -> bool:
    """Tells whether an object of YAML has keys that JSON can't have."""
    if not isinstance(value, dict):
        return False
    return any(not isinstance(key, str) for key in value) or any(_has_other_keys(item) for item in value.values())
