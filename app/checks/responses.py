"""The report of the checks of a document, as callers see it."""

from typing import Annotated

from typing_extensions import TypedDict

from app.checks.rules import CheckResult
from app.core.documented import doc


class CheckReport(TypedDict):
    """The checks of a document."""

    passed: Annotated[bool, doc("whether no check of level `error` failed", True)]
    blocking: Annotated[int, doc("how many entries of level `error` failed", 0)]
    warnings: Annotated[int, doc("how many entries of level `warning` failed", 0)]
    checks: Annotated[list[CheckResult], doc("in the order of the checks; an entry for each place where one fails")]
