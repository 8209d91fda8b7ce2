"""Drafts as callers see them (contract: Intent)."""

from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.categories.responses import Category, Cluster
from app.core.actors import Actor
from app.core.documented import Id, Timestamp, doc, one_of
from app.core.errors import Problem
from app.core.vocabulary import Kind
from app.documents.responses import Document, DocumentSummary


class Intent(TypedDict):
    """A draft; `fields` holds the fields set so far, as they were sent."""

    id: Annotated[Id, doc("the draft's id")]
    kind: Annotated[str, one_of(Kind), doc("the kind of record that it becomes")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    updatedAt: Annotated[Timestamp, doc("when it was last updated")]
    createdBy: Annotated[Actor, doc("the token it belongs to")]
    fields: Annotated[dict[str, Any], doc("the fields set so far, as they were sent")]


class Confirmed(TypedDict):
    """The response to a confirm: the new record under its kind."""

    document: NotRequired[Annotated[DocumentSummary, doc("the new document")]]
    cluster: NotRequired[Annotated[Cluster, doc("the new cluster")]]
    category: NotRequired[Annotated[Category, doc("the new category")]]
    intentId: Annotated[Id, doc("the id the draft had")]


class ConfirmedDocument(TypedDict):
    """A confirmed document draft."""

    document: Annotated[Document, doc("the new document")]
    intentId: Annotated[Id, doc("the id the draft had")]


class ConfirmedCluster(TypedDict):
    """A confirmed cluster draft."""

    cluster: Annotated[Cluster, doc("the new cluster")]
    intentId: Annotated[Id, doc("the id the draft had")]


class ConfirmedCategory(TypedDict):
    """A confirmed category draft."""

    category: Annotated[Category, doc("the new category")]
    intentId: Annotated[Id, doc("the id the draft had")]


CONFIRMED: dict[Kind, type] = {
    Kind.DOCUMENT: ConfirmedDocument,
    Kind.CLUSTER: ConfirmedCluster,
    Kind.CATEGORY: ConfirmedCategory,
}
"""What confirming a draft of each kind returns, with the long texts that REST adds."""


class Validation(TypedDict):
    """The problems that a confirm would find now."""

    valid: Annotated[bool, doc("whether it would be confirmed")]
    errors: Annotated[list[Problem], doc("every problem, sorted by field")]
