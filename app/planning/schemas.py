"""Schemas of a plan: the pieces of content that somebody plans, many at once (decisions, section 14)."""

from enum import StrEnum

from app.core.schemas.fields import DateString, List, Nested, Schema, StrictBoolean, StrictString
from app.core.schemas.queries import DryRunQuery
from app.documents.schemas import document_key
from app.intents.schemas import DraftDocumentFields


class PieceOutcome(StrEnum):
    """Outcome of a piece of a plan (decisions, section 14)."""

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REFUSED = "refused"


MAX_PIECES = 500


class PieceKey(Schema):
    """The key of a piece."""

    key = document_key(
        description="your own id of the piece, without commas",
        example="sourdough-starter",
        required=True,
    )


class PieceFields(DraftDocumentFields, PieceKey):
    """One piece: the fields of a document draft, and names in place of ids."""

    dueDate = DateString(description="when the document is due", example="2027-02-14")
    category = StrictString(description="a category's name or slug, instead of `categoryId`", example="Baking")
    cluster = StrictString(description="a cluster's name, instead of `clusterId`")
    assignee = StrictString(description="a member's name or e-mail address, instead of `assigneeId`")
    ready = StrictBoolean(description="offer the brief to writers", example=True)


class PlanFields(Schema):
    """A plan."""

    pieces = List(
        Nested(PieceFields, allow_none=False), MAX_PIECES, min_items=1, description="the pieces", required=True
    )
    atomic = StrictBoolean(description="all pieces or none", example=False)


class PlanQuery(DryRunQuery):
    """Query parameters of `POST /plan`, as a table has no place for them."""

    atomic = StrictBoolean(description="all pieces or none, for a table too")
