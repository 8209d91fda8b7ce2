"""Versions of documents as callers see them (decisions, section 5)."""

from typing import TypedDict

from app.records.actors import ActorRecord
from app.records.types import Record, integer, nested, record_id, string, timestamp
from app.rules.actors import Actor
from app.rules.revisions import StoredRevision
from app.rules.times import wire_time


class PublishedRecord(Record):
    """The fields of a document that are published with it, and so are part of each version."""

    title = string("its title", example="How to begin a sourdough starter")
    slug = string("its URL slug, unique in the project", example="how-to-begin-a-sourdough-starter")
    subtitle = string("the line below the title")
    excerpt = string("its summary; empty when unset")
    metaTitle = string("title for search engines")
    metaDescription = string("description for search engines")
    coverImageUrl = string("the cover image", null=True)
    categoryId = record_id("its category", null=True)
    wordCount = integer("words of the content's text", example=4)


class RevisionSummary(PublishedRecord):
    """A version of a document, without its content."""

    version = integer("the version")
    createdAt = timestamp("when it was written")
    createdBy = nested(ActorRecord, "who wrote it")


class RevisionRecord(RevisionSummary):
    """A version of a document."""

    markdown = string("the content, as it was written", example="Flour, water and patience.")


class DiffRecord(Record):
    """What changed between two versions."""

    from_ = integer("the older version", data_key="from")
    to = integer("the newer version", example=2)
    diff = string(
        "a unified diff of the markdown; empty when it is the same",
        example="--- version 1\n+++ version 2\n@@ -1 +1 @@\n-Flour.\n+Flour, water.\n",
    )


class ShownPublished(TypedDict):
    """The fields that are published with a document, as callers see them."""

    title: str
    slug: str
    subtitle: str
    excerpt: str
    metaTitle: str
    metaDescription: str
    coverImageUrl: str | None
    categoryId: str | None
    wordCount: int


class ShownRevision(ShownPublished):
    """A version of a document as callers see it; its markdown is read separately."""

    version: int
    createdAt: str
    createdBy: Actor


ShownDiff = TypedDict("ShownDiff", {"from": int, "to": int, "diff": str})
"""What changed between two versions, as callers see it."""


def revision_summary(revision: StoredRevision) -> ShownRevision:
    """Returns a stored version as callers see it."""
    return {
        "version": revision["version"],
        "title": revision["title"],
        "slug": revision["slug"],
        "subtitle": revision["subtitle"] or "",
        "metaTitle": revision["metaTitle"] or "",
        "metaDescription": revision["metaDescription"] or "",
        "excerpt": revision["excerpt"] or "",
        "coverImageUrl": revision["coverImageUrl"],
        "categoryId": revision["categoryId"],
        "wordCount": revision["wordCount"],
        "createdAt": wire_time(revision["at"]),
        "createdBy": revision["by"],
    }
