"""The error table: one class a row, with its status and, as its docstring, the message that says what to do.

The class name is the `_tag` on the wire, and each interface writes `body()` in its own way (contract: Errors;
decisions, section 3). Rules (`if_…`) return a refusal or None; operations, and the functions `refuse_…`, `check_…` and
`permit`, raise it. The interfaces catch it, and so does code that handles several documents or operations at once:
`list_document_actions`, reverting, scheduled publishing, GraphQL.
"""

import logging
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar, NotRequired, TypeVar

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.documented import EXAMPLE_TIME, Timestamp, doc, docstring, one_of
from app.core.vocabulary import DocumentStatus, Scope

MAX_ISSUES = 100
"""Maximum number of `issues` in one error; `more` counts the rest (decisions, section 3)."""


class Problem(TypedDict):
    """One problem of one field."""

    field: Annotated[
        str, doc("the field's name, with a path inside the brief, as in `brief.referenceUrls[3]`", "title")
    ]
    message: Annotated[str, doc("what is wrong, and what would be right", "Is required.")]


class Issue(TypedDict):
    """One thing wrong with the form of a request."""

    path: Annotated[str, doc("where, as in `brief.keyword` or `limit`", "title")]
    message: Annotated[str, doc("what is wrong, and what would be right", "Must be at most 300 characters.")]


class Error(TypedDict):
    """An error, with the keys that its tag has beside these."""

    _tag: Annotated[str, doc("which error it is", "InvalidTransition")]
    message: Annotated[str, doc("what is wrong, and what to do")]


class Refusal(Exception):
    """A request that was understood and is refused; nothing was changed."""

    status: int
    message: str
    headers: dict[str, str] = {}  # copied by each instance
    Keys: ClassVar[Any] = None
    """The TypedDict of what its body has beside `_tag` and `message`; None for nothing."""

    def __init_subclass__(cls, status: int | None = None) -> None:
        """Makes a class with a status a row of the table: its docstring is its message, unless it has another."""
        if status is not None:
            cls.status = status
            cls.message = vars(cls).get("message") or " ".join(docstring(cls).split())
        if (own := vars(cls).get("Keys")) and own.__name__ == "Keys":
            own.__name__ = own.__qualname__ = f"{cls.__name__}Keys"  # the name of its schema

    def __init__(
        self, message: str | None = None, *, advice: str = "", headers: dict[str, str] | None = None, **extra: Any
    ) -> None:
        """Makes a refusal; an `advice` ends the message, where an interface has no better one for its callers."""
        self.fact = f"{message}." if advice else message or type(self).message
        self.message = f"{message}: {advice}." if advice else self.fact
        self.headers = {**type(self).headers, **(headers or {})}
        self.extra = extra
        super().__init__(self.message)

    @property
    def tag(self) -> str:
        return type(self).__name__

    @property
    def details(self) -> list[tuple[str, str]]:
        """The path and the problem of each field."""
        wrong = [(one["field"], one["message"]) for one in self.extra.get("errors", ())]
        return wrong + [(one["path"], one["message"]) for one in self.extra.get("issues", ())]

    @property
    def lines(self) -> list[str]:
        """The problem of each field, or else the message: for interfaces that show an error as text."""
        return [f"{path}: {message}" if path else message for path, message in self.details] or [self.message]

    def body(self) -> dict[str, Any]:
        """Returns the error as callers get it: `_tag`, `message` and the extra keys of the class."""
        return {"_tag": self.tag, "message": self.message, **self.extra}


def refusal_of(rule: Callable[[], object]) -> Refusal | None:
    """Returns the refusal that a rule raises; None where it raises none."""
    try:
        rule()
    except Refusal as refused:
        return refused
    return None


class HttpApiDecodeError(Refusal, status=400):
    """The request does not have the right shape: correct what `issues` lists and send it again."""

    class Keys(TypedDict):
        issues: Annotated[list[Issue], doc("every problem at once, at most 100", max_length=MAX_ISSUES)]
        more: NotRequired[Annotated[int, doc("how many problems there are beside those in `issues`")]]

    def __init__(self, message: str | None = None, *, issues: Sequence[Issue] = (), more: int = 0) -> None:
        if message and not issues:
            issues = [Issue(path="", message=message)]
        in_order = sorted(issues, key=lambda issue: _place(issue["path"]))
        super().__init__(message, issues=in_order[:MAX_ISSUES])
        if more := more + max(0, len(issues) - MAX_ISSUES):
            self.extra["more"] = more


