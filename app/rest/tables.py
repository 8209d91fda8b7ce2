"""Reads the CSV body of a plan, with the columns of the command line (decisions, section 14)."""

import re
from typing import Any

from flask import Request, g

from app.core.errors import HttpApiDecodeError, Issue
from app.http.bodies import CSV, refuse_compressed
from app.http.json import MAX_VALUES
from app.planning.tables import DELIMITERS, PlanFile, UnreadablePlan, piece_and_field, read_table, text_of

MEDIA_TYPES = f"Send the body as JSON, with `Content-Type: application/json`, or as a table, with `{CSV}`."
BODY = {
    "schema": {"type": "string", "format": "binary"},
    "example": "key,title,brief.keyword\nrye-starter,A starter of rye,rye starter\n",
}
"""The table in the documentation of the request's body."""

_QUOTED = re.compile('"[^"]*"')


def loads_plan(raw: bytes, request: Request) -> dict[str, Any]:
    """Returns the body that the table stands for. Raises `HttpApiDecodeError` with every line that is wrong."""
    refuse_compressed(request)
    try:
        text = text_of(raw)
        outside = _QUOTED.sub("", text)
        if sum(map(outside.count, (*DELIMITERS, "\n", "\r"))) > MAX_VALUES:
            raise UnreadablePlan(f"Must have at most {MAX_VALUES:,} cells.")
        g.plan_table = table = read_table(text)
    except UnreadablePlan as error:
        issues = [Issue(path="", message=problem) for problem in error.problems]
        raise HttpApiDecodeError(issues=issues, more=error.more) from None
    return {"pieces": table.pieces}


def name_lines(refusal: HttpApiDecodeError) -> None:
    """Adds the line of the table to each problem of a piece, where the body of the request was one."""
    table: PlanFile | None = g.get("plan_table")
    if table is None:
        return
    for issue in refusal.extra["issues"]:
        index, _ = piece_and_field(issue["path"])
        if index is not None:
            issue["message"] = f"{table.place(index)}: {issue['message']}"
