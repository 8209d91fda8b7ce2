"""Errors as callers see them: what each has beside `_tag` and `message`."""

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, get_type_hints

from typing_extensions import TypedDict

from app.checks.errors import ChecksFailed
from app.checks.rules import FAILED_CHECK, CheckResult
from app.core import errors
from app.core.actors import Actor, Note
from app.core.documented import EXAMPLE_ID, EXAMPLE_TIME, Timestamp, doc, one_of
from app.core.errors import MAX_ISSUES, Issue, Problem, Refusal
from app.core.vocabulary import DocumentStatus, Scope
from app.guards.errors import BudgetExceeded, FourEyes, ProjectFrozen
from app.guards.vocabulary import BudgetLimit
from app.provenance.errors import HumanReviewRequired
from app.review.errors import RoundsExhausted, ThreadNotYours, ThreadsOpen

_KEYS: Mapping[type[Refusal], Mapping[str, Any]] = {
    errors.HttpApiDecodeError: {
        "issues": Annotated[list[Issue], doc("every problem at once, at most 100", max_length=MAX_ISSUES)],
        "more": NotRequired[Annotated[int, doc("how many problems there are beside those in `issues`")]],
    },
    errors.IntentInvalid: {"errors": Annotated[list[Problem], doc("every problem, sorted by field")]},
    errors.BadRequest: {
        "errors": NotRequired[
            Annotated[list[Problem], doc("every problem, sorted by field, where there are fields to name")]
        ]
    },
    errors.BriefClaimed: {
        "claimedBy": Annotated[Actor | None, doc("who claimed it; null where nobody holds a claim")],
        "claimedAt": Annotated[Timestamp | None, doc("since when", EXAMPLE_TIME)],
    },
    ChecksFailed: {
        "checks": Annotated[list[CheckResult], doc("every failure of a check whose level is `error`", [FAILED_CHECK])]
    },
    errors.Forbidden: {"scope": NotRequired[Annotated[str, one_of(Scope), doc("the scope that is needed", "publish")]]},
    FourEyes: {"by": Annotated[Actor, doc("who made or submitted the version")]},
    HumanReviewRequired: {
        "missing": Annotated[
            list[str], doc("what lacks: `review`, its `facts` or `examined`, or a `person`", ["facts", "examined"])
        ]
    },
    ThreadsOpen: {"threads": Annotated[list[str], doc("the ids of the threads", [EXAMPLE_ID])]},
    ThreadNotYours: {"openedBy": Annotated[Actor, doc("who opened the thread")]},
    RoundsExhausted: {
        "rounds": Annotated[int, doc("how often changes were requested since the document was last published", 2)],
        "maxRounds": Annotated[int, doc("the project's setting", 2)],
    },
    errors.VersionConflict: {
        "version": Annotated[int, doc("the document's present version", 4)],
        "baseVersion": NotRequired[Annotated[int, doc("the version that was sent", 3)]],
        "hashes": NotRequired[Annotated[list[str], doc("the sections that the document does not have")]],
    },
    ProjectFrozen: get_type_hints(Note, include_extras=True),
    BudgetExceeded: {
        "budget": Annotated[str, one_of(BudgetLimit), doc("the limit")],
        "resetsAt": Annotated[Timestamp, doc("when the next hour or day begins")],
    },
    errors.InvalidTransition: {
        "status": Annotated[str, one_of(DocumentStatus), doc("the document's status", "review")],
        "allowed": Annotated[list[str], doc("the operations that the status allows", ["approve", "request-changes"])],
    },
}

EXTRA_KEYS: dict[type[Refusal], type] = {
    error: TypedDict(f"{error.__name__}Keys", keys)  # type: ignore[operator]
    for error, keys in _KEYS.items()
}
"""What an error has beside `_tag` and `message`."""
