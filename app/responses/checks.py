"""The checks of a document as callers see them (decisions, section 12)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import doc
from app.rules.checks import CheckResult


class CheckReport(TypedDict):
    """The checks of a document."""

    passed: Annotated[bool, doc("whether no check of level `error` failed", True)]
    blocking: Annotated[int, doc("how many entries of level `error` failed", 0)]
    warnings: Annotated[int, doc("how many entries of level `warning` failed", 0)]
    checks: Annotated[list[CheckResult], doc("in the order of the checks; an entry for each place where one fails")]
