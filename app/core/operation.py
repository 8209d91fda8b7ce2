"""Operations: a function with its declaration, and how all of them run.

A declaration says who may call (`scope`), what the function takes and returns, what it refuses, what it changes
(`effect`), and how callers reach it. The interfaces read it: REST makes routes and OpenAPI of it, MCP makes tools.

Running an operation (`Operation.__call__`) adds what they have in common: the scope, the deadline, the
transaction, the idempotency key inside that transaction, another try when another request wrote first, and the dry run.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from inspect import cleandoc, signature
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import orjson

from app.core.calls import Call
from app.core.context import Context
from app.core.errors import Forbidden, HttpApiDecodeError, IdempotencyMismatch, Issue, Refusal, WriteConflict
from app.core.features import WriteGate
from app.core.other_bodies import CsvBody, FileBody
from app.core.schemas.fields import Schema
from app.core.store.bodies import Bodies
from app.core.store.collection import OutboxFull
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.idempotency import Idempotency, KeyUsed, StoredResult
from app.core.store.outbox import Outboxes
from app.core.store.store import Store, TooManyWriters
from app.core.vocabulary import ALL_TOOLS, Channel, Kind, Scope

Shown = TypeVar("Shown", covariant=True)
"""Type of the body that callers get: a record, a list of records, or another object of JSON."""

KEY_LIFE = timedelta(hours=24)
FIRST_PAUSE, MAX_DOUBLINGS = 0.002, 8
"""Before its second try a call pauses for up to this many seconds; before each later one for up to twice as long."""

KEY_NAMES = {Channel.REST: "Idempotency-Key", Channel.MCP: "idempotencyKey"}
"""Name of the idempotency key for callers, by interface."""
KEY_OF_DRY_RUN = "Can't be used up by a dry run, which changes nothing: leave it out, and send it with the real call."


class Effect(StrEnum):
    """Effect of an operation on records."""

    READS = "reads"
    CREATES = "creates"
    CHANGES = "changes"
    DESTROYS = "destroys"


@dataclass(frozen=True)
class Result(Generic[Shown]):
    """Result of an operation: a body that JSON can hold, and what the interfaces need beside it."""

    body: Shown
    etag: str | None = None
    text_ids: Mapping[str, str | None] = field(default_factory=dict)
    """The ids of long texts that an interface may add, by the field of the record; None for a text that is missing."""
    record_key: str | None = None
    """The key of the record in the body; None if the body is the record."""
    secrets: Sequence[str] = ()
    """Fields of the body that are shown once and never stored."""
    total: int | None = None
    """How many items the list has on all pages, if the request has `count`."""
    replayed: bool = False
    """True if this is the stored result of an earlier request with the same idempotency key."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The texts that were read already, by id."""
    is_new: bool = True
    """False if an operation that creates found the record there already."""

    @property
    def record(self) -> Mapping[str, Any]:
        """The record in the body of a result that is no list."""
        body = cast(Mapping[str, Any], self.body)
        return body[self.record_key] if self.record_key else body

    def to_stored(self) -> StoredResult:
        """Returns the result as it is stored under an idempotency key: without secrets and long texts."""
        body: object = self.body
        if self.secrets:
            body = {name: value for name, value in self.record.items() if name not in self.secrets}
        stored: StoredResult = {
            "body": orjson.dumps(body).decode(),
            "etag": self.etag,
            "bodies": dict(self.text_ids),
            "within": self.record_key,
        }
        if not self.is_new:
            stored["isNew"] = False
        return stored

    def of_dry_run(self, ctx: Context) -> Result[Any]:
        """Returns the result of a dry run, inside its transaction: with its long texts, secrets null, without an ETag.

        An ETag would name a state that the record never has, or has later with other contents.
        """
        body: object = {**self.record, **dict.fromkeys(self.secrets)} if self.secrets else self.body
        texts = ctx.store[Bodies].get_texts(ctx.project_id, [one for one in self.text_ids.values() if one])
        return replace(cast(Result[Any], self), body=body, etag=None, texts=texts)

    @staticmethod
    def from_stored(stored: StoredResult) -> Result[Any]:
        """Returns a stored result as a replay."""
        body, is_new = orjson.loads(stored["body"]), stored.get("isNew", True)
        return Result(body, stored["etag"], stored["bodies"], stored["within"], replayed=True, is_new=is_new)


