"""The names in a pasted sheet that mean no record of the project, or several: what the user chooses for each."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import request

from app.categories.store import Categories, Clusters
from app.console.calls import may
from app.console.filing import FILINGS
from app.console.lookups import LISTS, MOST, name_in, named
from app.console.sessions import context
from app.console.words import initials
from app.core.slugs import name_key, slug_of
from app.core.store.named import Named
from app.documents.schemas import FirstStatus
from app.planning.pages.sheets import STATUSES, Sheet
from app.projects.store import Members

KINDS: Mapping[str, str] = {"category": "categories", "cluster": "clusters", "assignee": "members"}
"""The columns that name records, and the lists of those records."""
STATUS = "status"
NEW, EMPTY = "new", "empty"
"""Choices for a name besides the id of a record."""
MOST_ASKED = 50  # names of a column; further ones are corrected in their cells
NEAR, SIMILARITY = 2, 70
TYPO = 85
"""From which similarity on a category or cluster is taken for what was meant, until something else is chosen."""


@dataclass(frozen=True)
class UnclearName:
    """A name that means no record of the project, or several.

    `choice` is `NEW`, `EMPTY`, the id of a record, or nothing; it is made in the form's `field`. `message` says what is
    wrong, unless the name is to be made.
    """

    column: str
    name: str
    rows: int
    field: str
    choice: str
    message: str
    can_be_new: bool


UnclearNames = Mapping[tuple[str, str], UnclearName]  # keyed by (column, name)


def unclear_names(sheet: Sheet) -> UnclearNames:
    """Returns the names of a sheet that mean no record, or several."""
    found = [one for column in KINDS if column in sheet.columns for one in _in_column(sheet, column)]
    return {(one.column, one.name): one for one in (*found, *_statuses(sheet))}


def with_choices(piece: Mapping[str, Any], unclear: UnclearNames) -> dict[str, Any]:
    """Returns a piece with the ids that are chosen for its unclear names, and without those that are left empty."""
    fields = dict(piece)
    for column in (*KINDS, STATUS):
        one = unclear.get((column, fields.get(column, "")))
        if one and one.choice not in ("", NEW):
            del fields[column]
            fields |= {} if one.choice == EMPTY else {column if column == STATUS else f"{column}Id": one.choice}
    return fields


def _statuses(sheet: Sheet) -> Iterator[UnclearName]:
    """Yields the statuses of a sheet that a new document can't have."""
    cells = sheet.cells(STATUS)
    counts = Counter(cell for cell in cells if cell and slug_of(cell) not in STATUSES)
    for name in list(counts)[:MOST_ASKED]:
        place = sheet.columns.index(STATUS)
        chosen = sheet.choices.get((place, name), "")
        choice = chosen if chosen in (*FirstStatus, EMPTY) else ""
        field = f"use.{cells.index(name)}.{place}"
        yield UnclearName(STATUS, name, counts[name], field, choice, "Unknown.", can_be_new=False)


def _in_column(sheet: Sheet, column: str) -> Iterator[UnclearName]:
    from rapidfuzz.fuzz import ratio  # takes 2 MB
    from rapidfuzz.process import extract

    store, kind, cells, place = context().store, KINDS[column], sheet.cells(column), sheet.columns.index(column)
    lists: Mapping[str, Named[Any]]
    lists = {"categories": store[Categories], "clusters": store[Clusters], "members": store[Members]}
    counts = Counter(filter(None, cells))
    found = lists[kind].find_named(context().project_id, counts)
    records = named(kind) if may(LISTS[kind]) else {}
    names = {one["id"]: one["name"] for one in records.values()}
    for name in [name for name in counts if len(found.get(name, ())) != 1][:MOST_ASKED]:
        ids = sorted(found.get(name, ())) or (
            _begun(name, records) if kind == "members" else _at_path(name, kind, records)
        )
        new = NEW if kind in FILINGS and not ids else ""
        typos = extract(name, names, scorer=ratio, processor=name_key, limit=2, score_cutoff=TYPO) if new else []
        is_one = len({score for _, score, _ in typos}) == len(typos) > 0  # not two that are equally near
        usual = ids[0] if len(ids) == 1 else typos[0][2] if is_one and "confirmed" not in request.form else ""
        chosen = sheet.choices.get((place, name), usual)
        choice = chosen if chosen in (*records, EMPTY, new) else ""
        similar = extract(name, names, processor=name_key, limit=NEAR, score_cutoff=SIMILARITY)
        near = [name_in(one, kind) for one in ids[:NEAR] if one in records] or [one for one, *_ in similar]
        message = "" if choice == NEW else f"Is it {' or '.join(near)}?" if near else "Unknown."
        field = f"use.{cells.index(name)}.{place}"
        yield UnclearName(column, name, counts[name], field, choice, message, bool(new))


def _at_path(name: str, kind: str, records: Iterable[str]) -> list[str]:
    """Returns the ids of the records that the console names so, a category with those above it: `Bread > Rye`."""
    path = name_key(re.sub(r"\s*[>›]\s*", " › ", name))
    return [one for one in records if name_key(name_in(one, kind)) == path]


def _begun(name: str, members: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns the ids of the members whose name begins with these words, or who have these initials; "me" is who asks.

    None if not all members are known.
    """
    if name_key(name) in ("me", "ich"):
        return [one for one in members if one == context().caller.member_id]
    words = name_key(name).split()
    found = [one for one in members.values() if name_key(one["name"]).split()[: len(words)] == words]
    found = found or [one for one in members.values() if initials(one["name"]) == name.upper()]
    return [one["id"] for one in found] if len(members) < MOST else []
