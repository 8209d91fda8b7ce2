"""How the contract's folders and the features meet: in lists that `app/features.py` writes down, and nowhere else.

A folder above the line (`service.md`) never imports a feature. It asks the lists: which gates refuse this move, who
consumes relayed events, what else is stored with a document. `Features` holds the lists of one application; with a
feature left out (`Features.without`) the application has no trace of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property, partial
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from marshmallow import fields
from typing_extensions import TypedDict, get_original_bases, is_typeddict

from app.core.records import record_of
from app.core.schemas.fields import WORDS, OnConfirm, Schema
from app.core.schemas.validation import one_of
from app.core.store.indexes import Index, Storage, outbox_index
from app.core.store.types import Bson, Values

if TYPE_CHECKING:
    from app.core.calls import Call
    from app.core.context import Context
    from app.core.errors import Problem, Refusal
    from app.core.events import StoredEvent
    from app.core.operation import Operation
    from app.core.schemas.loading import Fields
    from app.core.store.form import Step
    from app.core.store.store import Store

Consumer = Callable[["Store", str, Sequence["StoredEvent"], datetime], None]
"""Takes a batch of a project's numbered events, and when they were numbered; once more where a relay died."""

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Gate:
    """A further rule that refuses operations on a document or a category, besides what they refuse themselves.

    Use it for a demand of a project on moves and changes; declare it in the folder's `feature.py`. Use a `WriteGate`
    for what holds for all writes alike, and a plain rule for what one operation of the same folder refuses.
    """

    guards: tuple[str, ...]
    """The operations, by name."""
    refuse: Callable[[Any, Any, Call], None]
    """Takes the facts that `read` returned, the record and the call, and raises a refusal; pure."""
    read: Callable[[Any], Any] | None = None
    """Takes the `Attempt` and returns the facts, once a call; None where the record and the call say it all."""
    errors: tuple[type[Refusal], ...] = ()
    """The errors that callers get of it; none on `restore_document`, where a refusal keeps the document unpublished."""
    last: bool = False
    """True if it comes last of all refusals, and reads only if nothing else refuses, instead of directly after the
    record's status."""


@dataclass(frozen=True, eq=False)
class WriteGate:
    """A further rule that refuses every write of a project, whatever is written.

    Use it for what an operator stops or counts; never for what depends on the record that is written.
    """

    name: str
    """The folder's name."""
    errors: Callable[[Operation[Any]], Sequence[type[Refusal]]] = lambda operation: ()
    """Returns the errors that it raises on an operation that writes."""
    permit: Callable[[Context], None] = lambda ctx: None
    """Raises a refusal before the body is read, from what authentication read."""
    before: Callable[[Context], None] = lambda ctx: None
    """Raises a refusal at each try of the write."""
    after: Callable[[Context, bool], None] = lambda ctx, publishes: None
    """Raises a refusal after something was written, inside the transaction; `publishes` says whether it published."""
    needs_transaction: Callable[[Context], bool] = lambda ctx: False
    """Returns whether `after` writes too."""
    ask: Callable[[Context], Mapping[bool, Refusal | None]] = lambda ctx: {}
    """Returns the refusal of `after`, by whether the operation publishes, for the list of actions."""
    closes: Callable[[Mapping[str, Any]], Refusal | None] = lambda project: None
    """Returns why nothing is written to a project by who has no token: the worker, and who accepts an invitation."""


Record = Mapping[str, Any]
"""A stored record, or the fields of a request."""


@dataclass(frozen=True, eq=False)
class AddedFields:
    """Rules for the fields that a feature adds to the records of another folder.

    Use it where a field is not stored and shown as it is sent, or has a rule that its schema does not know.
    """

    shown: Callable[[Record], Record] | None = None
    """Returns the values of its keys from a stored record; the others are shown as they are stored."""
    to_stored: Callable[[Record, Record], Record] | None = None
    """Returns the fields of a request as they are stored, given the record as it was."""
    problems: Callable[[Context, Record, Record], list[Problem]] | None = None
    """Returns what is wrong with the fields of a request besides what its schema finds, given the record as it was."""


