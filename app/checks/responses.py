"""The report of the checks of a document, and the levels that a project sets, as callers see them."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app.checks.rules import CheckResult
from app.checks.vocabulary import CheckLevel
from app.core.documented import doc, one_of


class CheckReport(TypedDict):
    """The checks of a document."""

    passed: Annotated[bool, doc("whether no check of level `error` failed", True)]
    blocking: Annotated[int, doc("how many entries of level `error` failed", 0)]
    warnings: Annotated[int, doc("how many entries of level `warning` failed", 0)]
    checks: Annotated[list[CheckResult], doc("in the order of the checks; an entry for each place where one fails")]
    more: NotRequired[Annotated[dict[str, int], doc("over MCP: how many entries of a check are left out")]]


class CheckedProject(TypedDict):
    """The setting of a project."""

    checks: Annotated[
        dict[str, Annotated[str, one_of(CheckLevel)]],
        doc(
            "checks of documents by name, each `off`, `warning` or `error`; others are warnings",
            {"meta_title": "error", "references": "off"},
        ),
    ]
