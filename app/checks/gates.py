"""The checks that a project demands of a submission (decisions, section 12)."""

from collections.abc import Sequence
from typing import Any

from app.checks.errors import ChecksFailed
from app.checks.operations import checks_of, demanded_checks
from app.checks.rules import CheckResult, failed_errors
from app.core.calls import Call
from app.core.features import Gate
from app.projects.gates import Attempt


def refuse_failed_checks(results: Sequence[CheckResult], document: Any, call: Call) -> None:
    """Refuses with `ChecksFailed` while checks of level `error` fail."""
    if failures := failed_errors(results):
        raise ChecksFailed(checks=failures)


def _results(attempt: Attempt) -> Sequence[CheckResult]:
    levels = demanded_checks(attempt.project)
    return checks_of(attempt.ctx, attempt.record, levels, attempt.markdown) if levels else ()


PASSED = Gate(("submit_document",), read=_results, refuse=refuse_failed_checks, errors=(ChecksFailed,), last=True)
