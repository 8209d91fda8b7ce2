"""The outcomes of plans, piece by piece, and of imports, document by document (decisions, sections 10 and 14)."""

from typing import NotRequired, TypedDict

from app.errors import Problem
from app.records.errors import ProblemRecord
from app.records.types import EXAMPLE_ID, Record, boolean, nested_list, record_id, string, strings
from app.vocabulary import PieceOutcome


class PieceRecord(Record):
    """The outcome of one piece."""

    key = string("the piece's key", example="sourdough-starter")
    id = record_id("its document's id; null for a new key that was refused", null=True, example=EXAMPLE_ID)
    outcome = string("what became of it", one_of=PieceOutcome)
    errors = nested_list(ProblemRecord, "why it was refused, sorted by field", example=[])


class PlanRecord(Record):
    """The outcome of a plan."""

    pieces = nested_list(PieceRecord, "the outcome of each piece, in order")


class ImportRecord(Record):
    """The outcome of one document: `created`, `unchanged`, `changed` (and not written), or `refused`."""

    id = record_id("the document's id; null when it was refused", null=True)
    outcome = string("the outcome")
    differs = strings("the fields in which the document is not what the file says, where it changed", required=False)
    live = boolean(
        "whether it is delivered as it is, or somebody works on the rest; left out where it was refused", required=False
    )
    problems = nested_list(ProblemRecord, "why it was refused", required=False)


class ShownPiece(TypedDict):
    """The outcome of one piece, as callers see it."""

    key: str
    id: str | None
    outcome: str
    errors: list[Problem]


class ShownPlan(TypedDict):
    """The outcome of a plan, as callers see it."""

    pieces: list[ShownPiece]


class ShownImport(TypedDict):
    """The outcome of one document of an import; `differs`, `live` and `problems` where they mean something."""

    id: str | None
    outcome: str
    differs: NotRequired[list[str]]
    live: NotRequired[bool]
    problems: NotRequired[list[Problem]]
