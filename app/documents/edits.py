"""How a document's fields and content are changed, and its way into the trash and back (decisions, section 5).

A change of what is published increments the version; an approved version is published as it is, so it can't change.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

from app.core.calls import Call
from app.core.errors import BadRequest, Problem, SlugTaken, refusal_of
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents.publishing_rules import off_website, previous_slug
from app.documents.record import OPEN, Decision, StoredDocument, brief_of, changed, refuse_if_guarded
from app.documents.statuses import UNSCHEDULED, not_now, refuse_if_outdated, status_before
from app.publications.record import PUBLISHED_FIELDS
from app.publications.rules import Publication

NOT_EDITABLE = (DocumentStatus.APPROVED, DocumentStatus.SCHEDULED)
"""The statuses in which the published fields can't be changed: exactly what was approved is published."""


def refuse_edit(
    document: StoredDocument,
    call: Call,
    changes: Mapping[str, Any],
    *,
    status: str | None = None,
    base_version: int | None = None,
) -> None:
    """Raises the first refusal, in the contract's order, of changes of fields; `status` is one that was sent."""
    refuse_if_guarded(document, call)
    if _is_published(changes):
        _refuse_if_not_editable_by_agents(document, call)
    refuse_if_outdated(document, base_version)
    if status is not None:
        _refuse_if_status_closed(document, status, call)
    if _is_published(changes):
        refuse_if_not_editable(document, call)
    call.pass_gates(document)


def edit_document(
    document: StoredDocument,
    call: Call,
    changes: Mapping[str, Any],
    *,
    status: str | None = None,
    base_version: int | None = None,
    problems: Sequence[Problem] = (),
) -> Decision:
    """Changes fields of a document; `problems` are what is wrong with what was sent, `status` is one that was sent."""
    refuse_edit(document, call, changes, status=status, base_version=base_version)
    if problems:
        raise BadRequest(errors=list(problems))
    return write_fields(document, call, "document.updated", changes, {"fields": sorted(changes)})


def refuse_content_write(document: StoredDocument, call: Call, *base_versions: int | None) -> None:
    """Raises the first refusal of a content write, whatever it writes; each base version must be the present one."""
    refuse_if_guarded(document, call)
    for base_version in base_versions:
        if base_version not in (None, document["version"]):
            _refuse_if_not_editable_by_agents(document, call)
        refuse_if_outdated(document, base_version)


def can_write_content(document: StoredDocument, call: Call) -> Decision:
    """Raises the refusal of a content write that changes something; decides nothing."""
    refuse_content_write(document, call)
    refuse_if_not_editable(document, call)
    return Decision(document)


def write_content(
    document: StoredDocument, call: Call, content_id: str | None, words: int, data: Mapping[str, Any] | None = None
) -> Decision:
    """Gives a document another content: a stored body, or None for an empty one; `data` is for the event."""
    refuse_if_not_editable(document, call)
    return write_fields(document, call, "document.content_updated", content_fields(call, content_id, words), data)


def restore_version(
    document: StoredDocument, call: Call, fields: Mapping[str, Any], words: int, data: Mapping[str, Any]
) -> Decision:
    """Gives a document the published fields and the content (with its number of words) of an earlier version."""
    changes = {name: value for name, value in fields.items() if value != document.get(name)}
    if not changes:
        return Decision(document)
    refuse_if_not_editable(document, call)
    if "contentId" not in changes:
        return write_fields(document, call, "document.updated", changes, data)
    content = content_fields(call, fields["contentId"], words)
    return write_fields(document, call, "document.content_updated", changes | content, data)


def write_fields(
    document: StoredDocument,
    call: Call,
    event: str,
    changes: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
) -> Decision:
    """Changes fields that no rule forbids to change, as a new version where what is published changes."""
    if not changes:
        return Decision(document)
    fields = dict(changes)
    if "slug" in changes:
        if call.taken_slugs:
            raise slug_taken(call.taken_slugs)
        published = document.get("published")
        fields["slugs"] = sorted({changes["slug"], published["slug"] if published else changes["slug"]})
    if _is_published(changes):
        fields["version"] = document["version"] + 1
    return changed(document, call, event, fields, data)


def delete_document(document: StoredDocument, call: Call, publication: Publication | None = None) -> Decision:
    """Moves a document to the trash, with its publication if it has one; a scheduled one is unscheduled."""
    status = document["status"]
    status = status_before(document) if status == DocumentStatus.SCHEDULED else status
    fields = {"deletedAt": call.now, "status": status, "trashedPublication": publication, **UNSCHEDULED}
    return changed(document, call, "document.deleted", fields, previous_slug(document, None))


def refuse_restore(document: StoredDocument, call: Call) -> None:
    """Refuses to restore a document that is not in the trash, or whose slug another one has."""
    if document["deletedAt"] is None:
        raise not_now(document, call, "The document is not in the trash: there is nothing to restore.")
    if call.taken_slugs:
        raise slug_taken(call.taken_slugs)


def restore_document(document: StoredDocument, call: Call, fields: Mapping[str, Any] | None = None) -> Decision:
    """Takes a document out of the trash as it was; `fields` are its references to what was deleted meanwhile.

    It is no longer live where a gate would not let the caller publish it.
    """
    refuse_restore(document, call)
    stays_off = document["isPublished"] and refusal_of(partial(call.pass_gates, document))
    off = off_website(document, call.now) if stays_off else {}
    return changed(document, call, "document.restored", {"deletedAt": None, **(fields or {}), **off})


def refuse_if_not_editable(document: StoredDocument, call: Call) -> None:
    """Refuses changes of the published fields after approval, and by agents during review."""
    in_review = call.is_by_agent and document["status"] == DocumentStatus.REVIEW
    if in_review or document["status"] in NOT_EDITABLE:
        raise not_now(document, call)


def _refuse_if_not_editable_by_agents(document: StoredDocument, call: Call) -> None:
    """Tells an agent that the status forbids a write, before it reads and merges another version for nothing."""
    if call.is_by_agent:
        refuse_if_not_editable(document, call)


def content_fields(call: Call, content_id: str | None, words: int) -> dict[str, Any]:
    """Returns the fields that a new content writes."""
    written = {"contentUpdatedAt": call.now, "contentUpdatedBy": call.actor}
    return {"contentId": content_id, "wordCount": words, **written}


def slug_taken(slugs: Collection[str]) -> SlugTaken:
    """Returns the refusal of slugs that other documents have."""
    return SlugTaken(f"Another document has the slug {min(slugs)!r}: choose another, or change that one first.")


def _refuse_if_status_closed(document: StoredDocument, status: str, call: Call) -> None:
    """Refuses a change from a status after the first three, or of a claimed brief to one other than `drafting`."""
    if document["status"] not in OPEN:
        raise not_now(document, call)
    if brief_of(document)["state"] == BriefState.CLAIMED and status != DocumentStatus.DRAFTING:
        raise not_now(
            document, call, "The document is being drafted under a claim of its brief, which does not allow this."
        )


def _is_published(changes: Mapping[str, Any]) -> bool:
    return any(name in changes for name in (*PUBLISHED_FIELDS, "contentId"))
