"""Sheets: what people keep in a spreadsheet, read as the columns and values of a plan.

Columns are recognised by what people call them, in English and German; dates are read as the sheet has them. What is
not recognised is left as it is, for the user to map and for the service to refuse.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from hashlib import sha256
from io import StringIO
from itertools import count
from typing import Any
from unicodedata import normalize

import regex

from app.console.frame import label
from app.core.schemas.validation import near_name
from app.core.slugs import numbered, slug_of
from app.core.vocabulary import SearchIntent
from app.documents.schemas import FirstStatus
from app.planning.tables import COLUMNS, UnreadablePlan, piece_of, rows_of

MOST_COLUMNS = 40
"""Maximum number of columns of a sheet; each gets a choice of its meaning."""

NAMES: Mapping[str, str] = {
    "title": "titel headline ueberschrift arbeitstitel working-title thema topic artikel article beitrag name",
    "dueDate": "due due-on deadline date datum faellig faellig-am faelligkeit termin abgabe abgabetermin liefertermin",
    "category": "kategorie rubrik ressort section",
    "cluster": "themencluster themengruppe topic-cluster pillar",
    "assignee": "owner writer assigned-to who verantwortlich zustaendig bearbeiter redakteur autor autorin wer "
    "schreibt",
    "status": "state stand zustand",
    "brief.keyword": "keywords main-keyword focus-keyword target-keyword stichwort suchbegriff schluesselwort "
    "hauptkeyword",
    "brief.wordCount": "words length woerter wortzahl wortanzahl laenge umfang",
    "brief.audience": "target-audience readers zielgruppe leser",
    "brief.intent": "search-intent suchintention suchabsicht absicht",
    "brief.outline": "sections structure gliederung struktur",
    "brief.notes": "note comments comment notizen notiz hinweise anmerkungen bemerkung kommentar",
    "brief.referenceUrls": "sources references links quellen",
    "brief.internalLinks": "link-to interne-links",
    "ready": "offer offered anbieten angeboten",
    "key": "id schluessel kennung",
    "slug": "permalink",
}
"""The columns that sheets usually have, each with what else people call it, as slugs."""
LABELS: Mapping[str, str] = {
    **{name: label(name) for name in NAMES},
    "ready": "Offer the brief (yes/no)",
    "markdown": "Text",
}
"""The columns to choose from; those of programs are taken where the header has their names."""

STATUSES: Mapping[str, FirstStatus] = {
    **{str(status): status for status in FirstStatus},
    **dict.fromkeys(("ideas", "idee", "backlog"), FirstStatus.IDEA),
    **dict.fromkeys(("plan", "geplant", "planung", "todo", "to-do", "offen"), FirstStatus.PLANNED),
    **dict.fromkeys(("draft", "entwurf", "in-arbeit", "in-progress", "writing"), FirstStatus.DRAFTING),
}
NO_PIECES = "The table has a header, but no pieces."
YES = ("yes", "y", "true", "x", "1", "ja", "j", "wahr")
NO = ("no", "n", "false", "0", "nein", "falsch")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
GERMAN_MONTHS = {"mae": 3, "mrz": 3, "mai": 5, "okt": 10, "dez": 12}

NUMERIC = re.compile(r"(\d{1,2})([./-])\s?(\d{1,2})(?:\2\s?(\d{4}|\d{2})?)?")
NAMED = regex.compile(
    r"(?P<day>\d{1,2})(?:\.|st|nd|rd|th)?[\s-]*(?P<month>[^\W\d]{3,})(?:[.,]?[\s-]*(?P<year>\d{4}|\d{2}))?\.?"
    r"|(?P<month>[^\W\d]{3,})\.?[\s-]*(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{4}))?"
)
NOT_IN_KEYS = re.compile(r"[,\x00-\x1f\x7f-\x9f]+")
AROUND = re.compile(
    r"^(?:[^\W\d]{2,10}[.,]+\s*(?=\d)|(?:mon?|tue|wed|thu|fri?|sat?|sun|di|mi|do|so)[^\W\d]*[.,]*\s+)"
    r"|[ T]+\d{1,2}:\d\d(:\d\d)?$",
    re.IGNORECASE,
)
"""Text that a spreadsheet may add to a date: the day of the week, and the time."""


@dataclass
class Sheet:
    """A table as it was pasted, and what its columns mean."""

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    """The line of each row, from 1."""
    columns: list[str] = field(default_factory=list)
    """Meaning of each column; empty for one that is left out."""
    choices: dict[tuple[int, str], str] = field(default_factory=dict)
    """The user's choices for names, by the index of the column and the text of the cells."""
    meant: list[str] = field(default_factory=list)
    """The user's choice for each row of the document that it means; empty for none."""
    day_first: bool | None = None
    """True if its dates begin with the day; None if unknown."""

    def cells(self, column: str) -> list[str]:
        """Returns the cells of a column."""
        return [row[self.columns.index(column)] for row in self.rows] if column in self.columns else []

    def text(self) -> str:
        """Returns the sheet as text, which `read_sheet` reads again."""
        written = StringIO()
        csv.writer(written, delimiter="\t", lineterminator="\n").writerows([self.header, *self.rows])
        return written.getvalue()


