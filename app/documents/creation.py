"""The record of a new document, and of its brief."""

from typing import Any

from app.core.calls import Call
from app.core.named import lower_id
from app.core.schemas.loading import Fields
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.claims import written_brief
from app.documents.record import NO_CLAIM, assignment


def new_document(fields: Fields, *, slug: str, words: int, call: Call) -> dict[str, Any]:
    """Returns the record of a document that begins with the fields of a draft that has no problem.

    `words` is the number of words in its markdown.
    """
    brief = fields.get("brief")
    status = fields.get("status") or (DocumentStatus.DRAFTING if brief is None else DocumentStatus.IDEA)
    category_id, assignee_id = (lower_id(fields.get(name)) for name in ("categoryId", "assigneeId"))
    now, by = call.now, call.actor
    record = {
        "title": fields["title"],
        "slug": slug,
        "status": status,
        "assigneeId": assignee_id,
        **assignment(assignee_id, call),
        "authorId": None,
        "categoryId": category_id,
        "clusterId": lower_id(fields.get("clusterId")),
        "dueDate": fields.get("dueDate"),
        "version": 1,
        "wordCount": words,
        "isPublished": False,
        "publishedAt": None,
        "published": None,
        "deletedAt": None,
        "createdAt": now,
        "createdBy": by,
        "updatedAt": now,
        "contentUpdatedAt": now,
        "contentUpdatedBy": by,
    }
    return record if brief is None else record | {"brief": new_brief(brief)}


def new_brief(fields: Fields) -> dict[str, Any]:
    """Returns the brief that a document begins with."""
    written = {name: value for name, value in written_brief(fields).items() if value is not None}
    return written | {"state": BriefState.NONE, **NO_CLAIM}
