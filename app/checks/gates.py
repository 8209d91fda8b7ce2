"""The checks that a project demands of a submission, and that agents do not move (decisions, sections 12 and 13)."""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Any

from app.checks.errors import ChecksFailed
from app.checks.operations import checks_of, demanded_checks
from app.checks.rules import CheckResult, failed_errors
from app.checks.vocabulary import CheckName
from app.core.calls import Call
from app.core.errors import ReviewRequired
from app.core.features import Gate
from app.core.vocabulary import BriefState
from app.documents.record import StoredDocument, brief_of, brief_state
from app.projects.gates import Attempt

CHECKS_OF_PARTS: Mapping[str, Set[str]] = {
    "keyword": {
        CheckName.KEYWORD_IN_TITLE,
        CheckName.KEYWORD_IN_OPENING,
        CheckName.KEYWORD_IN_SLUG,
        CheckName.KEYWORD_TAKEN,
    },
    "wordCount": {CheckName.LENGTH},
    "outline": {CheckName.OUTLINE_COVERED},
    "internalLinks": {CheckName.INTERNAL_LINKS},
    "referenceUrls": {CheckName.REFERENCES},
}
"""The checks that read each part of a brief."""


def refuse_failed_checks(results: Sequence[CheckResult], document: Any, call: Call) -> None:
    """Refuses with `ChecksFailed` while checks of level `error` fail."""
    if failures := failed_errors(results):
        raise ChecksFailed(checks=failures)


def _results(attempt: Attempt) -> Sequence[CheckResult]:
    levels = demanded_checks(attempt.project)
    return checks_of(attempt.ctx, attempt.record, levels, attempt.markdown) if levels else ()


PASSED = Gate(("submit_document",), read=_results, refuse=refuse_failed_checks, errors=(ChecksFailed,), last=True)


def refuse_moved_checks(moved: Collection[str], document: StoredDocument, call: Call) -> None:
    """Refuses with `ReviewRequired` an agent's change of what a demanded check compares the text with."""
    is_written = document["contentUpdatedAt"] > document["createdAt"] or document.get("contentId") is not None
    if moved and (is_written or brief_state(document) == BriefState.CLAIMED):
        raise ReviewRequired(
            f"The project demands checks that read these parts of the brief: {', '.join(moved)}. An agent can't change "
            "them once the work has begun: ask an editor."
        )


def _moved(attempt: Attempt) -> Collection[str]:
    """Returns the parts of the brief that an agent changes and that checks of level `error` read."""
    if not attempt.call.has_agent or attempt.fields is None:
        return ()
    before, demanded = brief_of(attempt.record), demanded_checks(attempt.project)
    changed = {name for name, value in attempt.fields.items() if (value or None) != (before.get(name) or None)}
    return [part for part, names in CHECKS_OF_PARTS.items() if part in changed and not names.isdisjoint(demanded)]


BRIEFS = Gate(("replace_brief", "update_brief"), read=_moved, refuse=refuse_moved_checks, errors=(ReviewRequired,))