def _place(path: str) -> list[str | int]:
    """Returns the sort key of a path: names as text, the entries of a list by number."""
    parts = re.split(r"\[(\d{1,9})\]", path)
    return [int(part) if index % 2 else part for index, part in enumerate(parts)]


CHALLENGE = 'Bearer realm="content-workflow"'
"""Value of the header `WWW-Authenticate` (RFC 6750)."""


class Unauthorized(Refusal, status=401):
    """The token is missing, unknown, expired, revoked, or of another kind: ask an administrator of the project for a
    new one, and send it in the header `Authorization: Bearer <token>`. It begins with `cwm_` for REST and MCP, with
    `cwd_` for delivery.
    """

    headers = {"WWW-Authenticate": CHALLENGE}


class Forbidden(Refusal, status=403):
    """The token lacks the required scope: use one that has it."""

    class Keys(TypedDict):
        scope: NotRequired[Annotated[str, one_of(Scope), doc("the scope that is needed", "publish")]]


class HumanReviewRequired(Refusal, status=409):
    """A person has to approve this with `review`, in which `facts` is true and `examined` says what they examined; an
    agent can't attest a person's review.
    """

    class Keys(TypedDict):
        missing: Annotated[list[str], doc("what lacks: `review`, a part of it, or a `person`", ["facts", "examined"])]


class NotFound(Refusal, status=404):
    """No such route or record: check the path and the id."""

    def __init__(self, message: str | None = None, argument: str = "", advice: str = "") -> None:
        """Makes a refusal; `argument` is the name of the id, where it is not that of the last record in the path."""
        super().__init__(message, advice=advice)
        self.argument = argument


class NoBriefReady(Refusal, status=404):
    """No brief is ready: try again later, or mark one ready."""


class MethodNotAllowed(Refusal, status=405):
    """This path does not take that method: the `Allow` header lists those it takes."""


class NotAcceptable(Refusal, status=406):
    """Documents are `text/markdown`, `text/html` or `application/json`: accept one of them, or ask for `SLUG.md`."""


class BriefClaimed(Refusal, status=409):
    """The brief is claimed: claim another, or wait until this claim ends."""

    class Keys(TypedDict):
        claimedBy: Annotated[Actor | None, doc("who claimed it; null where nobody holds a claim")]
        claimedAt: Annotated[Timestamp | None, doc("since when", EXAMPLE_TIME)]


class BriefNotReady(Refusal, status=409):
    """The brief is not ready: mark it ready before claiming it."""


class BriefClosed(Refusal, status=409):
    """The document is past drafting (in review, approved, scheduled or published): its brief can be offered and claimed
    once it is back in drafting. What is published is revised without a claim: write its content, and submit it.
    """


class BriefNotOffered(Refusal, status=409):
    """The brief is neither ready nor claimed: there is nothing to withdraw."""


class VersionConflict(Refusal, status=409):
    """The document has changed: read it again, merge, and send its `version` as `baseVersion`."""

    class Keys(TypedDict):
        version: Annotated[int, doc("the document's present version", 4)]
        baseVersion: NotRequired[Annotated[int, doc("the version that was sent", 3)]]
        hashes: NotRequired[Annotated[list[str], doc("the sections that the document does not have")]]


class InvalidTransition(Refusal, status=409):
    """The document's status does not allow this: `allowed` lists what it does."""

    class Keys(TypedDict):
        status: Annotated[str, one_of(DocumentStatus), doc("the document's status", "review")]
        allowed: Annotated[list[str], doc("the operations that the status allows", ["approve", "request-changes"])]


class SlugTaken(Refusal, status=409):
    """Another document has this slug: choose another."""


class CategoryInUse(Refusal, status=409):
    """Documents or subcategories still use this category: move them first."""


class ClusterInUse(Refusal, status=409):
    """Documents still use this cluster: move them first."""