@dataclass(frozen=True, eq=False)
class Extension:
    """Functions that a folder adds to an operation of another; the operation calls each at its place.

    Use it for one operation that gets more fields; what is added to each text or record whoever writes it is a field of
    `Feature`. Never use it for a refusal that other operations raise, too: that is a gate.
    """

    operation: str
    """The operation's name."""
    errors: tuple[type[Refusal], ...] = ()
    """The errors that it raises besides those of the operation."""
    prepare: Callable[[Context, str, Fields], Any] | None = None
    """Does slow work before each try, as `Operation.prepare`; its result is `ctx.prepared` in `decide`."""
    decide: Callable[[Context, Any, Any, Fields], Any] | None = None
    """Adds to the `Decision` of the operation's rule about a document, in the same transaction, or refuses it."""
    present: Callable[[Context, Mapping[str, Any], Fields], Mapping[str, Any]] | None = None
    """Returns what it adds to the response, given the stored record."""


@dataclass(frozen=True, eq=False)
class Feature:
    """The additions of one folder to the records and operations of others, besides the four lists.

    Use it in the folder's `feature.py`, once; a folder that only adds operations, gates, consumers or jobs needs none.
    """

    name: str
    """The folder's name."""
    responses: Mapping[Any, type] = field(default_factory=dict)
    """TypedDicts with the keys that it adds to the responses of others, and to those that extend them."""
    schemas: Mapping[type[Schema], type[Schema]] = field(default_factory=dict)
    """Schemas with the fields that it adds to the requests of others, and to the schemas that extend them."""
    fields: Mapping[Any, AddedFields] = field(default_factory=dict)
    """Rules for those fields, by the TypedDict of the response that shows the record."""
    secret_ends: Callable[[Store, Record, datetime], datetime | None] | None = None
    """Returns when the present secret of a stored token expires, None where that is when the token does.

    Refuses with `Unauthorized` a token that has ended before its time."""
    refuse_rotation: Callable[[Record], None] | None = None
    """Refuses a new secret for a stored token that gets its secrets in another way."""
    requires_review: Callable[[Any], bool] = lambda project: False
    """Returns whether a setting of a project counts as `reviewRequired`."""
    storage: Storage = field(default_factory=Storage)
    """Its indexes and validators in MongoDB, also those of collections of other folders."""
    document_keys: Mapping[str, Callable[[Values], Any]] = field(default_factory=dict)
    """Derives values that are stored with each document, by the name of the field."""
    document_entries: Callable[[Values], Sequence[str]] | None = None
    """Returns further entries under which a document is listed (`listed`), also in the trash."""
    text_keys: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Derives values that are stored with each markdown or html, by the name of the field; None for none."""
    publication_keys: Mapping[str, Callable[[Values], Any]] = field(default_factory=dict)
    """Derives values that are stored with each publication, by the name of the field; None for none."""
    filters: Mapping[str, Callable[[Context, Any], Collection[str] | None]] = field(default_factory=dict)
    """Functions that return the ids of the documents that meet a filter which it adds to lists of documents, by the
    filter's name; None where all do."""
    purge: Callable[[Store, str, str], None] | None = None
    """Deletes what it stores of a document that is deleted for good, in that transaction."""

    settings: type[Any] | None = None
    """A subclass of the server's `Settings` with those of its own."""
    facts: Callable[[Any], Mapping[str, Any]] | None = None
    """Returns what its operations need to know of the server's settings, as `ctx.server.facts`."""

    # What it adds to the operations and records of others.
    extensions: tuple[Extension, ...] = ()
    """Its additions to single operations."""
    texts: Mapping[str, Callable[..., Mapping[str, Any]]] = field(default_factory=dict)
    """Functions that return what is stored with a text: with a `draft` or a `version`, given the context and the fields
    that were sent; with a `publication`, given context, document and content; in the `details` of its event. Given
    context, document and markdown, what checks compare a text with (`checked`), and what the record of its `review`
    has."""

    renders: Callable[[Context, Any, str], str] | None = None
    """Returns a document's markdown, given both, with what is to be rendered besides: definitions of footnotes."""

    # What it does with html and pictures, whose addresses are in texts and covers.
    publish_html: Callable[[Context, str], str] | None = None
    """Returns the html of a text as it is published or previewed, given the rendered one."""
    deliver_texts: Callable[[Context, Sequence[str]], Sequence[str]] | None = None
    """Returns published html and markdown as they are delivered, all of a response in one read."""
    covers: Callable[[Context, Collection[str]], Mapping[str, Any]] | None = None
    """Returns the `DeliveredImage` of addresses, with the fields that the feature adds."""
    purges: str = ""
    """A module whose `OPTION`, `count` and `purge` the command `purge` has: what else it deletes."""

    describe: Callable[[Any, Any], Description] | None = None
    """Describes a published document, given the `DeliveryQuery` and the `DeliveredDocument`."""

    # What interfaces show of it, besides its operations.
    closed_lists: Mapping[str, Iterable[str]] = field(default_factory=dict)
    """Its closed lists of words, by the names of their components in OpenAPI."""
    webhooks: Mapping[str, type] = field(default_factory=dict)
    """The messages that it sends to integrators, by their names among the `webhooks` of OpenAPI."""
    options_of_tokens: str = ""
    """A module whose `OPTIONS` the command `token create` has; its `fields_of` returns their fields of the token."""
    commands_of_projects: str = ""
    """A module whose `COMMANDS` the command `project` has."""
    instructed: tuple[type[Schema], ...] = ()
    """Schemas whose fields MCP's instructions describe, so that its tools leave their descriptions out."""


