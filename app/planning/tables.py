"""Reads the pieces of a plan from a table: CSV or TSV, as spreadsheets write it (decisions, section 14).

The fields of a brief are columns like `brief.keyword`, those of what a text used like `generation.model`.
"""

import codecs
import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Any

from marshmallow import fields

from app.core.errors import MAX_ISSUES, HttpApiDecodeError, Issue
from app.core.other_bodies import CsvBody, CsvTable
from app.core.schemas.fields import Schema, StrictBoolean, StrictInteger, StringList
from app.core.schemas.loading import cached_schema
from app.core.schemas.validation import near_name
from app.documents.schemas import MAX_KEY, MAX_MARKDOWN, BriefFields
from app.planning.schemas import PieceFields
from app.provenance.schemas import DraftGenerationFields

DELIMITERS = ",;\t"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
WORDS = {"true": True, "yes": True, "false": False, "no": False}

PARTS: dict[str, type[Schema]] = {"brief": BriefFields, "generation": DraftGenerationFields}
"""The fields with fields of their own, which are columns like `brief.keyword`."""

COLUMNS: dict[str, fields.Field[Any]] = {
    **{name: field for name, field in cached_schema(PieceFields).fields.items() if name not in PARTS},
    **{f"{part}.{name}": field for part in PARTS for name, field in cached_schema(PARTS[part]).fields.items()},
}
"""The columns of a table, each with the field that it holds."""


class UnreadablePlan(Exception):
    """A file that is no plan: the first problems, at most `MAX_ISSUES`, and how many more there are."""

    def __init__(self, *problems: str, more: int = 0) -> None:
        self.problems = problems[:MAX_ISSUES]
        super().__init__("\n".join(self.problems))
        self.more = more + len(problems) - len(self.problems)


@dataclass(frozen=True)
class PlanFile:
    """A plan as it is in its file."""

    pieces: list[Any]
    atomic: bool = False
    lines: tuple[int, ...] = ()
    """The line of each piece, from 1; empty for YAML and JSON."""

    def place(self, index: int) -> str:
        """Returns the place of a piece in the file."""
        return f"line {self.lines[index]}" if self.lines else f"piece {index + 1}"

    def place_and_key(self, index: int) -> str:
        """Returns the place of a piece in the file, with its key: a row of a spreadsheet may be several lines."""
        piece = self.pieces[index]
        key = piece.get("key") if isinstance(piece, dict) else None
        return f"{self.place(index)} ({key[:MAX_KEY]})" if key and isinstance(key, str) else self.place(index)

    def problem(self, path: str, message: str, *, start: int = 0) -> str:
        """Returns a problem of a request as a line that names the place of its piece in the file.

        `start` is the place of the first piece of the request.
        """
        index, field = piece_and_field(path)
        if index is None:
            return f"{path}: {message}"
        return ": ".join(filter(None, (self.place_and_key(start + index), field, message)))


def piece_and_field(path: str) -> tuple[int | None, str]:
    """Returns the piece that the path of a problem names, and its field; no piece for a path of the request itself."""
    found = re.fullmatch(r"pieces\[(\d+)\]\.?(.*)", path)
    return (int(found[1]), found[2]) if found else (None, path)


def text_of(content: bytes) -> str:
    """Returns the text of a file: UTF-8 with or without a byte order mark, or UTF-16 with one."""
    try:
        return content.decode("utf-16" if content.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadablePlan(
            "The file is not UTF-8: save it again with that encoding (`CSV UTF-8` in Excel)."
        ) from None


def read_table(text: str) -> PlanFile:
    """Returns the plan in a table with a header line. Raises `UnreadablePlan`."""
    rows = rows_of(text)
    header_line, header = next(rows, (1, []))
    names = [name.strip() for name in header]
    columns = _wrong_columns(names)
    wrong = [f"line {header_line}: {_column_problem(names, name)}" for name in columns[:MAX_ISSUES]]
    more = len(columns) - len(wrong)
    if wrong and COLUMNS.keys().isdisjoint(names):
        raise UnreadablePlan(*wrong, more=more)  # a line of another kind, which does not determine how the rest is read
    pieces, lines = [], []
    for line, cells in rows:
        if problem := _row_problem(names, cells):
            if len(wrong) < MAX_ISSUES:
                wrong.append(f"line {line}: {problem}")
            else:
                more += 1
        elif any(cells) and not wrong:
            pieces.append(piece_of(names, cells))
            lines.append(line)
    if wrong:
        raise UnreadablePlan(*wrong, more=more)
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


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a table, each with the line that it begins in. Raises `UnreadablePlan`."""
    csv.field_size_limit(MAX_MARKDOWN * 2)
    reader = csv.reader(StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadablePlan(f"line {line}: its quotes don't match: {error}.") from None


def _wrong_columns(names: list[str]) -> list[str]:
    """Returns the names of a header that are unknown or repeated, and `key` where it is missing."""
    sent = dict.fromkeys([*filter(None, names), "key"])
    return [name for name in sent if name not in COLUMNS or names.count(name) != 1]


def _column_problem(names: list[str], name: str) -> str:
    if name in COLUMNS:
        times = names.count(name)
        return f"the column `{name}` appears {times} times." if times else f"there is no column `{name}`."
    near = _near_column(name)
    hint = f"did you mean `{near}`?" if near else f"the columns are {', '.join(COLUMNS)}."
    return f"`{name}` is not a column; {hint}"


def _row_problem(names: list[str], cells: list[str]) -> str | None:
    if len(cells) > len(names):
        return f"has {len(cells)} cells, and the header {len(names)}: quote a cell with commas."
    if any(cell for name, cell in zip(names, cells, strict=False) if not name):
        return "has a cell in a column without a name."
    return None


def _near_column(name: str) -> str | None:
    """Returns the column that is near, also without the prefix of the brief's columns: `Word count`, `keywords`."""
    last_parts = {column.rpartition(".")[2]: column for column in COLUMNS}
    names = [*COLUMNS, *last_parts]
    near = near_name(name.replace(" ", "").lower(), names)
    return last_parts.get(near, near) if near else None


def piece_of(names: Iterable[str], cells: Iterable[str]) -> dict[str, Any]:
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
    if isinstance(field, StrictInteger) and re.fullmatch(r"\s*[0-9]{1,18}\s*", cell):
        return int(cell)
    return cell.replace("\r\n", "\n").replace("\r", "\n")


_QUOTED = re.compile('"[^"]*"')


def _read(raw: bytes, max_cells: int) -> CsvTable:
    try:
        text = text_of(raw)
        outside = _QUOTED.sub("", text)
        if sum(map(outside.count, (*DELIMITERS, "\n", "\r"))) > max_cells:
            raise UnreadablePlan(f"Must have at most {max_cells:,} cells.")
        table = read_table(text)
    except UnreadablePlan as error:
        issues = [Issue(path="", message=problem) for problem in error.problems]
        raise HttpApiDecodeError(issues=issues, more=error.more) from None

    def place_of(path: str) -> str | None:
        index, _ = piece_and_field(path)
        return None if index is None else table.place(index)

    return CsvTable({"pieces": table.pieces}, place_of)


PLAN = CsvBody(_read, "key,title,brief.keyword\nrye-starter,A starter of rye,rye starter\n")