class ReviewRequired(Refusal, status=409):
    """The project publishes only what was approved: submit the document and have it approved first."""


class IdempotencyConflict(Refusal, status=409):
    """A request with this idempotency key is still being processed: try again in a moment."""

    headers = {"Retry-After": "1"}


class CursorExpired(Refusal, status=410):
    """The cursor is older than the oldest event in the feed: start again without `after`."""


class PreconditionFailed(Refusal, status=412):
    """The record has another ETag by now: read it again, and send its ETag unchanged, quotes included."""


class PayloadTooLarge(Refusal, status=413):
    r"""The body is over 20 MB (20,971,520 bytes). Send text as plain UTF-8: escapes such as `\ud83d\ude00` make JSON up
    to three times as long.
    """


class ResponseTooLarge(Refusal, status=413):
    """The selected html and markdown are over 16 MB in total: select fewer documents at once."""


class UnsupportedMediaType(Refusal, status=415):
    """Send the body as JSON, with `Content-Type: application/json`."""


class BadRequest(Refusal, status=422):  # the contract's name for it; a 400 is `HttpApiDecodeError`
    """Some values break a rule: correct what `errors` lists and send it again."""

    class Keys(TypedDict):
        errors: NotRequired[
            Annotated[list[Problem], doc("every problem, sorted by field, where there are fields to name")]
        ]


class IntentInvalid(Refusal, status=422):
    """A draft can't be confirmed yet, or a plan that holds whole or not at all can't be made; nothing changed.

    `errors` lists every problem, sorted by field.
    """

    class Keys(TypedDict):
        errors: Annotated[list[Problem], doc("every problem, sorted by field")]

    message = "The draft is not ready: correct what `errors` lists with an update, then confirm again."

    def __init__(self, errors: Sequence[Problem], message: str | None = None) -> None:
        super().__init__(message, errors=list(errors))


class IdempotencyMismatch(Refusal, status=422):
    """This idempotency key was used with another request: use a new key for a new request."""


class RateLimited(Refusal, status=429):
    """Too many requests: wait as long as the response says, then send the request again."""


class InternalError(Refusal, status=500):
    """A bug of ours."""

    message = "Something went wrong on our side: send the request again; if it fails again, report its `X-Request-Id`."

    def __init__(self, request_id: str | None = None) -> None:
        message = f"Something went wrong on our side. Report it with the request id {request_id}."
        super().__init__(message if request_id else None)


class ServiceUnavailable(Refusal, status=503):
    """MongoDB can't be reached in time, others write the same record, or too many requests are in flight.

    Nothing was written in part.
    """

    tag = "ServiceUnavailable"  # of its kinds (`app/core/store/store.py`) too
    message = "The database can't be reached right now: try again in a few seconds, with the same idempotency key."
    headers = {"Retry-After": "2"}
    level = logging.WARNING
    """The level of its line in the log."""
    end = "database reachable again"
    """The log's line when it is over."""

    def __init__(
        self, message: str | None = None, reason: str = "", reported: Callable[[Any], None] | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        """The message of MongoDB or its driver: for operators, not for callers; empty if another error has it."""
        self._reported = reported
        """Called when the reason was logged."""

    @property
    def for_the_log(self) -> str:
        """The message of the log's line."""
        return "database unreachable" if self.message == ServiceUnavailable.message else self.message

    def report(self, log: logging.Logger, **about: object) -> None:
        """Logs the reason, if there is one."""
        if self.reason:
            log.log(self.level, self.for_the_log, extra={"reason": self.reason, **about})
            if self._reported:
                self._reported(self)


class SettingsError(Exception):
    """One or more environment variables are wrong; the message has a line for each."""


class WriteConflict(Exception):
    """Another request wrote first: what was read no longer holds, so the operation is run again.

    Internal: `operations.operation` catches it, and so do the few that try again by themselves. It is not MongoDB's
    error of this name (112), after which PyMongo tries a transaction again.
    """


T = TypeVar("T")


def or_raise(value: T | None, error: type[Exception], *message: str) -> T:
    """Returns a value; where there is none, raises the error with the message, if one is given."""
    if value is None:
        raise error(*message)
    return value