def read_sheet(text: str) -> Sheet:
    """Returns a table with its columns as they are recognised, without its empty rows. Raises `UnreadablePlan`."""
    found = rows_of(text)
    header = next((cells for _, cells in found if any(map(str.strip, cells))), [])
    width = max((number for number, name in enumerate(header, 1) if name.strip()), default=0)
    rows, lines, wrong = [], [], []
    for line, cells in found:
        if any(map(str.strip, cells[width:])):
            wrong.append(f"Line {line} has more cells than the header: quote a cell that has the separator in it.")
        elif any(map(str.strip, cells)):
            rows.append([cell.replace("\r\n", "\n").strip() for cell in cells[:width]] + [""] * (width - len(cells)))
            lines.append(line)
    if wrong:
        raise UnreadablePlan(*wrong)
    if width > MOST_COLUMNS + (LABELS["key"] in header):  # which the console adds to rows that were refused
        raise UnreadablePlan(f"The table has {width:,} columns, and at most {MOST_COLUMNS} are read.")
    if not rows:
        raise UnreadablePlan(NO_PIECES)
    names = [name.strip() for name in header[:width]]
    return Sheet(names, rows, lines, recognised(names))


def recognised(header: Iterable[str]) -> list[str]:
    """Returns what the columns of a header mean: each column once, empty for what is not recognised."""
    known = {_folded(name): name for name in COLUMNS}
    known |= {alias: name for name, aliases in NAMES.items() for alias in map(_folded, aliases.split())}
    known |= {_folded(text): name for name, text in LABELS.items() if name in NAMES}
    columns: list[str] = []
    for name in header:
        folded = _folded(name)
        column = known.get(folded) or known.get(near_name(folded, known) or "", "")
        columns.append("" if column in columns else column)
    return columns


def pieces_of(sheet: Sheet, *, day_first: bool | None, today: date) -> list[dict[str, Any]]:
    """Returns the rows of a sheet as the pieces of a plan; one without a key gets it from its title."""
    keys, titles = sheet.cells("key"), sheet.cells("title")
    taken = set(filter(None, keys))
    value = partial(_value, day_first=day_first, today=today)
    pieces = []
    for place, row in enumerate(sheet.rows):
        named = {name: value(name, cell) for name, cell in zip(sheet.columns, row, strict=True) if name}
        if not (keys and keys[place]):
            made = _key_of(titles[place]) if titles and titles[place] else f"line-{sheet.lines[place]}"
            named["key"] = next(key for key in (numbered(made, n) for n in count(1)) if key not in taken)
            taken.add(named["key"])
        pieces.append(piece_of(named.keys(), named.values()))
    return pieces


def day_comes_first(cells: Sequence[str]) -> bool | None:
    """Returns whether dates like 3/4/2027 begin with the day, as far as others in the column tell; None for unknown.

    A date with points always does.
    """
    found = [match for cell in cells if (match := NUMERIC.fullmatch(AROUND.sub("", cell))) and match[2] != "."]
    if any(int(match[1]) > len(MONTHS) for match in found):
        return True
    return False if any(int(match[3]) > len(MONTHS) for match in found) else None if found else True


def iso_date(cell: str, *, day_first: bool | None, today: date) -> str:
    """Returns a date as `YYYY-MM-DD`, one without a year as the next such day; other text is returned unchanged.

    A day that its month does not have is returned too: the service says what is wrong with it.
    """
    text = AROUND.sub("", cell.strip())
    if match := NUMERIC.fullmatch(text):
        pair = int(match[1]), int(match[3])
        day, month = pair if match[2] == "." or day_first is not False else pair[::-1]
        said = match[4]
    elif (named := NAMED.fullmatch(text)) and _month(named["month"]):
        day, month, said = int(named["day"]), _month(named["month"]), named["year"]
    else:
        return cell
    year = int(said or today.year + ((month, day) < (today.month, today.day)))
    return f"{year + 2000 if year < 100 else year:04}-{month:02}-{day:02}"


def _month(name: str) -> int:
    """Returns the number of a month by its English or German name; 0 for another word."""
    short = _folded(name)[:3]
    return GERMAN_MONTHS.get(short) or (MONTHS.index(short) + 1 if short in MONTHS else 0)


def _value(column: str, cell: str, *, day_first: bool | None, today: date) -> str:
    """Returns the value of a cell in the form of a plan."""
    folded = slug_of(cell)
    if column == "dueDate":
        return iso_date(cell, day_first=day_first, today=today)
    if column == "status":
        return str(STATUSES.get(folded, cell))
    if column == "brief.intent" and folded in set(SearchIntent):
        return folded
    if column == "ready":
        return "yes" if folded in YES else "no" if folded in NO else cell
    return cell


def _key_of(title: str) -> str:
    """Returns a title as a key, which it is as it stands: part of one that can't be a key is followed by a digest."""
    composed = normalize("NFC", title)
    fit = NOT_IN_KEYS.sub(" ", composed)[:150]
    return fit if fit == composed else f"{fit}-{sha256(composed.encode()).hexdigest()[:8]}"


def _folded(name: str) -> str:
    """Returns a name as it is compared: without case, accents, spaces and the part before a point."""
    return slug_of(name.rpartition(".")[2]).replace("-", "") if any(map(str.isalnum, name)) else ""
