"""What a draft may hold, by kind (contract: Intent)."""

from enum import StrEnum

from app.schemas.briefs import DraftBriefFields
from app.schemas.checks import not_blank, one_of
from app.schemas.generation import DraftGenerationFields
from app.schemas.named import DraftCategoryFields, DraftClusterFields
from app.schemas.slugs import document_slug
from app.schemas.types import DateString, EnumString, Nested, Schema, StrictString, StringToConfirm
from app.vocabulary import DocumentStatus, Kind

MAX_MARKDOWN = 2_097_152


class FirstStatus(StrEnum):
    """The statuses that a document may begin in."""

    IDEA = DocumentStatus.IDEA
    PLANNED = DocumentStatus.PLANNED
    DRAFTING = DocumentStatus.DRAFTING


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
    slug = StrictString(200, document_slug, description="URL slug; made from the title when there is none")
    markdown = StrictString(MAX_MARKDOWN, description="first content as markdown")
    generation = Nested(DraftGenerationFields, description="what you used to write it")
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