def _no_definitions(markdown: str) -> str:
    return ""


@dataclass(frozen=True)
class Description:
    """The additions of a feature to a published document at its address (decisions, section 21)."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """Fields of its JSON, by their names in GraphQL."""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the front matter of its markdown."""
    definitions: Callable[[str], str] = _no_definitions
    """Returns what is appended to its markdown, given that; empty for nothing."""


@dataclass(frozen=True)
class Command:
    """A command that a feature adds to the command line."""

    name: str
    module: str
    """The module that has it as `command`; it is imported when the command is used."""
    summary: str
    """The first paragraph of its help."""

    @property
    def folder(self) -> str:
        """The feature's folder."""
        return self.module.split(".")[1]


@dataclass(frozen=True, eq=False)
class DeliveryField:
    """A field that a feature adds to a type of the delivery API."""

    folder: str
    """The feature's folder."""
    type: str
    """The type's name in GraphQL."""
    field: Any
    """Strawberry's field."""
    counts: Callable[[Mapping[str, Any]], int] | None = None
    """Of a list that a query begins with, returns how many records it has at most, given its arguments."""


@dataclass(frozen=True, eq=False)
class Features:
    """The lists of one application, in the order that the contract gives them.

    Use it to ask what an application has; the lists themselves are in `app/features.py`. Never add to it at run time.
    """

    operations: tuple[Operation[Any], ...] = ()
    features: tuple[Feature, ...] = ()
    streams: tuple[Operation[Any], ...] = ()
    """Further operations of REST, whose body or response is NDJSON of any length."""
    gates: tuple[Gate, ...] = ()
    write_gates: tuple[WriteGate, ...] = ()
    contract: tuple[Storage, ...] = ()
    """The storage of the contract's folders."""
    checks: tuple[Any, ...] = ()
    """The checks of documents (`app/checks`)."""
    consumers: tuple[Consumer, ...] = ()
    """Called in order with the events that the relay numbered, before they leave the outboxes."""
    jobs: Callable[[], tuple[Callable[[Store, Any], Any], ...]] = tuple
    """Returns what makes the worker's jobs (`MakeJob`); a function, as only the worker needs what they import."""
    pages: Callable[[], tuple[Any, ...]] = tuple
    """Returns the features' `Pages` (`app/console/additions.py`); a function, as only the console needs them."""
    commands: tuple[Command, ...] = ()
    routes: Callable[[], tuple[Callable[[Any, Any], None], ...]] = tuple
    """Returns functions that add routes to the Flask app, given the settings."""
    delivery_fields: Callable[[], tuple[DeliveryField, ...]] = tuple
    """Returns fields of the delivery API's types."""
    steps: tuple[Step, ...] = ()
    """The changes of the database's form so far, in order; they are the same without some folders."""
    users: tuple[Callable[[Context, str, str], bool], ...] = ()
    """Return whether a record is filed under a category or cluster, given the field that names it, and its id."""

    def without(self, *names: str) -> Features:
        """Returns the lists without the parts of some folders."""
        kept: dict[str, Any] = {name: _without(names, getattr(self, name)) for name in LISTS}
        lazy: dict[str, Any] = {name: partial(_without_lazily, names, getattr(self, name)) for name in LAZY_LISTS}
        return replace(self, **kept, **lazy)

    def __contains__(self, name: str) -> bool:
        """Returns whether a folder is part of the application: `"review" in features`."""
        return name in self.folders

    @cached_property
    def folders(self) -> frozenset[str]:
        """The names of the folders that declare a part."""
        return frozenset(folder_of(one) for name in LISTS for one in getattr(self, name))

    @cached_property
    def by_name(self) -> Mapping[str, Operation[Any]]:
        """The operations by name."""
        return {operation.name: operation for operation in self.operations}

    def extensions_of(self, operation: str) -> Sequence[Extension]:
        """Returns what folders add to an operation, in their order."""
        return self._extensions.get(operation, ())

    @cached_property
    def _extensions(self) -> Mapping[str, Sequence[Extension]]:
        found: dict[str, list[Extension]] = {}
        for one in (extension for feature in self.features for extension in feature.extensions):
            found.setdefault(one.operation, []).append(one)
        return found

    def presented(self, ctx: Context, operation: str, stored: Mapping[str, Any], fields: Fields) -> dict[str, Any]:
        """Returns what folders add to an operation's response, given the stored record."""
        functions = [one.present for one in self.extensions_of(operation) if one.present]
        return {key: value for present in functions for key, value in present(ctx, stored, fields).items()}

    def added(self, name: str, *arguments: Any) -> dict[str, Any]:
        """Returns what the features store with a text, by the functions of this name in `texts`."""
        functions = [function for feature in self.features if (function := feature.texts.get(name))]
        return {key: value for function in functions for key, value in function(*arguments).items()}

    def ids_found(self, ctx: Context, fields: Fields) -> Collection[str] | None:
        """Returns the ids of the documents that meet the filters of features in a query; None where all do."""
        filters = {name: find for feature in self.features for name, find in feature.filters.items()}
        found = [find(ctx, fields[name]) for name, find in filters.items() if name in fields]
        ids = [set(one) for one in found if one is not None]
        return set.intersection(*ids) if ids else None

    def to_render(self, ctx: Context, document: Any, markdown: str) -> str:
        """Returns the markdown to render of a document that has this markdown."""
        for feature in self.features:
            markdown = feature.renders(ctx, document, markdown) if feature.renders else markdown
        return markdown

    def facts_of(self, settings: Any) -> dict[str, Any]:
        """Returns what the features' operations need to know of the server's settings."""
        return {key: value for one in self.features if one.facts for key, value in one.facts(settings).items()}

    def uses(self, ctx: Context, field: str, record_id: str) -> bool:
        """Returns whether something is filed under a category (`categoryId`) or a cluster (`clusterId`)."""
        return any(is_used(ctx, field, record_id) for is_used in self.users)

    def errors_of(self, operation: Operation[Any]) -> frozenset[type[Refusal]]:
        """Returns the errors that an operation declares, those of its gates, and those of what folders add to it."""
        guarding = (gate.errors for gate in self.gates if operation.name in gate.guards)
        of_writes = () if operation.reads else (gate.errors(operation) for gate in self.write_gates)
        of_extensions = (one.errors for one in self.extensions_of(operation.name))
        return frozenset(operation.errors).union(*guarding, *of_writes, *of_extensions)

    def require_review(self, project: Mapping[str, Any]) -> bool:
        """Returns whether a project publishes only what was approved; False for none."""
        return bool(project) and (
            project["reviewRequired"] or any(one.requires_review(project) for one in self.features)
        )

    def if_closed(self, project: Mapping[str, Any]) -> Refusal | None:
        """Returns why the worker and who accepts an invitation write nothing to a project; None where they do."""
        return next((refusal for gate in self.write_gates if (refusal := gate.closes(project))), None)

    def schema_of(self, schema: type[T]) -> type[T]:
        """Returns a schema of requests with the fields that features add to it, and to those nested in it."""
        if schema not in self._composed:
            added = [
                mixin
                for feature in self.features
                for extended, mixin in feature.schemas.items()
                if issubclass(schema, extended) and not issubclass(schema, mixin)
            ]
            nested = self._composed_fields(schema)
            own = {"__doc__": schema.__doc__, "__module__": schema.__module__, **nested}
            made = type(schema.__name__, (*reversed(added), schema), own) if added or nested else schema
            self._composed[schema] = made
        return cast(type[T], self._composed[schema])

    def _composed_fields(self, schema: Any) -> dict[str, Any]:
        """Returns those fields of a schema that depend on the features: their words, or the fields of their objects."""
        found = {}
        for name, one in schema().declared_fields.items():  # copies, but for the items of a list
            inner = one
            if isinstance(one, fields.List):
                inner = one.inner = copy(one.inner)
            if words := inner.metadata.get(WORDS):
                found[name], inner.validators = one, [*inner.validators, OnConfirm(one_of(getattr(self, words)))]
            declared = getattr(inner, "nested", None)
            if declared is not None and (composed := self.schema_of(declared)) is not declared:
                found[name], inner.nested = one, composed
        return found

    def response_of(self, response: type[T]) -> type[T]:
        """Returns the TypedDict of a response with the keys that features add to it, and to those that it holds."""
        if response not in self._composed:
            own = get_type_hints(response, include_extras=True)
            added: dict[str, Any] = {}
            for feature in self.features:
                for extended, keys in feature.responses.items():
                    if extended in _lineage(response):
                        added |= get_type_hints(keys, include_extras=True)
            hints = {name: self._composed_hint(hint) for name, hint in (own | added).items()}
            is_own = not added and all(hint is own[name] for name, hint in hints.items())
            self._composed[response] = response if is_own else _typed_dict(response, hints)
        return cast(type[T], self._composed[response])

    def _composed_hint(self, hint: Any) -> Any:
        """Returns the type of a key with what features add to the TypedDicts in it."""
        if is_typeddict(hint):
            return self.response_of(hint)
        parts = get_args(hint)
        composed = tuple(map(self._composed_hint, parts))
        if all(one is part for one, part in zip(composed, parts, strict=True)):
            return hint
        origin: Any = get_origin(hint)
        return (Union if origin is UnionType else origin)[composed[0] if len(composed) == 1 else composed]

    def record_of(self, response: type[T], stored: Record, **changes: Any) -> T:
        """Returns a stored record as a response with the keys of features; `changes` are as in `records.record_of`."""
        for shown in self._shown.get(response, ()):
            changes |= shown(stored)
        return record_of(self.response_of(response), stored, **changes)

    @cached_property
    def _shown(self) -> Mapping[Any, Sequence[Callable[[Record], Record]]]:
        found: dict[Any, list[Callable[[Record], Record]]] = {}
        for feature in self.features:
            for response, own in feature.fields.items():
                if own.shown:
                    found.setdefault(response, []).append(own.shown)
        return found

    def to_stored(self, response: type, record: Record, fields: Record) -> Record:
        """Returns the fields of a request as the features store them with the record that a response shows."""
        for feature in self.features:
            if (own := feature.fields.get(response)) and own.to_stored:
                fields = own.to_stored(record, fields)
        return fields

    def problems(self, response: type, ctx: Context, record: Record, fields: Record) -> list[Problem]:
        """Returns what features find wrong with the fields of a request for the record that a response shows."""
        checks = [own.problems for feature in self.features if (own := feature.fields.get(response))]
        return [problem for check in checks if check for problem in check(ctx, record, fields)]

    def publish_html(self, ctx: Context, html: str) -> str:
        """Returns the html of a text as it is published or previewed."""
        for feature in self.features:
            html = feature.publish_html(ctx, html) if feature.publish_html else html
        return html

    def deliver_texts(self, ctx: Context, texts: Sequence[str]) -> Sequence[str]:
        """Returns published html and markdown as they are delivered."""
        for feature in self.features:
            texts = feature.deliver_texts(ctx, texts) if feature.deliver_texts else texts
        return texts

    def covers(self, ctx: Context, addresses: Collection[str]) -> dict[str, Any]:
        """Returns what features know of cover images, by their addresses."""
        known = (feature.covers(ctx, addresses) for feature in self.features if feature.covers)
        return {address: cover for covers in known for address, cover in covers.items()}

    @cached_property
    def _composed(self) -> dict[Any, Any]:
        """The schemas and responses that were composed, by the declared ones."""
        return {}

    @cached_property
    def _storage(self) -> Sequence[Storage]:
        return *self.contract, *(feature.storage for feature in self.features)

    @cached_property
    def outboxes(self) -> Sequence[str]:
        """The collections whose records have an outbox."""
        return [name for storage in self._storage for name in storage.outboxes]

    @cached_property
    def tombstones(self) -> frozenset[str]:
        """The collections whose deleted records stay until their last event has been moved."""
        return frozenset(name for storage in self._storage for name in storage.tombstones)

    @cached_property
    def event_types(self) -> Sequence[str]:
        """The types of events."""
        return [kind for storage in self._storage for kind in storage.events]

    @cached_property
    def message_types(self) -> Sequence[str]:
        """The types of messages that a webhook may be sent: events, and others."""
        return [*self.event_types, *(kind for storage in self._storage for kind in storage.messages)]

    @cached_property
    def indexes(self) -> Sequence[Index]:
        """All indexes."""
        return [*(one for storage in self._storage for one in storage.indexes), *map(outbox_index, self.outboxes)]

    @cached_property
    def shard_keys(self) -> Mapping[str, str]:
        """The fields of all shard keys, by collection."""
        return {name: one for storage in self._storage for name, one in storage.shard_keys.items()}

    @cached_property
    def validators(self) -> Mapping[str, Bson]:
        """All validators, by collection."""
        return {name: one for storage in self._storage for name, one in storage.validators.items()}

    @cached_property
    def document_keys(self) -> Mapping[str, Callable[[Values], Any]]:
        """Derives the values that features store with each document, by the name of the field."""
        return {name: key for feature in self.features for name, key in feature.document_keys.items()}

    def entries_of_document(self, document: Values) -> list[str]:
        """Returns the entries under which features have a document listed."""
        entries = (feature.document_entries(document) for feature in self.features if feature.document_entries)
        return [entry for some in entries for entry in some]

    def keys_of_text(self, text: str) -> dict[str, Any]:
        """Returns the values that features store with a text."""
        keys = (pair for feature in self.features for pair in feature.text_keys.items())
        return {name: value for name, key in keys if (value := key(text)) is not None}

    def keys_of_publication(self, publication: Values) -> dict[str, Any]:
        """Returns the values that features store with a publication."""
        keys = (pair for feature in self.features for pair in feature.publication_keys.items())
        return {name: value for name, key in keys if (value := key(publication)) is not None}


