"""Fields of a draft, by kind (contract: Intent)."""

from app.categories.schemas import DraftCategoryFields, DraftClusterFields
from app.core.schemas.fields import (
    ComposedString,
    DateString,
    EnumString,
    Nested,
    Schema,
    StrictString,
    StringToConfirm,
)
from app.core.schemas.queries import PartQuery
from app.core.schemas.validation import not_blank, one_of
from app.core.slugs import document_slug
from app.core.vocabulary import Kind
from app.documents.schemas import MAX_MARKDOWN, DraftBriefFields, FirstStatus


class DraftDocumentFields(Schema):
    """The fields of a document draft."""

    title = StringToConfirm(
        300, not_blank, description="the document's title", example="How to begin a sourdough starter"
    )
    status = EnumString(
        FirstStatus,
        in_draft=True,
        description="`idea`, `planned` or `drafting`; by default `drafting`, with a brief `idea`",
        example="planned",
    )
    slug = ComposedString(200, document_slug, description="URL slug; made from the title when there is none")
    markdown = StrictString(MAX_MARKDOWN, description="first content as markdown")
    brief = Nested(DraftBriefFields, description="the brief")
    assigneeId = StrictString(description="a member's id")
    categoryId = StrictString(description="a category's id")
    clusterId = StrictString(description="a cluster's id")
    dueDate = DateString(in_draft=True, description="when the document is due", example="2027-02-14")


INTENT_FIELDS: dict[Kind, type[Schema]] = {
    Kind.DOCUMENT: DraftDocumentFields,
    Kind.CLUSTER: DraftClusterFields,
    Kind.CATEGORY: DraftCategoryFields,
}


class IntentQuery(Schema):
    """Which kind of draft is meant; REST says so in the path, and an id alone is enough."""

    kind = StrictString(validate=[one_of(Kind)], description="the kind of draft", allow_none=False)


class IntentPartQuery(IntentQuery, PartQuery):
    """Which draft to read over MCP, and which part of its markdown."""
