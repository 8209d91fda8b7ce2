"""Versions of documents as callers see them (decisions, section 5)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc
from app.responses.records import record_of
from app.rules.actors import Actor
from app.rules.reviews import Generation
from app.rules.revisions import StoredRevision


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


class RevisionSummary(Published):
    """A version of a document, without its content."""

    version: Annotated[int, doc("the version")]
    createdAt: Annotated[Timestamp, doc("when it was written")]
    createdBy: Annotated[Actor, doc("who wrote it")]
    generation: Annotated[Generation | None, doc("what they say that they used; null for nothing")]


class Revision(RevisionSummary):
    """A version of a document; REST adds its content."""

    markdown: Annotated[str, doc("the content, as it was written", "Flour, water and patience.")]


_From = TypedDict("_From", {"from": Annotated[int, doc("the older version")]})


class Diff(_From):
    """What changed between two versions."""

    to: Annotated[int, doc("the newer version", 2)]
    diff: Annotated[
        str,
        doc(
            "a unified diff of the markdown; empty when it is the same",
            "--- version 1\n+++ version 2\n@@ -1 +1 @@\n-Flour.\n+Flour, water.\n",
        ),
    ]


def revision_summary(revision: StoredRevision) -> RevisionSummary:
    """Returns a stored version as callers see it."""
    declared = revision.get("generation")
    generation = declared and record_of(Generation, declared)
    return record_of(
        RevisionSummary, revision, createdAt=revision["at"], createdBy=revision["by"], generation=generation
    )
