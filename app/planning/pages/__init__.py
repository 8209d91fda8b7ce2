"""Planning many pieces: a pasted sheet is shown as a grid with what is wrong in its cells, corrected there, planned."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, request
from werkzeug import Response as BaseResponse

from app.briefs import operations as briefs
from app.categories.store import Categories
from app.console.additions import Pages
from app.console.calls import call, may, require
from app.console.filing import make_filing
from app.console.frame import page
from app.console.lookups import values_of
from app.console.sessions import context
from app.console.words import first_statuses, today
from app.core.errors import HttpApiDecodeError
from app.core.schemas.validation import HEX_ID
from app.core.times import missing_day
from app.core.vocabulary import DocumentStatus
from app.documents.lengths import word_targets
from app.planning import operations as plans
from app.planning.pages.sheet_names import KINDS, NEW, STATUS, UnclearNames, unclear_names, with_choices
from app.planning.pages.sheet_titles import folded, meanings, with_meanings
from app.planning.pages.sheets import LABELS, NAMES, NO_PIECES, Sheet, day_comes_first, pieces_of, read_sheet
from app.planning.schemas import MAX_PIECES, PieceOutcome
from app.planning.tables import COLUMNS, UnreadablePlan, piece_and_field, text_of

pages = Blueprint("planning", __name__, template_folder="templates")
LONGEST = 2_000_000
MOST_LINES = 100_000
"""Maximum characters, and lines, of a table that is parsed; more than 500 pieces are for the command line."""
SHOWN = 50
"""Maximum number of rows of a sheet that can be corrected in its grid at a time: those with problems come first."""
NO_LENGTH = "Not a number of words, like 900 or 1200-1500."
OTHER_TITLE = "A document that had this title has another one now: choose what is meant."
NO_DATE = "Not a date, like 14.2.2027 or 2027-02-14."


@pages.get("/plan/many")
def plan_many() -> Response:
    """Shows the form that takes a sheet."""
    require(plans.plan_documents)
    return _paste("")


@pages.post("/plan/many")
def plan_sheet() -> BaseResponse:
    """Shows what a sheet would do, to be corrected in place; once that is confirmed, plans it and shows the outcome."""
    if "correct" in request.form:  # the form again, with the sheet of the grid
        return _paste(request.form.get("table", ""))
    require(plans.plan_documents)
    table = ""
    try:
        table = _table()
        sheet = _sheet(table)
    except UnreadablePlan as unreadable:
        return _paste(table, unreadable)
    confirmed = "confirmed" in request.form
    if confirmed:
        for (column, name), one in unclear_names(sheet).items():
            if one.choice == NEW and column in KINDS:
                make_filing(KINDS[column], {"name": name} | _slug_of_category(column, name))
    rows, unclear, is_planned = _tried(sheet, confirmed=confirmed)
    if not is_planned:
        return page("planning/plan_sheet.html", **_grid(sheet, rows, unclear))
    outcome: dict[str, Any] = {
        "planned": [*_planned_before(), *rows],
        "outcomes": _counts(rows),
        "offers": may(briefs.mark_brief_ready),
    }
    left = _left(sheet, rows)
    if left.rows:
        rows, unclear, _ = _tried(left)
        ids = [row["id"] for row in outcome["planned"] if row["id"] and not row["wrong"]]
        outcome |= _grid(left, rows, unclear) | {"made": ids}
    return page("planning/plan_outcome.html", **outcome)


def _planned_before() -> list[dict[str, Any]]:
    """Returns the rows of the sheet that were planned before those that were corrected."""
    titles = values_of("title", _made())
    shared = {"outcome": PieceOutcome.CREATED, "piece": {}, "wrong": {}}
    return [{"id": id, "title": title, **shared} for id, title in titles.items()]


def _made() -> list[str]:
    """Returns the ids of the documents that were planned before, which the form of the grid has."""
    return [id for id in request.form.getlist("made") if HEX_ID.fullmatch(id)][:MAX_PIECES]


def _slug_of_category(column: str, name: str) -> dict[str, str]:
    categories, project_id = context().store[Categories], context().project_id
    return {"slug": categories.free_slug(project_id, name)} if column == "category" else {}


def _tried(sheet: Sheet, *, confirmed: bool = False) -> tuple[list[dict[str, Any]], UnclearNames, bool]:
    """Returns the rows of a sheet with their outcomes, its unclear names, and whether it was planned; if it is not
    confirmed, or refused as a whole, it was not.
    """
    unclear = unclear_names(sheet)
    read = pieces_of(sheet, day_first=sheet.day_first is not False, today=today())
    plain = [{"status": DocumentStatus.PLANNED} | with_choices(piece, unclear) for piece in read]
    try:
        meant = meanings(sheet, plain)
        if any(one.is_asked and not sheet.meant[place] for place, one in meant.items()):
            tried = call(plans.plan_documents, fields={"pieces": plain}, dry_run=True).body["pieces"]
            same = {place for place, one in enumerate(tried) if one["outcome"] == PieceOutcome.UNCHANGED}
            meant = meanings(sheet, plain, same)
        confirmed = confirmed and all(one.choice for one in meant.values())
        pieces = list(with_meanings(plain, meant))
        planned = call(plans.plan_documents, fields={"pieces": pieces}, dry_run=not confirmed, once=confirmed)
        found: Sequence[Mapping[str, Any]] = planned.body["pieces"]
    except HttpApiDecodeError as refusal:
        meant, pieces, found, confirmed = {}, plain, _refused(len(plain), refusal), False
    rows = [_row(sheet, place, *one, unclear) for place, one in enumerate(zip(pieces, found, strict=True))]
    for place, one in meant.items():
        rows[place] |= {"meant": one if one.is_asked else None, "twin": one.twin}
        if not one.choice:
            rows[place] |= {"wrong": {"": [OTHER_TITLE]}, "outcome": PieceOutcome.REFUSED}
    return rows, unclear, confirmed


def _left(sheet: Sheet, rows: Sequence[Mapping[str, Any]]) -> Sheet:
    """Returns the rows of a sheet that were refused, with their keys where they would get others by themselves."""
    wrong = [row for row in rows if row["wrong"]]
    left = replace(sheet, rows=[row["cells"] for row in wrong], lines=[row["line"] for row in wrong])
    keys = [row["piece"]["key"] for row in wrong]
    if keys == [piece["key"] for piece in pieces_of(left, day_first=None, today=today())]:
        return left
    if "key" not in left.columns:
        header, columns = [*left.header, LABELS["key"]], [*left.columns, "key"]
        left = replace(left, header=header, columns=columns, rows=[[*cells, ""] for cells in left.rows])
    for cells, key in zip(left.rows, keys, strict=True):
        cells[left.columns.index("key")] = key
    return left


def _grid(sheet: Sheet, rows: Sequence[dict[str, Any]], unclear: UnclearNames) -> dict[str, Any]:
    """Returns what the page shows of a sheet that is not planned: what it would do, and what is wrong in its cells."""
    for row, length in zip(rows, sheet.cells("brief.wordCount"), strict=False):  # none where it is no column
        if length and not word_targets(length):  # which the service accepts, but no check can read
            row["wrong"].setdefault("brief.wordCount", []).append(NO_LENGTH)
    lines: dict[str, int] = {}
    for row in rows:
        line = lines.setdefault(folded(row["title"]), row["line"])
        row["same"] = line if row["title"] and line != row["line"] else None
    shown = sorted(rows, key=lambda row: not row["wrong"])[:SHOWN]
    return {
        "sheet": sheet,
        "made": _made(),
        "rows": sorted(shown, key=lambda row: row["place"]),
        "total": len(rows),
        "counts": _counts(rows),
        "unclear": unclear,
        "kinds": KINDS,
        "first_statuses": first_statuses(),
        "asks_order": day_comes_first(sheet.cells("dueDate")) is None,
        "day_first": sheet.day_first,
        "labels": LABELS,
    }


def _counts(rows: Sequence[Mapping[str, Any]]) -> Counter[str]:
    return Counter(row["outcome"] for row in rows)


def _paste(table: str, unreadable: UnreadablePlan | None = None) -> Response:
    usual = [LABELS[name] for name in NAMES if name in COLUMNS]
    return page(
        "planning/plan_many.html", 422 if unreadable else 200, table=table, unreadable=unreadable, columns=usual
    )


def _table() -> str:
    """Returns the table that was dropped or pasted. Raises `UnreadablePlan`."""
    file = request.files.get("file")
    table = text_of(file.read(LONGEST + 1)) if file is not None and file.filename else request.form.get("table", "")
    if not table.strip():
        raise UnreadablePlan("Paste a table, or choose a file.")
    if len(table) > LONGEST or table.count("\n") > MOST_LINES:
        raise UnreadablePlan("The table is too long for the console: use content-workflow plan.")
    return table


def _sheet(table: str) -> Sheet:
    """Returns the sheet of a table, with the columns that were chosen and the cells that were corrected.

    A row that was emptied is left out, as `read_sheet` does: the fields of the form number the rows that it reads.
    """
    sheet = read_sheet(table)
    if len(sheet.rows) > MAX_PIECES:
        raise UnreadablePlan(
            f"The table has {len(sheet.rows):,} pieces, and the console plans {MAX_PIECES} at once: plan it in parts, "
            "or with content-workflow plan."
        )
    for place, column in enumerate(sheet.columns):
        chosen = request.form.get(f"column.{place}", column)
        sheet.columns[place] = chosen if chosen in COLUMNS and chosen not in sheet.columns[:place] else ""
    for row, cells in enumerate(sheet.rows):
        for place, cell in enumerate(cells):
            if choice := request.form.get(f"use.{row}.{place}"):
                sheet.choices[place, cell] = choice
            cells[place] = request.form.get(f"cell.{row}.{place}", cell).replace("\r\n", "\n").strip()
    kept = [place for place, cells in enumerate(sheet.rows) if any(cells)]
    if not kept:
        raise UnreadablePlan(NO_PIECES)
    rows, lines = [sheet.rows[place] for place in kept], [sheet.lines[place] for place in kept]
    sheet = replace(sheet, rows=rows, lines=lines, meant=[request.form.get(f"piece.{place}", "") for place in kept])
    return replace(sheet, day_first=_day_first(sheet))


def _day_first(sheet: Sheet) -> bool | None:
    """Returns whether dates begin with the day, by the sheet or the user's choice; None if unknown."""
    told = {"day": True, "month": False}.get(request.form.get("order", ""))
    found = day_comes_first(sheet.cells("dueDate"))
    return told if found is None else found


