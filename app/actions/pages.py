"""The refusals on the page of a document: why what it has no button for is not possible now."""

from app.actions.operations import actions_on, attempt_on
from app.console.additions import Pages
from app.console.frame import summary_of
from app.console.sessions import context
from app.core.errors import InvalidTransition, Refusal
from app.documents.record import StoredDocument


def refusals_on(document: StoredDocument, markdown: str) -> dict[str, str]:
    """Returns why operations on a document are not allowed now, by their names; those that are allowed are left out."""
    return {
        one.name: _why(refusal) for one, refusal in actions_on(attempt_on(context(), document, markdown)) if refusal
    }


def _why(refusal: Refusal) -> str:
    return refusal.message if isinstance(refusal, InvalidTransition) else summary_of(refusal)


PAGES = Pages("actions", values={"refusals": refusals_on})
