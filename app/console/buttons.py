"""Buttons for the operations that a person can run on a document; `moves.py` has their views."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from app.briefs import operations as briefs
from app.core.operation import Operation
from app.core.vocabulary import BriefState, DocumentStatus, Scope
from app.documents import operations as documents
from app.documents import publishing
from app.documents.responses import DocumentSummary


@dataclass(frozen=True)
class Move:
    """An operation on one document as a button: its label, its message when done, and the field of its form.

    The message has `{}` in place of the document.
    """

    operation: Operation[DocumentSummary]
    label: str
    done: str
    question: str = ""
    """The question to confirm first, where the move can't be undone easily."""
    asks: str = ""
    """The field of its form, like `note` or `publishAt`."""
    hint: str = ""
    """Explanation for users who have never used it."""
    takes_away: bool = False
    """True if somebody or the site loses something by it: its button is red, and never the main one."""
    never_main: bool = False
    """True if its button is never the main one either, since it is no step towards publishing."""
    keeps_version: bool = False
    """True if it sends `baseVersion`, so that the version that was read is the one published."""
    for_holder: bool = False
    """True if only the holder of the brief's claim is shown a button for it."""
    suits: Callable[[DocumentSummary], bool] = lambda document: True
    """Returns whether the page of a document shows a button for it; the operation decides whether it is allowed."""

    @property
    def name(self) -> str:
        return self.operation.name

    def message(self, title: str = "") -> str:
        """Returns the message after the move; without a title it is about the document that the page shows."""
        return self.done.format(f"“{title}”" if title else "It")


MOVES: tuple[Move, ...] = (
    Move(
        briefs.mark_brief_ready,
        "Offer brief",
        "The brief is offered: agents and writers can claim it.",
        hint="Agents and writers can claim it, and write the text.",
        suits=lambda document: document["brief"]["state"] in (BriefState.NONE, BriefState.DRAFTED),
    ),
    Move(
        briefs.claim_brief,
        "Claim brief",
        "The brief is claimed: nobody else is offered it now.",
        hint="You write the text; nobody else is offered it.",
        never_main=True,
        suits=lambda document: document["brief"]["state"] == BriefState.READY,
    ),
    Move(
        briefs.release_brief,
        "Release brief",
        "The brief is released: it is offered again.",
        hint="You give it back: others can claim it.",
        never_main=True,
        for_holder=True,
    ),
    Move(
        briefs.withdraw_brief,
        "Withdraw brief",
        "The brief is withdrawn: it is not offered any more.",
        hint="Nobody can claim it any more, and whoever claimed it loses it.",
        question="Withdraw the brief? It is not offered any more, and whoever holds its claim loses it.",
        takes_away=True,
        suits=lambda document: document["brief"]["state"] in (BriefState.READY, BriefState.CLAIMED),
    ),
    Move(publishing.submit_document, "Submit for review", "{} is submitted for review."),
    Move(publishing.approve_document, "Approve", "{} is approved: its text stays as it is.", keeps_version=True),
    Move(
        publishing.request_changes,
        "Request changes",
        "{} is back in drafting.",
        asks="note",
        never_main=True,
    ),
    Move(publishing.schedule_document, "Schedule", "{} is scheduled.", asks="publishAt", keeps_version=True),
    Move(
        publishing.unschedule_document,
        "Unschedule",
        "{} is not scheduled any more.",
        never_main=True,
        suits=lambda document: document["status"] == DocumentStatus.SCHEDULED,
    ),
    Move(
        publishing.publish_document,
        "Publish now",
        "{} is published.",
        question="Publish now? The website shows it from then on.",
        keeps_version=True,
        suits=lambda document: document["status"] != DocumentStatus.PUBLISHED or document["hasUnpublishedChanges"],
    ),
    Move(
        publishing.unpublish_document,
        "Unpublish",
        "{} is off the site.",
        question="Take this off the website?",
        takes_away=True,
        suits=lambda document: bool(document["isPublished"]),
    ),
    Move(
        documents.delete_document,
        "Move to trash",
        "{} is in the trash.",
        question="Move this to the trash? It disappears from every list and from the website; it can be restored.",
        takes_away=True,
    ),
)
BY_NAME: Mapping[str, Move] = {move.name: move for move in MOVES}


def possible_moves(allowed: Collection[str], scopes: Collection[Scope]) -> list[str]:
    """Returns the labels of those moves, as their paths name them, that a user's scopes allow."""
    paths = [(move.name.removesuffix("_document").replace("_", "-"), move) for move in MOVES]
    return [move.label for path, move in paths if path in allowed and move.operation.scope in scopes]
