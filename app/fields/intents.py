"""What a draft may hold, by kind (contract: Intent)."""

from enum import StrEnum

from marshmallow import validate

from app.fields.briefs import BriefFields
from app.fields.categories import CategoryFields
from app.fields.clusters import ClusterFields
from app.fields.kinds import Fields, checked, day, not_blank, table, text, word
from app.fields.slugs import document_slug
from app.vocabulary import DocumentStatus, Kind

MAX_MARKDOWN = 2_097_152


class FirstStatus(StrEnum):
    """The statuses that a document may begin in."""

    IDEA = DocumentStatus.IDEA
    PLANNED = DocumentStatus.PLANNED
    DRAFTING = DocumentStatus.DRAFTING


class DocumentIntentFields(Fields):
    """The fields of a document draft."""

    title = text(300, not_blank, doc="the document's title", needed=True)
    status = word(FirstStatus, doc="`idea`, `planned` or `drafting`; by default `drafting`, with a brief `idea`")
    slug = text(200, document_slug, doc="URL slug; made from the title when there is none")
    markdown = text(MAX_MARKDOWN, doc="first content as markdown")
    brief = table(BriefFields, doc="the brief, whole")
    assigneeId = text(doc="a team member's id, from the list of members")
    categoryId = text(doc="a category's id, from the list of categories")
    clusterId = text(doc="a cluster's id, from the list of clusters")
    dueDate = day(doc="when the document is due")


INTENT_FIELDS: dict[Kind, type[Fields]] = {
    Kind.DOCUMENT: DocumentIntentFields,
    Kind.CLUSTER: ClusterFields,
    Kind.CATEGORY: CategoryFields,
}


class IntentQuery(Fields):
    """Which kind of draft is meant; REST says so in the path, and an id alone is enough."""

    kind = checked(
        validate.OneOf([str(kind) for kind in Kind], error=f"Must be one of {', '.join(Kind)}."),
        doc="the kind of draft",
    )
