"""Plans as the CSV body of a request, with the columns of the command line (decisions, section 14)."""

import re

from app.core.csv_bodies import CsvBody, CsvTable
from app.core.errors import HttpApiDecodeError, Issue
from app.planning.tables import DELIMITERS, UnreadablePlan, piece_and_field, read_table, text_of

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
