"""A route of the management API: an operation at a path, and its properties, derived from the declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any

import marshmallow as ma

from app import errors
from app.errors import Refusal
from app.operations.operation import Effect, Operation
from app.responses.intents import CONFIRMED, Confirmed, Intent
from app.responses.invitations import Invitation, NewInvitation
from app.responses.projects import Project
from app.responses.revisions import Revision
from app.responses.threads import NewReviewLink, ReviewLink
from app.responses.webhooks import Delivery
from app.schemas.keys import DryRunQuery
from app.vocabulary import Kind, Scope

UNCHANGING = (Delivery, Invitation, NewInvitation, ReviewLink, NewReviewLink)
"""Records without a revision, whose responses have no ETag."""


@dataclass(frozen=True)
class ErrorResponse:
    """The response of one status to which one or more errors belong; a component of OpenAPI."""

    status: int
    errors: tuple[type[Refusal], ...]
    dry_run: bool = False
    """Whether the header `Dry-Run` says that nothing was changed, had the request succeeded."""
    kind: Kind | None = None
    """The kind of the draft that was refused."""

    @property
    def name(self) -> str:
        """The component's name, like `NotFound`, and `Write.NotFound` for a route that writes."""
        kind = self.kind if errors.IntentInvalid in self.errors else None
        return ".".join(filter(None, ["Write" * self.dry_run, *(error.__name__ for error in self.errors), kind]))


def error_responses(
    refusals: Iterable[type[Refusal]], *, dry_run: bool = False, kind: Kind | None = None
) -> list[ErrorResponse]:
    """Returns errors as responses, by status."""
    in_order = sorted(set(refusals), key=lambda error: (error.status, error.__name__))
    by_status = groupby(in_order, key=lambda error: error.status)
    return [ErrorResponse(status, tuple(same), dry_run, kind) for status, same in by_status]


@dataclass(frozen=True)
class Route:
    """One method of one path."""

    method: str
    path: str
    operation: Operation[Any]
    kind: Kind | None = None
    """The kind of draft, for operations on drafts of any kind: REST has a route for each."""
    location: str | None = None
    """The endpoint of the created record, like `documents.getDocument`, for the `Location` of a 201."""
    rest_query: type[ma.Schema] | None = None
    """The schema of the query, where it is not the operation's."""
    as_csv: Callable[[Any], str] | None = None
    """Writes the response as a table, for a client that accepts `text/csv` best."""

    @cached_property
    def name(self) -> str:
        """The operation's id in OpenAPI, like `claimBrief` and `confirmDocumentIntent`; the endpoint's name too."""
        name = self.operation.name.replace("_intent", f"_{self.kind}_intent") if self.kind else self.operation.name
        first, *rest = name.split("_")
        return first + "".join(word.title() for word in rest)

    @property
    def query(self) -> type[ma.Schema] | None:
        """The schema of the query, without the kind of draft, which is in the path. A write takes `dryRun`."""
        if not self.operation.reads:
            return self.rest_query or DryRunQuery
        return None if self.kind else self.rest_query or self.operation.query

    @property
    def response(self) -> type:
        """The TypedDict of the response."""
        response: type = self.operation.response
        return CONFIRMED[self.kind] if self.kind and response is Confirmed else response

    @property
    def component(self) -> str:
        """The name of the response's component; a draft's fields depend on its kind, which begins the path."""
        name = self.response.__name__
        return name if self.response is not Intent else self.path[1:].partition("-")[0].title() + name

    @property
    def status(self) -> int:
        """The status of a success."""
        return 201 if self.operation.effect == Effect.CREATES else 200

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the query's parameters."""
        fields = self.query().fields if self.query else {}
        return frozenset(field.data_key or name for name, field in fields.items())

    @cached_property
    def pages(self) -> bool:
        """Whether the response is one page of a list."""
        return self.operation.many and "offset" in self.parameters

    @property
    def takes_key(self) -> bool:
        """Whether the request may carry an idempotency key."""
        return self.method != "GET"

    @cached_property
    def has_etag(self) -> bool:
        """Whether the response has an ETag: it is a version, or a record with an id that can change."""
        is_record = "id" in self.response.__annotations__ and self.response not in UNCHANGING
        return (is_record or self.response is Revision) and not self.operation.many

    @property
    def conditional(self) -> bool:
        """Whether `If-Match` can guard the write: it is one of the record that the path names, or of the project."""
        return not self.operation.reads and (bool(self.operation.id_names) or self.response is Project)

    @property
    def headers(self) -> list[str]:
        """The headers that a success may have."""
        sent = {
            "Dry-Run": not self.operation.reads,
            "ETag": self.has_etag,
            "Idempotency-Replayed": self.takes_key,
            "Ignored-Fields": True,
            "Link": self.pages,
            "Location": self.location,
            "Preference-Applied": True,
            "Total-Count": self.pages and "count" in self.parameters,
        }
        return [name for name, may_be in sent.items() if may_be]

    @property
    def errors(self) -> list[ErrorResponse]:
        """Every error that the route can respond with, by status."""
        writes = not self.operation.reads
        everywhere = {
            errors.PayloadTooLarge: True,
            errors.InternalError: True,
            errors.Unauthorized: True,
            errors.Forbidden: True,
            errors.RateLimited: True,
            errors.ServiceUnavailable: True,
            errors.HttpApiDecodeError: True,  # with `Prefer: handling=strict`, for unknown parameters of any query
            errors.UnsupportedMediaType: self.operation.body,
            errors.NotFound: self.operation.id_names,
            errors.IdempotencyConflict: self.takes_key,
            errors.IdempotencyMismatch: self.takes_key,
            errors.BudgetExceeded: writes,
            errors.ProjectFrozen: writes and self.operation.scope != Scope.ADMIN,
            errors.PreconditionFailed: self.conditional,
        }
        common = [error for error, may_be in everywhere.items() if may_be]
        return error_responses([*common, *self.operation.errors], dry_run=writes, kind=self.kind)
