"""The management document record (contract: Management document record; decisions, section 5)."""

from collections.abc import Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.context import Context
from app.core.documented import EXAMPLE_DAY, EXAMPLE_TIME, Date, Id, Timestamp, doc, one_of
from app.core.records import Created, Identified, record_of
from app.core.vocabulary import BriefState, DocumentStatus, SearchIntent
from app.documents.record import StoredDocument, StoredRevision, brief_of, changed_since_published


class ContentPart(TypedDict):
    """A part of a version's markdown."""

    id: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("the version that was read")]
    markdown: Annotated[str, doc("this part of the markdown")]
    offset: Annotated[int, doc("where this part begins, in characters")]
    length: Annotated[int, doc("how long the whole markdown is, in characters")]
    nextOffset: Annotated[int | None, doc("the `offset` of the next part; null when this was the last")]


class Published(TypedDict):
    """The fields of a document that are published with it, and so are part of each version."""

    title: Annotated[str, doc("its title", "How to begin a sourdough starter")]
    slug: Annotated[str, doc("its URL slug, unique in the project", "how-to-begin-a-sourdough-starter")]
    subtitle: Annotated[str, doc("the line below the title")]
    excerpt: Annotated[str, doc("its summary; empty when unset")]
    metaTitle: Annotated[str, doc("title for search engines")]
    metaDescription: Annotated[str, doc("description for search engines")]
    coverImageUrl: Annotated[str | None, doc("the cover image")]
    categoryId: Annotated[Id | None, doc("its category")]
    wordCount: Annotated[int, doc("words of the content's text", 4)]


SEARCH_INTENTS = ("", *SearchIntent)


class Brief(TypedDict):
    """A brief; an unset text is an empty string, an unset list an empty array."""

    audience: Annotated[str, doc("who the document is for", "People who bake their first loaf")]
    intent: Annotated[
        str, one_of(SEARCH_INTENTS), doc("what a searcher of the keyword wants; empty when unset", "informational")
    ]
    internalLinks: Annotated[list[str], doc("ids of documents to link to")]
    keyword: Annotated[str, doc("keyword to rank for", "sourdough starter")]
    notes: Annotated[str, doc("anything else the writer should know", "Say plainly that a week is enough.")]
    outline: Annotated[str, doc("the sections, one per line", "What a starter is\nDay by day\nWhen it fails")]
    referenceUrls: Annotated[list[str], doc("http or https URLs of sources", ["https://example.org/wild-yeast"])]
    wordCount: Annotated[str, doc("target length as free text", "1200-1500")]
    state: Annotated[str, one_of(BriefState), doc("the state", "claimed")]
    claimedAt: Annotated[Timestamp | None, doc("when it was claimed; null unless claimed", EXAMPLE_TIME)]
    claimedBy: Annotated[Actor | None, doc("the token that claimed it; null unless claimed")]
    claimExpiresAt: Annotated[
        Timestamp | None, doc("when the claim's lease runs out; null without one", "2027-01-31T10:00:00.000Z")
    ]


class DocumentSummary(Identified, Created, Published):
    """A document without its long texts, as lists and tools give it."""

    key: Annotated[str | None, doc("your own id of it; null without one")]
    status: Annotated[str, one_of(DocumentStatus), doc("the status", "drafting")]
    assigneeId: Annotated[Id | None, doc("the member who works on it")]
    authorId: Annotated[Id | None, doc("the member named as its author")]
    clusterId: Annotated[Id | None, doc("its cluster")]
    dueDate: Annotated[Date | None, doc("when it is due", EXAMPLE_DAY)]
    version: Annotated[int, doc("counts the content's versions, from 1; the `baseVersion` of the next content write")]
    publishedVersion: Annotated[int | None, doc("the version that is delivered; null unless published")]
    isPublished: Annotated[bool, doc("whether it is delivered")]
    hasUnpublishedChanges: Annotated[bool, doc("whether the content changed since it was published")]
    contentUpdatedAt: Annotated[Timestamp, doc("when the content last changed")]
    contentUpdatedBy: Annotated[Actor, doc("who last changed the content")]
    publishAt: Annotated[Timestamp | None, doc("when it will be published; null unless scheduled")]
    publishedAt: Annotated[Timestamp | None, doc("when it went live; null unless published")]
    deletedAt: Annotated[Timestamp | None, doc("when it was moved to the trash; null outside it")]
    reviewNote: Annotated[str, doc("the last note of a request for changes")]
    brief: Annotated[Brief, doc("its brief; one that was never written is empty, in state `none`")]


