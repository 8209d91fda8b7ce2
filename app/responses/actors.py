"""Where documents, clusters and categories belong and who created them, as callers see it."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc
from app.rules.actors import Actor


class Identified(TypedDict):
    """A record's id."""

    id: Annotated[Id, doc("its id")]


class Created(TypedDict):
    """Where a document, cluster or category belongs, and who created it."""

    projectId: Annotated[Id, doc("its project")]
    teamId: Annotated[Id, doc("the project's team")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    createdBy: Annotated[Actor, doc("who created it")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]
