"""Checks of a document before it is submitted: what a check is, and its outcome (decisions, section 12).

A check is a pure function of the document, and yields a failure for each place that is wrong, with its line where there
is one. It is skipped where the document lacks what it compares with: a brief, a keyword, a number of words.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.checks.vocabulary import CheckLevel, CheckName, CheckOutcome
from app.core.documented import doc, one_of
from app.core.text.content import MOST_PARTS, Content, content_of
from app.core.text.words import compared_words
from app.documents.lengths import word_targets
from app.documents.record import StoredBrief, StoredDocument, brief_of

MOST_FAILURES = 1_000
"""Maximum number of failures that one check reports."""


class CheckResult(TypedDict):
    """The outcome of a check at one place."""

    check: Annotated[str, one_of(CheckName), doc("the check")]
    level: Annotated[str, one_of(CheckLevel), doc("how much a failure counts", "warning")]
    outcome: Annotated[
        str, one_of(CheckOutcome), doc("how it ended; `skipped` where the document lacks what it compares with")
    ]
    message: Annotated[str, doc("what is wrong", "The title has the keyword.")]
    line: Annotated[int | None, doc("the line of the markdown, from 1; null where it is about no line")]


FAILED_CHECK: CheckResult = {
    "check": "meta_title",
    "level": "error",
    "outcome": "failed",
    "message": "The meta title is missing.",
    "line": None,
}
"""The example of OpenAPI."""


@dataclass(frozen=True)
class Subject:
    """Input of the checks: a document with its text, and the other documents that they compare it with."""

    document: StoredDocument
    markdown: str
    internal_links: Sequence[StoredDocument]
    """The documents that the brief wants linked to."""
    same_keyword_titles: Sequence[str]
    """The titles of other documents whose briefs have the same keyword."""
    added: Mapping[str, Any] = field(default_factory=dict)
    """What features read for checks: their own; `image_alts`, which returns alternative texts by addresses;
    `to_render`, which returns the markdown that is rendered; and `cited_addresses`, which returns those of sources."""
    dead_links: Collection[str] = ()
    """The addresses in the text that lead to documents of the project that are not published."""
    parse: Callable[[str], Content] = content_of

    @cached_property
    def content(self) -> Content:
        return self.parse(self.markdown)

    @property
    def brief(self) -> StoredBrief:
        return brief_of(self.document)

    @property
    def keyword(self) -> str:
        return self.brief.get("keyword") or ""

    @property
    def word_targets(self) -> list[int]:
        return word_targets(self.brief.get("wordCount") or "")

    @cached_property
    def keyword_words(self) -> list[str]:
        return compared_words(self.keyword)


@dataclass(frozen=True)
class Failure:
    """One failure of a check, at one place of the text."""

    message: str
    line: int | None = None


UNPUBLISHED_LINK = (
    "which is not published yet: the brief wants this link all the same. Only if the check `links` then blocks "
    "submitting, leave it out, or ask a person to publish that document first."
)
"""What to do about a link that the brief demands and the check `links` fails for; both checks say it."""
TOO_MANY_PARTS = Failure(f"The text has over {MOST_PARTS:,} elements, too many for this check: divide the document.")


@dataclass(frozen=True)
class Check:
    """One check: its name on the wire, what it demands, what it needs, and how it finds failures."""

    name: CheckName
    passed: str
    """Message if the check passes."""
    find: Callable[[Subject], Iterator[Failure]]
    """Yields the failures; its docstring, when the check fails, is the reference in `docs/checks.md`."""
    needs: Callable[[Subject], object] = field(default=lambda subject: True)
    """Gives what the check compares with; the check is skipped where that is nothing."""
    skipped: str = ""
    """Why it is skipped."""
    reads_text: bool = False
    """True if it reads the whole text; it fails if the text has more parts than are read, so none is missed."""

    @property
    def folder(self) -> str:
        """The folder that declares it."""
        return self.find.__module__.split(".")[1]


def run_checks(subject: Subject, levels: Mapping[str, str], checks: Iterable[Check]) -> list[CheckResult]:
    """Returns the outcome of every check that is not switched off, in their order.

    `levels` is the project's setting: name of a check -> `off`, `warning` (the default) or `error`.
    """
    results: list[CheckResult] = []
    for check in checks:
        level = levels.get(check.name, CheckLevel.WARNING)
        if level == CheckLevel.OFF:
            continue
        if not check.needs(subject):
            found = [(CheckOutcome.SKIPPED, Failure(check.skipped))]
        elif check.reads_text and not subject.content.whole:
            found = [(CheckOutcome.FAILED, TOO_MANY_PARTS)]
        else:
            failures = islice(check.find(subject), MOST_FAILURES)
            found = [(CheckOutcome.FAILED, one) for one in failures] or [(CheckOutcome.PASSED, Failure(check.passed))]
        results += [
            CheckResult(check=check.name, level=str(level), outcome=str(outcome), message=one.message, line=one.line)
            for outcome, one in found
        ]
    return results


def errors_alone(levels: Mapping[str, str]) -> dict[str, str]:
    """Returns the setting under which only the checks run that keep a document from being submitted; {} for none."""
    if CheckLevel.ERROR not in levels.values():
        return {}
    return {name: CheckLevel.ERROR if levels.get(name) == CheckLevel.ERROR else CheckLevel.OFF for name in CheckName}


def failed(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Returns those of the results that say what failed."""
    return [one for one in results if one["outcome"] == CheckOutcome.FAILED]


def first_of_each(results: Sequence[CheckResult], most: int) -> tuple[list[CheckResult], dict[str, int]]:
    """Returns the first results of each check, and how many more there are of those that have more."""
    of_check: Counter[str] = Counter()
    first = []
    for one in results:
        of_check[one["check"]] += 1
        if of_check[one["check"]] <= most:
            first.append(one)
    return first, {str(check): count - most for check, count in of_check.items() if count > most}


def failed_errors(results: Sequence[CheckResult]) -> list[CheckResult]:
    """Returns the failures of checks of level `error`."""
    return [one for one in failed(results) if one["level"] == CheckLevel.ERROR]


keyword_of = attrgetter("keyword_words")
NO_KEYWORD = "The brief has no keyword."
"""Why checks that compare with the keyword are skipped."""
