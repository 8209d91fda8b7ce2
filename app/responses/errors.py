"""Errors as callers see them: what each has beside `_tag` and `message`."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from app import errors
from app.documented import EXAMPLE_ID, EXAMPLE_TIME, Timestamp, doc, one_of
from app.errors import MAX_ISSUES, Issue, Problem, Refusal
from app.rules.actors import Actor, Note
from app.rules.checks import CheckResult
from app.vocabulary import BudgetLimit, DocumentStatus, Scope


class Error(TypedDict):
    """An error, with the keys that its tag has beside these."""

    _tag: Annotated[str, doc("which error it is", "InvalidTransition")]
    message: Annotated[str, doc("what is wrong, and what to do")]


FAILED_CHECK = {
    "check": "meta_title",
    "level": "error",
    "outcome": "failed",
    "message": "The meta title is missing.",
    "line": None,
}


class Issues(TypedDict):
    issues: Annotated[list[Issue], doc("every problem at once, at most 100", max_length=MAX_ISSUES)]
    more: NotRequired[Annotated[int, doc("how many problems there are beside those in `issues`")]]


class Problems(TypedDict):
    errors: Annotated[list[Problem], doc("every problem, sorted by field")]


class SomeProblems(TypedDict):
    errors: NotRequired[Annotated[list[Problem], doc("every problem, sorted by field, where there are fields to name")]]


class Claim(TypedDict):
    claimedBy: Annotated[Actor | None, doc("who claimed it; null where nobody holds a claim")]
    claimedAt: Annotated[Timestamp | None, doc("since when", EXAMPLE_TIME)]


class FailedChecks(TypedDict):
    checks: Annotated[list[CheckResult], doc("every failure of a check whose level is `error`", [FAILED_CHECK])]


class LackedScope(TypedDict):
    scope: NotRequired[Annotated[str, one_of(Scope), doc("the scope that is needed", "publish")]]


class By(TypedDict):
    by: Annotated[Actor, doc("who made or submitted the version")]


class MissingReview(TypedDict):
    missing: Annotated[
        list[str],
        doc("what lacks: `review`, its `facts` or `examined`, or a `person`", ["facts", "examined"]),
    ]


class OpenThreads(TypedDict):
    threads: Annotated[list[str], doc("the ids of the threads", [EXAMPLE_ID])]


class OpenedBy(TypedDict):
    openedBy: Annotated[Actor, doc("who opened the thread")]


class Rounds(TypedDict):
    rounds: Annotated[int, doc("how often changes were requested since the document was last published", 2)]
    maxRounds: Annotated[int, doc("the project's setting", 2)]


class Versions(TypedDict):
    version: Annotated[int, doc("the document's present version", 4)]
    baseVersion: NotRequired[Annotated[int, doc("the version that was sent", 3)]]
    hashes: NotRequired[Annotated[list[str], doc("the sections that the document does not have")]]


class SpentBudget(TypedDict):
    budget: Annotated[str, one_of(BudgetLimit), doc("the limit")]
    resetsAt: Annotated[Timestamp, doc("when the next hour or day begins")]


class AllowedMoves(TypedDict):
    status: Annotated[str, one_of(DocumentStatus), doc("the document's status", "review")]
    allowed: Annotated[list[str], doc("the operations that the status allows", ["approve", "request-changes"])]


EXTRA_KEYS: dict[type[Refusal], type] = {
    errors.HttpApiDecodeError: Issues,
    errors.IntentInvalid: Problems,
    errors.BadRequest: SomeProblems,
    errors.BriefClaimed: Claim,
    errors.ChecksFailed: FailedChecks,
    errors.Forbidden: LackedScope,
    errors.FourEyes: By,
    errors.HumanReviewRequired: MissingReview,
    errors.ThreadsOpen: OpenThreads,
    errors.ThreadNotYours: OpenedBy,
    errors.RoundsExhausted: Rounds,
    errors.VersionConflict: Versions,
    errors.ProjectFrozen: Note,
    errors.BudgetExceeded: SpentBudget,
    errors.InvalidTransition: AllowedMoves,
}
"""What an error has beside `_tag` and `message`."""
