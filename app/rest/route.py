"""A route of the management API: an operation at a path, and its properties, derived from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import marshmallow as ma

from app.errors import (
    BudgetExceeded,
    Forbidden,
    HttpApiDecodeError,
    IdempotencyConflict,
    IdempotencyMismatch,
    InternalError,
    NotFound,
    PayloadTooLarge,
    PreconditionFailed,
    ProjectFrozen,
    RateLimited,
    Refusal,
    ServiceUnavailable,
    Unauthorized,
    UnsupportedMediaType,
)
from app.fields.keys import DryRun
from app.operations.operation import Effect, Operation
from app.records.intents import CONFIRMED_RECORDS, INTENT_RECORDS, ConfirmedRecord, IntentRecord
from app.records.projects import ProjectRecord
from app.records.revisions import RevisionRecord
from app.records.webhooks import DeliveryRecord
from app.vocabulary import Kind, Scope

EVERYWHERE: frozenset[type[Refusal]] = frozenset(
    {PayloadTooLarge, InternalError, Unauthorized, Forbidden, RateLimited, ServiceUnavailable, HttpApiDecodeError}
)
"""`HttpApiDecodeError` too: with `Prefer: handling=strict`, every route refuses unknown query parameters."""


@dataclass(frozen=True)
class Route:
    """One method of one path."""

    method: str
    path: str
    operation: Operation[Any]
    kind: Kind | None = None
    """The kind of draft, for operations on drafts: REST has a route for each kind."""
    location: str | None = None
    """The endpoint of the created record, like `documents.getDocument`, for the `Location` of a 201."""

    rest_query: type[ma.Schema] | None = None
    """The schema of the query, where it takes more than the operation's."""

    @cached_property
    def name(self) -> str:
        """The operation's id in OpenAPI, like `claimBrief` and `confirmDocumentIntent`; the endpoint's name too."""
        name = self.operation.name.replace("_intent", f"_{self.kind}_intent") if self.kind else self.operation.name
        first, *rest = name.split("_")
        return first + "".join(word.title() for word in rest)

    @property
    def query(self) -> type[ma.Schema] | None:
        """The schema of the query, without the kind of draft, which is in the path. A write takes `dryRun` alone."""
        if not self.operation.reads:
            return DryRun
        return None if self.kind else self.rest_query or self.operation.query

    @property
    def response(self) -> type[ma.Schema]:
        """The schema of the response, which for drafts depends on the kind."""
        if self.kind and self.operation.response is IntentRecord:
            return INTENT_RECORDS[self.kind]
        if self.kind and self.operation.response is ConfirmedRecord:
            return CONFIRMED_RECORDS[self.kind]
        return self.operation.response

    @property
    def status(self) -> int:
        """The status of a success."""
        return 201 if self.operation.effect == Effect.CREATES else 200

    @cached_property
    def pages(self) -> bool:
        """Whether the response is one page of a list."""
        return self.operation.many and self.query is not None and "offset" in self.query().fields

    @cached_property
    def counts(self) -> bool:
        """Whether a list can be asked for the number of its items."""
        return self.pages and self.query is not None and "count" in self.query().fields

    @property
    def takes_key(self) -> bool:
        """Whether the request may carry an idempotency key."""
        return self.method != "GET"

    @cached_property
    def has_etag(self) -> bool:
        """Whether the response has an ETag: it is a version, or a record with an id; messages to webhooks have none."""
        record = self.response
        is_tagged = record is RevisionRecord or ("id" in record().fields and record is not DeliveryRecord)
        return is_tagged and not self.operation.many

    @property
    def conditional(self) -> bool:
        """Whether `If-Match` can guard the write: it is one of the record that the path names, or of the project."""
        return not self.operation.reads and (bool(self.operation.id_names) or self.response is ProjectRecord)

    @property
    def errors(self) -> list[type[Refusal]]:
        """Every error that the route can respond with, by status."""
        errors = EVERYWHERE | set(self.operation.errors)
        if self.operation.body:
            errors |= {UnsupportedMediaType}
        if self.operation.id_names:
            errors |= {NotFound}
        if self.takes_key:
            errors |= {IdempotencyConflict, IdempotencyMismatch}
        if not self.operation.reads:
            errors |= {BudgetExceeded} if self.operation.scope == Scope.ADMIN else {BudgetExceeded, ProjectFrozen}
        if self.conditional:
            errors |= {PreconditionFailed}
        return sorted(errors, key=lambda error: (error.status, error.__name__))
