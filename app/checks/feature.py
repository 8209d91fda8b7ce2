"""The checks that a project demands of a submission, and what checks add to drafts and packets.

Agents do not move what a demanded check reads (decisions, sections 12 and 13).
"""

from collections.abc import Collection, Mapping, Sequence, Set
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.checks.kept import may_lose
from app.checks.of_text import keyword_warnings
from app.checks.operations import check_levels, checks_of, demanded_checks, levels_of, titles_with_keyword
from app.checks.responses import CheckedProject
from app.checks.rules import (
    FAILED_CHECK,
    CheckResult,
    Subject,
    failed,
    failed_errors,
    run_checks,
)
from app.checks.schemas import CheckSettings
from app.checks.vocabulary import CheckLevel, CheckName, CheckOutcome
from app.core.calls import Call
from app.core.concurrency import processing
from app.core.context import Context
from app.core.documented import doc
from app.core.errors import Refusal, ReviewRequired
from app.core.features import Extension, Feature, Gate, by_class_name
from app.core.schemas.loading import Fields
from app.core.vocabulary import BriefState, Kind
from app.documents.record import StoredDocument, brief_of, brief_state
from app.documents.responses import PublishedDocument, PublishedSummary
from app.intents.responses import Validation
from app.packets.responses import Packet
from app.projects.gates import Attempt
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.projects.store import Projects


class ChecksFailed(Refusal, status=409):
    """The project demands checks that fail: correct what `checks` lists, then submit again."""

    class Keys(TypedDict):
        checks: Annotated[list[CheckResult], doc("every failure of a check whose level is `error`", [FAILED_CHECK])]


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
        advice = "correct what `checks` lists, then submit again"
        raise ChecksFailed("The project demands checks that fail", advice=advice, checks=failures)


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


TAKEN_KEYWORD = {
    "check": "keyword_taken",
    "level": "warning",
    "outcome": "failed",
    "message": "Other documents have the keyword 'sourdough starter', too: 'Feeding a starter'.",
    "line": None,
}


class WithWarnings(TypedDict):
    """The warnings of a document draft."""

    warnings: NotRequired[
        Annotated[
            list[CheckResult],
            doc("`keyword_taken`, for a document draft whose keyword another document has", [TAKEN_KEYWORD]),
        ]
    ]


class WithFailures(TypedDict):
    """The part of a work packet."""

    checks: Annotated[list[CheckResult], doc("the failures of checks", [FAILED_CHECK])]


def checks_of_packet(ctx: Context, packet: Mapping[str, Any], fields: Fields) -> WithFailures:
    """Returns the failures of a packet's document; the gate of `submit_document` takes the same results."""
    attempt: Attempt = packet["attempt"]
    results = checks_of(ctx, attempt.record, levels_of(attempt.project), attempt.markdown, packet["links"])
    attempt.facts[PASSED] = results
    return {"checks": failed(results)}


def keyword_of_draft(ctx: Context, draft: Mapping[str, Any], fields: Fields) -> Mapping[str, Any]:
    """Returns the warnings of a document draft."""
    if draft["kind"] != Kind.DOCUMENT:
        return {}
    keyword = (draft["fields"].get("brief") or {}).get("keyword") or ""
    return {"warnings": keyword_warnings(keyword, titles_with_keyword(ctx, keyword), check_levels(ctx))}


class WithLosses(TypedDict):
    """The warnings of a publication."""

    warnings: NotRequired[Annotated[list[CheckResult], doc("what the text lost in html (`html_kept`), if anything")]]


def losses_of_published(ctx: Context, document: Any, fields: Fields) -> WithLosses:
    """Returns what a text that is published loses in html, unless the project has switched that check off."""
    if not may_lose(fields["markdown"]):
        return {}
    project: Any = ctx.caller.project or ctx.store[Projects].recent_settings(ctx.project_id)
    levels = levels_of(project)
    checks = [one for one in ctx.features.checks if one.name == CheckName.HTML_KEPT]
    with processing(ctx, fields["markdown"]):
        lost = failed(run_checks(Subject(document, fields["markdown"], (), (), parse=ctx.content.of), levels, checks))
    return {"warnings": lost} if lost else {}


FEATURE = Feature(
    "checks",
    responses={
        Project: CheckedProject,
        Validation: WithWarnings,
        Packet: WithFailures,
        PublishedSummary: WithLosses,
        PublishedDocument: WithLosses,
    },
    schemas={ProjectChanges: CheckSettings},
    extensions=(
        Extension("validate_intent", present=keyword_of_draft),
        Extension("get_work_packet", present=checks_of_packet),
        Extension("publish_document", present=losses_of_published),
    ),
    closed_lists=by_class_name(CheckLevel, CheckName, CheckOutcome),
)