LISTS = ("operations", "streams", "features", "gates", "write_gates", "checks", "consumers", "users", "commands")
LAZY_LISTS = ("jobs", "pages", "routes", "delivery_fields")
"""Functions that return lists, of which each interface imports its own."""


def folder_of(part: Any) -> str:
    """Returns the name of the folder in `app` that declares a part of a list."""
    if isinstance(part, Feature | WriteGate):
        return part.name
    function: Callable[..., Any] = part.refuse if isinstance(part, Gate) else getattr(part, "function", part)
    return getattr(part, "folder", function.__module__.split(".")[1])


def _without(names: Collection[str], parts: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(one for one in parts if folder_of(one) not in names)


def _without_lazily(names: Collection[str], parts: Callable[[], Iterable[Any]]) -> tuple[Any, ...]:
    return _without(names, parts())


def by_class_name(*enums: type[StrEnum]) -> Mapping[str, Iterable[str]]:
    """Returns closed lists of words by the names of their classes."""
    return {words.__name__: words for words in enums}


def _lineage(response: Any) -> set[Any]:
    """Returns a TypedDict and those that it extends, of which its class has no trace but its original bases."""
    bases = [one for one in get_original_bases(response) if is_typeddict(one)]
    return {response}.union(*map(_lineage, bases))


def _typed_dict(response: type, hints: dict[str, Any]) -> Any:
    """Returns a TypedDict with other keys, and the name and the docstring of a response."""
    made = cast(Any, TypedDict)(response.__name__, hints)
    made.__doc__, made.__module__ = response.__doc__, response.__module__
    return made


NO_FEATURES = Features()
"""Lists without entries, for code that needs none of them."""
