"""The checks of a document as callers see them (decisions, section 12)."""

from typing import TypedDict

from app.records.types import Record, boolean, integer, nested_list, string
from app.rules.checks import ShownCheck
from app.vocabulary import CheckLevel, CheckName, CheckOutcome


class CheckResult(Record):
    """The outcome of a check at one place."""

    check = string("the check", one_of=CheckName)
    level = string("how much a failure counts", one_of=CheckLevel, example="warning")
    outcome = string("how it ended; `skipped` where the document lacks what it compares with", one_of=CheckOutcome)
    message = string("what is wrong", example="The title has the keyword.")
    line = integer("the line of the markdown, from 1; null where it is about no line", null=True)


class ChecksRecord(Record):
    """The checks of a document."""

    passed = boolean("whether no check of level `error` failed", example=True)
    checks = nested_list(CheckResult, "in the order of the checks; an entry for each place where one fails")


class ShownChecks(TypedDict):
    """The checks of a document as callers see them."""

    passed: bool
    checks: list[ShownCheck]
