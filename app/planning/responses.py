"""The outcomes of plans, piece by piece, and of imports, document by document (decisions, sections 10 and 14)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import EXAMPLE_ID, Id, doc, one_of
from app.core.errors import Problem
from app.planning.schemas import PieceOutcome


class Piece(TypedDict):
    """The outcome of one piece."""

    key: Annotated[str, doc("the piece's key", "sourdough-starter")]
    id: Annotated[Id | None, doc("its document's id; null for a new key that was refused", EXAMPLE_ID)]
    outcome: Annotated[str, one_of(PieceOutcome), doc("what became of it")]
    errors: Annotated[list[Problem], doc("why it was refused, sorted by field", [])]


class Plan(TypedDict):
    """The outcome of a plan."""

    pieces: Annotated[list[Piece], doc("the outcome of each piece, in order")]
