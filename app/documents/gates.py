"""The gates of the contract: an approval where the project demands one, and a text that can be rendered.

(decisions, section 5)
"""

from app.core.calls import Call
from app.core.errors import ReviewRequired
from app.core.features import Gate
from app.core.vocabulary import DocumentStatus
from app.documents.publishing_rules import not_renderable
from app.documents.record import StoredDocument
from app.documents.rendering import is_read, is_renderable
from app.documents.statuses import no_content, was_approved
from app.projects.gates import Attempt


def requires_review(attempt: Attempt) -> bool:
    """Returns whether the project publishes only what was approved."""
    return attempt.ctx.features.require_review(attempt.project)


def refuse_unapproved(is_demanded: bool, document: StoredDocument, call: Call) -> None:
    """Refuses with `ReviewRequired` what was not approved where that is demanded; before it was scheduled counts."""
    if is_demanded and not was_approved(document):
        if document["status"] != DocumentStatus.REVIEW:
            raise ReviewRequired
        approve = call.name_of("approve_document")
        raise ReviewRequired(f"The project publishes only what was approved: have it approved with {approve} first.")


def refuse_unrenderable(renderable: bool, document: StoredDocument, call: Call) -> None:
    """Refuses with `BadRequest` a content whose html is too large."""
    if not renderable:
        raise not_renderable()


def _is_renderable(attempt: Attempt) -> bool:
    return is_renderable(attempt.ctx, attempt.record["contentId"], lambda: attempt.markdown)


def refuse_unread(is_read: bool, document: StoredDocument, call: Call) -> None:
    """Refuses with `BadRequest` a content in which there is nothing to read, like a document without content."""
    if not is_read:
        raise no_content()


APPROVAL = Gate(
    ("schedule_document", "publish_document"), read=requires_review, refuse=refuse_unapproved, errors=(ReviewRequired,)
)
READ = Gate(
    ("submit_document", "approve_document", "schedule_document", "publish_document"),
    read=lambda attempt: is_read(attempt.ctx, attempt.record, lambda: attempt.markdown),
    refuse=refuse_unread,
)
RENDERABLE = Gate(("publish_document",), read=_is_renderable, refuse=refuse_unrenderable, last=True)
