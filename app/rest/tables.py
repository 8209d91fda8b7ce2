"""Reads the bodies that are tables."""

from collections.abc import Mapping
from typing import Any

from flask import Request, g

from app.core.errors import HttpApiDecodeError
from app.core.other_bodies import CsvBody, CsvTable
from app.http.bodies import CSV, MAX_VALUES, refuse_compressed

MEDIA_TYPES = f"Send the body as JSON, with `Content-Type: application/json`, or as a table, with `{CSV}`."


def load_table(raw: bytes, request: Request, form: CsvBody) -> Mapping[str, Any]:
    """Returns the body that a table stands for. Raises `HttpApiDecodeError` with every line that is wrong."""
    refuse_compressed(request)
    g.csv_table = table = form.read(raw, MAX_VALUES)
    return table.fields


def name_lines(refusal: HttpApiDecodeError) -> None:
    """Adds the line of the table to each problem, where the body of the request was one."""
    table: CsvTable | None = g.get("csv_table")
    if table is None:
        return
    for issue in refusal.extra["issues"]:
        if place := table.place_of(issue["path"]):
            issue["message"] = f"{place}: {issue['message']}"
