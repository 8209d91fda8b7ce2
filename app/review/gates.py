"""Threads of level `must` keep a document from being submitted, approved, scheduled and published.

(decisions, section 17)
"""

from app.core.calls import Call
from app.core.features import Gate
from app.review.errors import ThreadsOpen
from app.review.rules import ReviewedDocument
from app.review.vocabulary import ThreadState


def refuse_unresolved(facts: None, document: ReviewedDocument, call: Call) -> None:
    """Refuses with `ThreadsOpen` while threads of level `must` are not resolved."""
    if threads := sorted(document.get("mustThreads") or {}):
        message = "Threads of level `must` are not resolved: a person or the opener has to resolve each first."
        raise ThreadsOpen(message, threads=threads)


def refuse_unanswered(facts: None, document: ReviewedDocument, call: Call) -> None:
    """Refuses with `ThreadsOpen` while threads of level `must` are open."""
    states = document.get("mustThreads") or {}
    if threads := sorted(one for one, state in states.items() if state == ThreadState.OPEN):
        message = (
            f"Threads of level `must` are open. Read them with {call.name_of('list_threads')}, change the text, and "
            f"answer each with {call.name_of('reply_to_thread')}, saying what you changed; then submit again."
        )
        raise ThreadsOpen(message, threads=threads)


RESOLVED = Gate(
    ("approve_document", "schedule_document", "publish_document"), refuse=refuse_unresolved, errors=(ThreadsOpen,)
)
ANSWERED = Gate(("submit_document",), refuse=refuse_unanswered, errors=(ThreadsOpen,), last=True)