@dataclass(frozen=True)
class Operation(Generic[Shown]):
    """A use case: its function and its declaration. Called as `claim_brief(ctx, document_id, fields=…, key=…)`."""

    function: Callable[..., Result[Shown]]
    """Takes the context, the ids that address the record, and, where there is a body or a query, their fields. What it
    says it returns is the declaration of the response: `Result[list[BriefItem]]`."""
    scope: Scope
    effect: Effect
    route: str = ""
    """Its method and path over REST, like `POST /documents/<id>/submit`; empty where REST does not serve it.

    The ids stand in the function's order. A path with `<kind>` is a route for each kind of draft.
    """
    _: KW_ONLY
    tag: str = ""
    """The tag of its routes in OpenAPI, where it is not the first word of the path."""
    with_texts: type | None = None
    """The response with the long texts that an interface adds to the result; None where it adds none."""
    body: type[Schema] | None = None
    """The schema of the request's body; on MCP, of the arguments."""
    query: type[Schema] | None = None
    """The schema of the request's query; on MCP, of the arguments."""
    rest_query: type[Schema] | None = None
    """The schema of the query over REST, where it is another one."""
    as_csv: Callable[[Any], str] | None = None
    """Writes the response as a table, for a client of REST that accepts `text/csv` best."""
    from_csv: CsvBody | None = None
    """Reads a body that is a table, from a client of REST."""
    from_file: FileBody | None = None
    """The files that are a body, from a client of REST."""
    streams: bool = False
    """True if REST takes its body, or of one that reads sends what it returns, as NDJSON of any length."""
    location: str | Mapping[Kind, str] = ""
    """The endpoint of the created record, like `members.getMember`, for the `Location` of a 201."""
    errors: tuple[type[Refusal], ...] = ()
    """The errors that it raises, besides those that follow from the rest of the declaration: `NotFound` from ids."""
    unchanging: bool = False
    """True if its record has no revision, so that its responses have no ETag."""
    transaction: bool = False
    """True if it writes more than one record, and so runs in a transaction."""
    prepare: Callable[..., Any] | None = None
    """Does the slow work before each try, outside of the transaction, with the arguments of `function`; what it returns
    is `ctx.prepared`, also for itself before the next try. It raises no refusal of the caller, as a request with the
    same idempotency key may finish meanwhile."""
    rule: Callable[[Any, Call], object] | None = None
    """For an operation on a document or its brief: the rule that decides about it, which raises the refusal.
    `list_document_actions` asks it; the operation's function does so with what was sent."""
    publishes: Callable[[Any], bool] = lambda record: False
    """Returns whether a call on a record counts towards `publishesPerDay` of the token's budget."""
    toolsets: tuple[str, ...] = ()
    """The sets of MCP's tools that offer it, of `TOOLSETS`."""
    arguments_as: str = ""
    """The tool that describes its arguments, so that its own leaves out what is described there."""
    each_call_counts: bool = False
    """True if a repeated call has another effect, though it names the record."""
    tool: bool = True
    """False if only people may do it: MCP has no tool of it."""
    may_list: bool = False
    """True if it may answer a list of such records instead of one, over REST with the status 200."""
    batch: Operation[Any] | None = None
    """The operation that does the same with several records, which its tool calls for other arguments."""
    short: Callable[[Any], Any] | None = None
    """Returns what MCP shows of a record, unless the call asks for the whole one."""
    minimal: Callable[[Any], dict[str, Any]] | None = None
    """Returns what a client gets that prefers little, where that is not what all writes of a document return."""
    next: str = ""
    """Text for agents that its tool adds to the docstring: what to call next."""
    button: str = ""
    """The console's button for it, where a message names the operation."""

    @property
    def name(self) -> str:
        """The operation's name, like `claim_brief`; MCP's tool is called the same."""
        return self.function.__name__

    @property
    def address(self) -> tuple[str, str]:
        """The method and the path of its route as messages show them: `("POST", "/documents/:id/submit")`."""
        method, _, path = self.route.partition(" ")
        return method, re.sub(r"<(\w+)>", lambda found: f":{_camel(found[1])}", path)

    def name_on(self, channel: Channel) -> str:
        """Returns the operation's name as callers of an interface know it, marked as a name (decisions, section 11)."""
        if channel == Channel.CONSOLE:
            return f'"{self.button}"'
        return f"`{self.name if channel == Channel.MCP else ' '.join(self.address)}`"

    def is_in(self, toolset: str) -> bool:
        """Returns whether a set of MCP's tools offers it."""
        return self.tool and (toolset == ALL_TOOLS or toolset in self.toolsets)

    @cached_property
    def id_names(self) -> tuple[str, ...]:
        """The names of the ids that address the record, as MCP calls them: `documentId` for `document_id`.

        REST passes the ids of a path by position, in the same order.
        """
        _, *names = signature(self.function).parameters
        return tuple(_camel(name) for name in names if name != "fields")

    @cached_property
    def response(self) -> Any:
        """The TypedDict that declares the response: the body of the function's result, or what a list of it holds."""
        return self.with_texts or self.record

    @cached_property
    def record(self) -> Any:
        """The TypedDict of the response without the long texts that an interface may add."""
        return get_args(self._body)[0] if self.many else self._body

    @property
    def many(self) -> bool:
        """True if the response is a list."""
        return get_origin(self._body) is list

    @cached_property
    def _body(self) -> Any:
        (body,) = get_args(get_type_hints(self.function)["return"])
        return body

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, without the full stop."""
        return self.description.partition("\n\n")[0].replace("\n", " ").rstrip(".")

    @property
    def description(self) -> str:
        """The docstring."""
        return cleandoc(self.function.__doc__ or "")

    @property
    def reads(self) -> bool:
        return self.effect == Effect.READS

    @property
    def writes_document(self) -> bool:
        """True if it writes a document and returns its record, which alone has long texts in the result of a write."""
        return not self.reads and self.with_texts is not None

    def permit(self, ctx: Context) -> None:
        """Refuses with `Forbidden` a caller without the scope, and writes as the gates of all writes do.

        Interfaces check it before they read a body.
        """
        if self.scope not in ctx.caller.scopes:
            raise self.forbidden()
        for gate in self._gates(ctx):
            gate.permit(ctx)

    def forbidden(self) -> Forbidden:
        """Returns the refusal of a caller who lacks the scope."""
        message = f"This needs a token with the scope `{self.scope}`; this one lacks it."
        return Forbidden(message, scope=str(self.scope))

    def __call__(
        self, ctx: Context, *ids: str, fields: Mapping[str, Any] | None = None, key: str | None = None
    ) -> Result[Shown]:
        """Runs the operation and returns its result; under an idempotency key, at most once.

        `fields` are those of `body` and `query`. It is run again when another request wrote first, as often as fits
        into one deadline. Refuses with `Forbidden`, `ServiceUnavailable`, `IdempotencyMismatch`, `IdempotencyConflict`,
        as the gates of all writes do, and whatever the operation declares.
        """
        self.permit(ctx)  # for callers that are no interface: the command line, the worker
        if ctx.dry_run and key is not None:
            raise HttpApiDecodeError(issues=[Issue(path=KEY_NAMES[ctx.channel], message=KEY_OF_DRY_RUN)])
        arguments = (*ids, fields or {}) if self.body or self.query else ids
        fingerprint = "" if key is None else _fingerprint(self.name, ids, fields, ctx)
        with ctx.store.deadline() as seconds:
            ends, tries, outbox_full = time.monotonic() + seconds, 0, False
            while True:
                try:
                    with ctx.store.translating_errors():  # a `WriteConflict` for a unique key that another request took
                        if outbox_full:
                            ctx.store[Outboxes].publish_all(ctx.project_id)
                        if self.prepare and not ctx.dry_run:
                            if key is not None and (first := _find_result(ctx, key, fingerprint)):
                                return first
                            ctx = replace(ctx, prepared=self.prepare(ctx, *arguments))
                        result = self._try(ctx, arguments, key, fingerprint)
                    if self.scope == Scope.ADMIN and not self.reads:
                        ctx.server.callers_changed(ctx.project_id)
                    return result
                except WriteConflict as conflict:
                    outbox_full = isinstance(conflict, OutboxFull)
                    pause = 0 if outbox_full else random.uniform(0, FIRST_PAUSE * 2 ** min(tries, MAX_DOUBLINGS))
                    if time.monotonic() + pause >= ends:
                        raise TooManyWriters from None
                    time.sleep(pause)
                tries += 1
                ctx = replace(ctx, tries=tries)

    def _try(self, ctx: Context, arguments: Sequence[Any], key: str | None, fingerprint: str) -> Result[Shown]:
        if ctx.dry_run:
            return ctx.store.rolled_back(lambda store: self._try_dry(replace(ctx, store=store), arguments))

        def work(store: Store) -> Result[Shown]:
            is_same = store is ctx.store  # as in every read: a copy takes 3 % of a small one
            return self._call(ctx if is_same else replace(ctx, store=store), arguments)

        if key is not None:
            return _once(ctx, key, fingerprint, work)
        in_transaction = self.transaction or any(gate.needs_transaction(ctx) for gate in self._gates(ctx))
        return ctx.store.in_transaction(work) if in_transaction else work(ctx.store)

    def _try_dry(self, ctx: Context, arguments: Sequence[Any]) -> Result[Any]:
        """Runs the whole operation inside a transaction, `prepare` included, since that may write too."""
        prepared = self.prepare(ctx, *arguments) if self.prepare else None
        return self._call(replace(ctx, prepared=prepared), arguments).of_dry_run(ctx)

    def _call(self, ctx: Context, arguments: Sequence[Any]) -> Result[Shown]:
        """Calls the function, between the gates of all writes if it is one."""
        gates = self._gates(ctx)
        for gate in gates:
            gate.before(ctx)
        writes = ctx.store.writes
        result = self.function(ctx, *arguments)
        if ctx.store.writes > writes:
            for gate in gates:
                gate.after(ctx, self.publishes(result.body))
        return result

    def _gates(self, ctx: Context) -> tuple[WriteGate, ...]:
        return () if self.reads else ctx.features.write_gates


def _once(ctx: Context, key: str, fingerprint: str, work: Callable[[Store], Result[Shown]]) -> Result[Shown]:
    """Does the work in one transaction with the idempotency key; returns the first result where the key is used."""

    def keyed(store: Store) -> Result[Shown]:
        row = store[Idempotency].take(ctx.project_id, ctx.token_id, key, fingerprint, ctx.now)
        result = work(store)
        store[Idempotency].save_result(ctx.project_id, row, result.to_stored())
        return result

    try:
        return ctx.store.in_transaction(keyed)
    except KeyUsed:
        if first := _find_result(ctx, key, fingerprint):
            return first
        raise WriteConflict from None


def _find_result(ctx: Context, key: str, fingerprint: str) -> Result[Any] | None:
    """Returns the first result under an idempotency key; None for a key that is free, or was used over a day ago.

    Refuses with `IdempotencyMismatch` where another request used it.
    """
    stored = ctx.store[Idempotency].find(ctx.project_id, ctx.token_id, key)
    if stored is None:
        return None
    if stored["at"] <= ctx.now - KEY_LIFE:
        ctx.store[Idempotency].delete(ctx.project_id, stored["id"])
        return None
    if stored["fingerprint"] != fingerprint:
        raise IdempotencyMismatch
    if "delivery" in stored:  # the process may have died before it counted the change
        ctx.store[DeliveryRevisions].count_missing(ctx.project_id, [stored["delivery"]])
    return Result.from_stored(stored["answer"])


def _fingerprint(name: str, ids: Sequence[str], fields: Mapping[str, Any] | None, ctx: Context) -> str:
    """Returns what identifies a request under its key: the operation, its ids, fields and condition."""
    request = [name, [one.lower() for one in ids], fields or {}, ctx.if_match, ctx.any_state]
    return hashlib.sha256(orjson.dumps(request, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _camel(name: str) -> str:
    """Returns a name of Python as callers spell it: `documentId` for `document_id`."""
    return re.sub("_(.?)", lambda found: found[1].upper(), name)


def operation(
    scope: Scope, effect: Effect, route: str = "", **declaration: Any
) -> Callable[[Callable[..., Result[Shown]]], Operation[Shown]]:
    """Declares the function below as an operation, with the fields of `Operation`.

    After it the function's name is the `Operation`, which is called as `Operation.__call__` says. One with the scope
    `admin` is in the toolset `admin`.
    """
    if scope == Scope.ADMIN:
        declaration = {"toolsets": ("admin",), **declaration}
    return lambda function: Operation(function, scope, effect, route, **declaration)
