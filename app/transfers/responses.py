"""The outcome of an import, as callers see it."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.core.documented import Id, doc
from app.core.errors import Problem


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
