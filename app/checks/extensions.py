"""Warnings in the validation of drafts, and failures in the work packet (decisions, section 12)."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from app.checks.gates import PASSED
from app.checks.operations import check_levels, checks_of, levels_of, titles_with_keyword
from app.checks.rules import FAILED_CHECK, CheckResult, failed, keyword_warnings
from app.core.context import Context
from app.core.documented import doc
from app.core.schemas.loading import Fields
from app.core.vocabulary import Kind
from app.projects.gates import Attempt

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
