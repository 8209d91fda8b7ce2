"""Rules of publishing: the snapshot of a document that is delivered, and where its past slugs lead.

(decisions, sections 5, 7 and 15)
"""

from datetime import datetime
from typing import Any, cast

from app.core.calls import Call
from app.core.errors import BadRequest, Problem
from app.core.slugs import MAX_PAST_SLUGS
from app.documents.record import Decision, StoredDocument
from app.documents.statuses import PUBLISH, UNPUBLISH, make_move, move_status, status_unpublished
from app.publications.record import PUBLISHED_FIELDS, PastSlug, Published
from app.publications.rules import NOT_RENDERABLE, Publication, Rendered, delivered_words


def not_renderable() -> BadRequest:
    """Returns the refusal of a content whose html is too large."""
    return BadRequest(NOT_RENDERABLE, errors=[Problem(field="markdown", message=NOT_RENDERABLE)])


def publish_document(document: StoredDocument, call: Call, delivered: Publication) -> Decision:
    """Makes a publication of a document, which `refuse_move` did not refuse, what is delivered of it."""
    fields = {
        "isPublished": True,
        "publishedAt": delivered["publishedAt"],
        "published": published_part(delivered),
        "pastSlugs": delivered["pastSlugs"],
        "slugs": [document["slug"]],
    }
    return make_move(PUBLISH, document, call, fields, previous_slug(document, document["slug"]))


def unpublish_document(document: StoredDocument, call: Call) -> Decision:
    """Takes a document off the website."""
    fields = off_website(document, call.now)
    return move_status(UNPUBLISH, document, call, fields, data=previous_slug(document, None))


def off_website(document: StoredDocument, now: datetime) -> dict[str, Any]:
    """Returns the fields of a document that is not delivered any more."""
    return {
        "isPublished": False,
        "publishedAt": None,
        "firstPublishedAt": document.get("publishedAt") or document.get("firstPublishedAt"),
        "published": None,
        "pastSlugs": past_slugs(document, None, now),
        "slugs": [document["slug"]],
        "status": status_unpublished(document),
    }


def publication(
    document: StoredDocument, text: Rendered, html_id: str, *, published_at: datetime, now: datetime
) -> Publication:
    """Returns what is delivered of a document from now on; `published_at` is when it went live."""
    fields = {
        **{name: document.get(name) for name in PUBLISHED_FIELDS},
        "excerpt": document.get("excerpt") or text.first_paragraph,
    }
    delivered = {
        **fields,
        "id": document["id"],
        "projectId": document["projectId"],
        "version": document["version"],
        "markdownId": document["contentId"],
        "markdownBytes": text.markdown_bytes,
        "htmlId": html_id,
        "htmlBytes": text.html_bytes,
        "wordCount": document["wordCount"],
        "publishedAt": published_at,
        "updatedAt": now,
        "authorId": document.get("authorId"),
        "clusterId": document.get("clusterId"),
        "pastSlugs": past_slugs(document, document["slug"], now),
        "words": delivered_words(fields),
    }
    return cast(Publication, delivered)


def published_part(delivered: Publication) -> Published:
    """Returns the fields of a document's record that describe its publication."""
    return cast(Published, {name: delivered.get(name) for name in Published.__annotations__})


def restored_publication(delivered: Publication, document: StoredDocument) -> Publication:
    """Returns the publication of a restored document, without references to records that were deleted meanwhile."""
    published = document.get("published")
    category_id, cluster_id = published and published["categoryId"], document.get("clusterId")
    return {**delivered, "categoryId": category_id, "clusterId": cluster_id}


def previous_slug(document: StoredDocument, slug: str | None) -> dict[str, str]:
    """Returns `previousSlug` for the event: the slug under which it is no longer delivered; empty if unchanged.

    `slug` is the one that it is delivered under from now on; None if it is no longer delivered.
    """
    published = document.get("published")
    return {"previousSlug": published["slug"]} if published and published["slug"] != slug else {}


def past_slugs(document: StoredDocument, slug: str | None, now: datetime) -> list[PastSlug]:
    """Returns the past slugs of a document that is delivered under `slug` from now on, the latest first.

    None for a document that is not delivered any more.
    """
    known, published = document.get("pastSlugs") or [], document.get("published")
    if published:
        left = published["slug"]
        known = [PastSlug(slug=left, at=now), *(one for one in known if one["slug"] != left)]
    return [one for one in known if one["slug"] != slug][:MAX_PAST_SLUGS]
