"""A route of the management API: what REST derives from an operation's declaration."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from app.core import errors
from app.core.errors import Refusal
from app.core.features import Features
from app.core.operation import Effect, Operation
from app.core.schemas.loading import cached_schema
from app.core.schemas.queries import DryRunQuery
from app.core.vocabulary import Kind
from app.documents.responses import Revision
from app.http.streams import NDJSON
from app.intents.responses import CONFIRMED, Confirmed, Intent
from app.projects.responses import Project

KIND = "<kind>"
"""The part of a path that has a route for each kind of draft."""


def routes_of(operation: Operation[Any], features: Features) -> list[Route]:
    """Returns the routes of an operation: one, one for each kind of draft, or none."""
    if not operation.route:
        return []
    kinds: Iterable[Kind | None] = Kind if KIND in operation.route else [None]
    return [Route(operation, features, kind) for kind in kinds]


def in_order(routes: Iterable[Route]) -> list[Route]:
    """Returns routes by collection, those of the collection and of single records first, as OpenAPI lists them."""
    parts = {route: route.path.split("/")[1:] for route in routes}
    collections = list(dict.fromkeys(first for first, *_ in parts.values()))
    return sorted(parts, key=lambda route: (collections.index(parts[route][0]), min(len(parts[route]), 3)))


class Route:
    """One method of one path, whose parameters are the operation's ids, in order."""

    def __init__(self, operation: Operation[Any], features: Features, kind: Kind | None = None) -> None:
        """Derives the properties of a route of an application with these features.

        `kind` is the kind of draft, for operations on drafts of any kind.
        """
        self.operation, self.kind, self.as_csv = operation, kind, operation.as_csv
        self.features = features
        self.method, _, path = operation.route.partition(" ")
        self.path = path.replace(KIND, str(kind))
        self.tag = operation.tag or path.split("/")[1]
        location = operation.location
        self.location = location if isinstance(location, str) else location[kind] if kind else ""
        """The endpoint of the created record, for the `Location` of a 201."""
        self.status = 201 if operation.effect == Effect.CREATES else 200
        first, *rest = (operation.name.replace("_intent", f"_{kind}_intent") if kind else operation.name).split("_")
        self.name = first + "".join(word.title() for word in rest)
        """The operation's id in OpenAPI, like `claimBrief` and `confirmDocumentIntent`; the endpoint's name too."""
        self.body = operation.body and features.schema_of(operation.body)
        """The schema of the body."""
        query = operation.rest_query or (DryRunQuery if not operation.reads else None if kind else operation.query)
        self.query = query and features.schema_of(query)
        """The schema of the query. The kind of draft is in the path; a write takes `dryRun`."""
        fields = cached_schema(self.query).fields if self.query else {}
        self.parameters = {field.data_key or name for name, field in fields.items()}
        """The names of the query's parameters."""
        declared: type = CONFIRMED[kind] if kind and operation.response is Confirmed else operation.response
        self.response: type = features.response_of(declared)
        """The TypedDict of the response."""
        name = self.response.__name__
        self.component = self.path[1:].partition("-")[0].title() + name if declared is Intent else name
        """The name of the response's component. Drafts have one for each kind, which is the first word of the path."""
        self.media_type = NDJSON if operation.streams and operation.reads else "application/json"
        """The media type of a success."""
        self.pages = operation.many and "offset" in self.parameters
        """True if the response is one page of a list."""
        self.takes_key = self.method != "GET"
        """True if the request may carry an idempotency key."""
        is_record = "id" in self.response.__annotations__ and not operation.unchanging
        self.has_etag = (is_record or declared is Revision or operation.response is Confirmed) and not operation.many
        """True if the response has an ETag: it is or has a record with an id that can change, or is a version."""
        self.conditional = not operation.reads and (bool(operation.id_names) or declared is Project)
        """True if `If-Match` can guard the write: a write of the record that the path names, or of the project."""

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
    def errors(self) -> dict[str, tuple[type[Refusal], ...]]:
        """Every error that the route can respond with, those of each status together, under their names.

        They are one component of OpenAPI, like `BudgetExceeded.RateLimited`.
        """
        everywhere = {
            errors.PayloadTooLarge: True,
            errors.InternalError: True,
            errors.Unauthorized: True,
            errors.Forbidden: True,
            errors.RateLimited: True,
            errors.ServiceUnavailable: True,
            errors.HttpApiDecodeError: True,  # with `Prefer: handling=strict`, for unknown parameters of any query
            errors.UnsupportedMediaType: self.body or (self.operation.streams and not self.operation.reads),
            errors.NotFound: self.operation.id_names,
            errors.IdempotencyConflict: self.takes_key,
            errors.IdempotencyMismatch: self.takes_key,
            errors.PreconditionFailed: self.conditional,
        }
        own = self.features.errors_of(self.operation)
        found: set[type[Refusal]] = {*own, *(error for error, may_be in everywhere.items() if may_be)}
        in_order = sorted(found, key=lambda error: (error.status, error.__name__))
        by_status = [tuple(same) for _, same in groupby(in_order, key=lambda error: error.status)]
        return {".".join(error.__name__ for error in same): same for same in by_status}
