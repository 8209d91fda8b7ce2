"""Refusals of imports."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import Count, doc
from app.core.errors import Refusal


class ImportStopped(Refusal, status=409):
    """The import stopped before its end, and what it had written stands: import the export into a new project."""

    class Keys(TypedDict):
        lines: Annotated[Count, doc("how many lines of the export stand, from the first", 500)]
        documents: Annotated[Count, doc("how many documents are among them", 120)]

    def __init__(self, why: str | None = None, *, lines: int = 0, documents: int = 0) -> None:
        stands = f"The import stopped after {lines:,} lines; documents that stand with what is before: {documents:,}."
        message = f"{stands} Import the export into a new project. {why}" if why else None
        super().__init__(message, lines=lines, documents=documents)