class Document(DocumentSummary):
    """A document with its long texts, which REST adds."""

    content: Annotated[str, doc("the current content as markdown", "Flour, water and patience.")]
    publishedMarkdown: Annotated[str | None, doc("the markdown that is delivered; null unless published")]


class PublishedSummary(DocumentSummary):
    """A document that was published, without its long texts."""


class PublishedDocument(Document):
    """A document that was published."""


class DocumentLine(TypedDict):
    """A document in a list over MCP."""

    id: Annotated[Id, doc("the document's id")]
    title: Annotated[str, doc("its title")]
    status: Annotated[str, one_of(DocumentStatus), doc("its status")]
    version: Annotated[int, doc("the current version")]
    briefState: Annotated[str, one_of(BriefState), doc("the state of its brief")]
    dueDate: Annotated[Date | None, doc("when it is due")]
    assigneeId: Annotated[Id | None, doc("the member whose it is")]
    wordCount: Annotated[int, doc("words of the content's text")]


def document_line(record: Mapping[str, Any]) -> DocumentLine:
    """Returns a document's record as a line of a list."""
    return record_of(DocumentLine, record, briefState=record["brief"]["state"])


class ScheduleOutcome(TypedDict):
    """The outcome of a scheduled document at its time."""

    id: Annotated[Id, doc("the document's id")]
    reason: Annotated[str | None, doc("why it could not be published; null when it was")]


def document_summary(ctx: Context, document: StoredDocument) -> DocumentSummary:
    """Returns a stored document as callers see it, without its long texts."""
    published = document.get("published")
    return record_of(
        DocumentSummary,
        document,
        teamId=ctx.caller.team_id,
        publishedVersion=published and published["version"],
        hasUnpublishedChanges=changed_since_published(document),
        brief=brief_record(ctx, document),
    )


TEXT_IF_MISSING = {"content": "", "markdown": "", "publishedMarkdown": None}
"""Value of the field of a long text if nothing was written, or published."""


def document_text_ids(document: StoredDocument) -> dict[str, str | None]:
    """Returns the ids of a document's long texts, by the fields of the record that show them."""
    published = document.get("published")
    return {"content": document.get("contentId"), "publishedMarkdown": published and published["markdownId"]}


MINIMAL = "minimal"
"""The only value of `return`, in the address of MCP and in `Prefer`."""


def minimal_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the caller needs of a document's record for the next call, and what an operation adds to it."""
    added = {name: value for name, value in record.items() if name not in DocumentSummary.__annotations__}
    kept = {name: record[name] for name in ("id", "version", "status")}
    return {**kept, "briefState": record["brief"]["state"], **added}


class RevisionSummary(Published):
    """A version of a document, without its content."""

    version: Annotated[int, doc("the version")]
    createdAt: Annotated[Timestamp, doc("when it was written")]
    createdBy: Annotated[Actor, doc("who wrote it")]


class Revision(RevisionSummary):
    """A version of a document; REST adds its content."""

    markdown: Annotated[str, doc("the content, as it was written", "Flour, water and patience.")]


_From = TypedDict("_From", {"from": Annotated[int, doc("the older version")]})


class Diff(_From):
    """Difference between two versions."""

    to: Annotated[int, doc("the newer version", 2)]
    diff: Annotated[
        str,
        doc(
            "a unified diff of the markdown; empty when it is the same",
            "--- version 1\n+++ version 2\n@@ -1 +1 @@\n-Flour.\n+Flour, water.\n",
        ),
    ]


def revision_summary(ctx: Context, revision: StoredRevision) -> RevisionSummary:
    """Returns a stored version as callers see it."""
    return ctx.features.record_of(RevisionSummary, revision, createdAt=revision["at"], createdBy=revision["by"])


def brief_record(ctx: Context, document: StoredDocument) -> Brief:
    """Returns the brief of a stored document, empty for none; features that add to it find the document in it."""
    return ctx.features.record_of(Brief, {**brief_of(document), "document": document})