def _refused(pieces: int, refusal: HttpApiDecodeError) -> list[dict[str, Any]]:
    """Returns the outcomes of a request that was refused as a whole: its problems by piece."""
    errors: list[list[dict[str, str]]] = [[] for _ in range(pieces)]
    for issue in refusal.extra["issues"]:
        place, name = piece_and_field(issue["path"])
        errors[place or 0].append({"field": name, "message": issue["message"]})
    return [
        {"id": None, "outcome": PieceOutcome.REFUSED if wrong else PieceOutcome.CREATED, "errors": wrong}
        for wrong in errors
    ]


def _row(
    sheet: Sheet, place: int, piece: Mapping[str, Any], found: Mapping[str, Any], unclear: UnclearNames
) -> dict[str, Any]:
    """Returns a row of a sheet with its outcome, and with what is wrong by its column; a name to be made is not."""
    wrong: dict[str, list[str]] = {}
    for error in found["errors"]:
        name = error["field"].partition("[")[0]
        one = unclear.get((name, piece.get(name, ""))) if name in (*KINDS, STATUS) else None
        message = one.message if one else error["message"]
        if name == "dueDate":
            message = missing_day(piece[name]) or NO_DATE
        if message:
            wrong.setdefault(name if name in sheet.columns else "", []).append(message)
    made = PieceOutcome.UPDATED if found["id"] else PieceOutcome.CREATED
    outcome = made if found["outcome"] == PieceOutcome.REFUSED and not wrong else found["outcome"]
    of_place = {"place": place, "line": sheet.lines[place], "cells": sheet.rows[place], "title": piece.get("title", "")}
    return {**of_place, "piece": piece, "id": found["id"], "outcome": outcome, "wrong": wrong}


PAGES = Pages(
    "planning",
    blueprints=(pages,),
    tabs={"plan": ("planning.plan_many", "From a sheet")},
    templates={"first documents": "planning/many.html"},
)
