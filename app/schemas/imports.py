"""The fields of an imported file: those of a draft, and those that an edit can set (decisions, section 10)."""

from app.schemas.checks import not_blank
from app.schemas.documents import EditedFields
from app.schemas.intents import DraftDocumentFields
from app.schemas.types import List, Nested, Schema, StrictString, TimeString


class ImportedFields(EditedFields, DraftDocumentFields):
    """One document, with its category by name."""

    category = StrictString(
        200, not_blank, description="the name or slug of its category, which is created where it is missing"
    )


class ImportFields(Schema):
    """A batch of documents."""

    documents = List(Nested(ImportedFields, allow_none=False), 10_000, required=True)


class DatedFields(Schema):
    """When a document went live."""

    publishedAt = TimeString(description="when it went live elsewhere", required=True)
