"""The outcome of a plan, piece by piece (decisions, section 14)."""

from app.records.errors import ProblemRecord
from app.records.types import Record, nested_list, record_id, string
from app.vocabulary import PieceOutcome


class PieceRecord(Record):
    """The outcome of one piece."""

    key = string("the piece's key", example="sourdough-starter")
    id = record_id("its document's id; null for a new key that was refused", null=True)
    outcome = string("what became of it", one_of=PieceOutcome)
    errors = nested_list(ProblemRecord, "why it was refused, sorted by field")


class PlanRecord(Record):
    """The outcome of a plan."""

    pieces = nested_list(PieceRecord, "the outcome of each piece, in order")
