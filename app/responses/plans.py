"""The outcomes of plans, piece by piece, and of imports, document by document (decisions, sections 10 and 14)."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.documented import EXAMPLE_ID, Id, doc, one_of
from app.errors import Problem
from app.vocabulary import PieceOutcome


class Piece(TypedDict):
    """The outcome of one piece."""

    key: Annotated[str, doc("the piece's key", "sourdough-starter")]
    id: Annotated[Id | None, doc("its document's id; null for a new key that was refused", EXAMPLE_ID)]
    outcome: Annotated[str, one_of(PieceOutcome), doc("what became of it")]
    errors: Annotated[list[Problem], doc("why it was refused, sorted by field", [])]


class Plan(TypedDict):
    """The outcome of a plan."""

    pieces: Annotated[list[Piece], doc("the outcome of each piece, in order")]


class Import(TypedDict):
    """The outcome of one document: `created`, `unchanged`, `changed` (and not written), or `refused`."""

    id: Annotated[Id | None, doc("the document's id; null when it was refused")]
    outcome: Annotated[str, doc("the outcome")]
    differs: NotRequired[
        Annotated[list[str], doc("the fields in which the document is not what the file says, where it changed")]
    ]
    live: NotRequired[
        Annotated[
            bool,
            doc("whether it is delivered as it is, or somebody works on the rest; left out where it was refused"),
        ]
    ]
    problems: NotRequired[Annotated[list[Problem], doc("why it was refused")]]
