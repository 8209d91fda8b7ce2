"""The store: one MongoDB database, its collections, its deadline and its transactions."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import Context
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any, NoReturn, TypeVar

import pymongo
from bson import ObjectId, Timestamp
from bson.codec_options import CodecOptions
from pymongo import MongoClient
from pymongo.client_session import ClientSession
from pymongo.collection import Collection as MongoCollection
from pymongo.database import Database
from pymongo.errors import (
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    InvalidName,
    NetworkTimeout,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
)
from pymongo.read_concern import ReadConcern
from pymongo.read_preferences import Nearest, Primary, PrimaryPreferred, ReadPreference, Secondary, SecondaryPreferred
from pymongo.write_concern import WriteConcern

from app.core.errors import ServiceUnavailable, SettingsError, WriteConflict
from app.core.features import NO_FEATURES, Features
from app.core.store import engines, indexes, validators
from app.core.store.clock import Clock
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.form import KnownForm
from app.core.store.form import newest as newest_form
from app.core.store.form import read as read_form
from app.core.store.outage import CLOSED, Outage
from app.core.store.request_time import TimeLeft
from app.core.store.types import Bson

C = TypeVar("C")
T = TypeVar("T")

DUPLICATE_KEY = 11000
"""MongoDB's code where another request wrote the same key first."""
WRITE_CONFLICT = 112
"""MongoDB's code where another transaction wrote the same record first."""
AUTHENTICATION_FAILED = 18
"""MongoDB's code of a wrong password."""

CONSEQUENCES = ("connection pool paused", "operation cancelled")
"""PyMongo's reasons where another thread, or its own that watches the members, failed just before for the real one."""

FAILOVER_CODES = frozenset({6, 7, 43, 89, 91, 134, 189, 246, 262, 9001, 10107, 11600, 11602, 13435, 13436})
"""MongoDB's codes where a member can't be reached, shuts down, or stopped or only just began to be the primary.

PyMongo raises most of them as `ConnectionFailure`, but not where they are in a write concern error: the write may
have been done, or not.
"""

CONNECT_MS, HEARTBEAT_MS = 2_500, 2_000
"""After both together PyMongo gives up a member that accepts connections and answers nothing, and sends what it was
asked to the next primary. By its defaults that takes 30 seconds, and requests end with their deadline before that."""

ABORT_SECONDS = 1
"""How long a request may take beyond its deadline to abort its transaction."""

ReadMode = Primary | PrimaryPreferred | Secondary | SecondaryPreferred | Nearest
READ_MODES: Mapping[str, ReadMode] = {
    mode.mongos_mode: mode for mode in (Primary(), PrimaryPreferred(), Secondary(), SecondaryPreferred(), Nearest())
}
"""The values of `DELIVERY_READ_PREFERENCE`, named as in a MongoDB URI."""
LAG_SECONDS = 1.0
"""How long what is delivered is read from secondaries before the primary is read instead."""

DATABASE = "content_workflow"
CODEC: CodecOptions[Bson] = CodecOptions(tz_aware=True)


class TooManyWriters(ServiceUnavailable):
    """Others wrote the same record first until the deadline."""

    message = "Too many others write the same record right now: try again in a moment."


class Misconfigured(ServiceUnavailable):
    """MongoDB answers, and can't be used until an operator changes something."""

    message = "The database can't be used until the service's operator changes something: its log says what."
    level = logging.ERROR
    end = "database usable again"
    remedy = ""
    """What to change, for the operator: in the log, in `/ready` and on the command line."""

    @property
    def for_the_log(self) -> str:
        return self.remedy or self.message


class LoginRefused(Misconfigured):
    """MongoDB refuses the user that `MONGODB_URI` names."""

    remedy = "MongoDB refuses the service's user: check the name, the password and `authSource` in MONGODB_URI."


class AccessDenied(Misconfigured):
    """`MONGODB_URI` names no user where MongoDB asks for one, or the user lacks rights."""

    remedy = (
        "MongoDB denies the service access: MONGODB_URI must name a user who is still there, with the role `readWrite` "
        "of the database, and for `content-workflow db init` also `dbAdmin`."
    )


class NoTransactions(Misconfigured):
    """MongoDB answers and has no transactions: it is a `mongod` that is not a member of a replica set."""

    remedy = (
        "This MongoDB has no transactions, as it is not a replica set: start mongod with --replSet and run "
        "rs.initiate(), or set MONGODB_URI to a replica set."
    )


class NotPrepared(Misconfigured):
    """The database lacks unique indexes or validators."""

    remedy = (
        "The database lacks unique indexes or validators, without which slugs, caps and idempotency keys are not "
        "kept: `content-workflow db init` creates them."
    )


class NoRollback(Misconfigured):
    """The server answers commands of transactions, and keeps what a transaction wrote that was aborted."""

    remedy = (
        "This server does not roll back what an aborted transaction wrote, so the service can't keep its promises: "
        "use MongoDB 6.0 or newer as a replica set."
    )


class FormDiffers(Misconfigured):
    """The database has the form of another release."""


class OlderForm(FormDiffers):
    """The database lacks steps that lead to this release's form."""

    remedy = (
        "The database has the form of an earlier release: stop its servers and workers, make a backup, and run "
        "`content-workflow db migrate`."
    )


class NewerForm(FormDiffers):
    """A newer release has changed the database."""

    remedy = (
        "The database has the form of a newer release, which this one can't read: install that release, or restore a "
        "backup from before `content-workflow db migrate`."
    )


class _RolledBack(Exception):
    """Ends a transaction that is rolled back."""


@dataclass(eq=False)
class Store:
    """One database and its collections; inside a transaction, all of them bound to its session."""

    database: Database[Bson]
    deadline_seconds: float
    session: ClientSession | None = None
    is_transaction: bool = False
    """True inside of a transaction, also in memory, where it has no session."""
    is_rolled_back: bool = False
    delivery_read_preference: ReadMode = field(default_factory=Primary)
    """Where what is delivered is read."""
    features: Features = NO_FEATURES
    """The lists of the application that uses the store."""
    lost_to_others: int = 0
    """How many tries of this transaction were aborted because another transaction wrote the same record."""
    cache_scope: object = field(default_factory=object, repr=False)
    """The first part of a key in caches that all stores of a process share; it is the same inside transactions."""
    clock: Clock = field(default_factory=Clock, repr=False)
    outage: Outage = field(default_factory=Outage, repr=False)
    form: KnownForm = field(default_factory=KnownForm, repr=False)
    handles: dict[str, MongoCollection[Bson]] = field(default_factory=dict, repr=False)
    """PyMongo's collections of the database, also for transactions: each takes 0.014 ms to make."""
    writes: int = field(default=0, init=False)
    """Grows with each write through this store: inside a transaction it shows whether anything was written."""
    delivery_change: tuple[str, str] | None = field(default=None, init=False)
    """The id of the project that delivers something else after this transaction, and an id of that change."""
    delivered: set[str] = field(default_factory=set, init=False)
    """The collections delivered by reference that this transaction writes to."""
    _collections: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def deadline(self) -> AbstractContextManager[float]:
        """Bounds the time of all commands inside, and translates the driver's errors.

        It stands where work begins: a request, the run of an operation, a job's step for a project, a command of the
        command line or a page of a long one. Of nested deadlines the first holds. Yields the seconds that are left. All
        deadlines of one request together last as long as one.
        Refuses with `ServiceUnavailable` when MongoDB can't be reached in time; raises as `translating_errors` does.
        """
        return _Deadline(self)

    def translating_errors(self) -> AbstractContextManager[None]:
        """Translates the driver's errors: `ServiceUnavailable` when MongoDB can't be reached or used.

        Raises `WriteConflict` when a unique index says that another request wrote first.
        """
        return _Translating(self)

    def in_transaction(self, work: Callable[[Store], T]) -> T:
        """Returns what `work` returns, given the store inside a transaction: all of its writes hold, or none.

        `work` may be called more than once, so it does nothing but talk to the store it is given.
        Refuses with `ServiceUnavailable` where others wrote the same records first until the deadline.
        """
        if self.session is not None:
            return work(self)
        tries = count()
        stores: list[Store] = []

        def attempt(session: ClientSession | None) -> T:
            stores.append(replace(self, session=session, is_transaction=True, lost_to_others=next(tries)))
            return work(stores[-1])

        result = self.with_transaction(attempt)
        if change := stores[-1].delivery_change:
            self[DeliveryRevisions].count_committed(*change, stores[-1].delivered)
        return result

    def change_delivery(self, project_id: str, *collections: str) -> None:
        """Has the project's delivery revision incremented after this transaction, by the relay if this process dies.

        Call it before the change is written, whose events then name it. `collections` are those of `BY_REFERENCE` that
        it writes to.
        """
        assert self.is_transaction
        self.delivered.update(collections)
        self.delivery_change = self.delivery_change or (project_id, str(ObjectId()))

    def rolled_back(self, work: Callable[[Store], T]) -> T:
        """Returns what `work` returns inside a transaction that is rolled back; inside another such one, with that.

        Refuses as `in_transaction` does.
        """
        if self.is_rolled_back:
            return work(self)

        results: list[T] = []

        def tried(session: ClientSession | None) -> NoReturn:
            results.append(work(replace(self, session=session, is_transaction=True, is_rolled_back=True)))
            raise _RolledBack

        with suppress(_RolledBack):
            self.with_transaction(tried)
        return results[-1]

    def with_transaction(self, work: Callable[[ClientSession | None], T]) -> T:
        """Runs work in a transaction, as PyMongo does: again when another transaction wrote the same records first."""
        lost_to_others = False

        def attempt(session: ClientSession) -> T:
            nonlocal lost_to_others
            try:
                return work(session)
            except BaseException as error:
                if isinstance(error, PyMongoError) and not error.timeout:
                    lost_to_others = WRITE_CONFLICT in _codes_of(error)
                Context().run(_abort, session)
                raise

        try:
            with self.database.client.start_session() as session:
                return session.with_transaction(
                    attempt, ReadConcern("snapshot"), WriteConcern("majority"), ReadPreference.PRIMARY
                )
        except PyMongoError as error:
            if lost_to_others and error.timeout and not isinstance(error, ServerSelectionTimeoutError):
                raise TooManyWriters(reason=reason_of(error)) from error
            raise

    @contextmanager
    def causal_session(self) -> Iterator[ClientSession | None]:
        """Yields a session that knows the time of what it read; None where only the primary is ever read."""
        if isinstance(self.delivery_read_preference, Primary):
            yield None
            return
        with self.database.client.start_session(causal_consistency=True) as session:
            yield session

    @contextmanager
    def at_moment(self, at: Timestamp) -> Iterator[Store]:
        """Yields the store for reads by `delivery_read_preference` that see all that the primary had at a time.

        A member that has not got there within `LAG_SECONDS` is given up: `ServiceUnavailable`.
        """
        client = self.database.client
        with (
            self.translating_errors(),
            client.start_session(causal_consistency=True) as session,
            pymongo.timeout(LAG_SECONDS),
        ):
            session.advance_operation_time(at)
            database = self.database.with_options(read_preference=self.delivery_read_preference)
            yield replace(self, database=database, session=session, handles={})

    def ping(self) -> None:
        """Checks that MongoDB answers, has transactions and lets the service's user read.

        Raises `ServiceUnavailable`, or as a kind of it `Misconfigured`.
        """
        with self.deadline():
            hello = self.database.command("hello")
            if "setName" not in hello and hello.get("msg") != "isdbgrid":
                raise self._unusable(NoTransactions, engines.reason(self.database) or "`hello` names no replica set")
            self.database.projects.find_one({}, {"_id": 1})

    def wait_for_end_of_outage(self, error: ServiceUnavailable) -> None:
        """Has the log say when MongoDB can be used again."""
        outside = replace(self, session=None, is_transaction=False, is_rolled_back=False)
        checks = (outside.check_usable, *([outside.check_prepared] if isinstance(error, NotPrepared) else ()))
        self.outage.wait_for_end(checks, error.end)

    def check_usable(self) -> None:
        """Checks all that `ping`, `check_form` and `check_writes` do. Raises as they do."""
        self.ping()
        self.check_form()
        self.check_writes()

    def now(self) -> datetime:
        """Returns MongoDB's time, for the worker. Raises as `ping` does."""
        with self.deadline():
            return self.clock.now(self.database)

    def check_prepared(self, *, with_projects: bool = False) -> list[str]:
        """Returns the names of other indexes that are missing, after a check that no unique one and no validator is.

        `with_projects` leaves out a database without projects, where `serve` or the first project creates them.
        Raises as `ping` does; `NotPrepared` if a unique index or a validator is missing.
        """
        with self.deadline():
            if with_projects and not self.database.projects.find_one({}, {"_id": 1}):
                return []
            lost = indexes.missing(self.database, self.features.indexes)
            missing = [
                *(index.full_name for index in lost if index.is_unique),
                *validators.missing(self.database, self.features.validators),
            ]
        if missing:
            raise self._unusable(NotPrepared, f"missing: {', '.join(missing)}")
        return [index.full_name for index in lost]

    def check_writes(self) -> None:
        """Checks that the service's user may write, and that a transaction that is aborted leaves nothing.

        Raises as `ping` does; `NoRollback` where it leaves what it wrote.
        """
        probe: Bson = {"_id": ObjectId(), "projectId": None}
        with self.deadline():
            self.rolled_back(lambda inside: inside.database.form.insert_one(dict(probe), session=inside.session))
            if self.database.form.delete_one(probe).deleted_count:
                raise self._unusable(NoRollback, engines.reason(self.database) or "an aborted insert stayed")

    def check_form(self) -> None:
        """Checks that the database has the form of this release, as it was seconds ago. Raises `FormDiffers`."""
        version, newest = self.form.version(self.database, self.features.steps), newest_form(self.features.steps)
        if version is not None and version != newest:
            differs = NewerForm if version > newest else OlderForm
            raise self._unusable(differs, f"form {version}, this release needs {newest}")

    def _unusable(self, kind: type[Misconfigured], reason: str) -> Misconfigured:
        return kind(reason=reason, reported=self.wait_for_end_of_outage)

    def refuse_newer_form(self) -> None:
        """Refuses with `NewerForm` a database that a newer release has changed."""
        version = read_form(self.database, self.features.steps)
        if version > newest_form(self.features.steps):
            raise NewerForm(reason=f"form {version}, this release needs {newest_form(self.features.steps)}")

    def collection(self, name: str) -> MongoCollection[Bson]:
        """Returns PyMongo's collection of a name."""
        if name not in self.handles:
            self.handles[name] = self.database[name]
        return self.handles[name]

    def __getitem__(self, kind: Callable[[Store], C]) -> C:
        """Returns a collection of this database, as in `store[Documents]`; inside a transaction, bound to its session.

        A transaction has a store of its own (made by `replace`), and so collections of its own.
        """
        if kind not in self._collections:
            self._collections[kind] = kind(self)
        collection: C = self._collections[kind]
        return collection


class _Translating:
    """The context manager of `Store.translating_errors`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, PyMongoError):
            self._translate(error)

    def _translate(self, error: PyMongoError) -> None:
        session = self._store.session
        if session is not None and session.in_transaction and not self._store.is_rolled_back:
            return  # to PyMongo, which may begin the transaction again; the deadline around that translates it
        codes, wait = _codes_of(error), self._store.wait_for_end_of_outage
        if DUPLICATE_KEY in codes:
            raise WriteConflict from error
        if "Transaction numbers are only allowed on" in str(error):
            raise NoTransactions(reason=reason_of(error), reported=wait) from error
        if AUTHENTICATION_FAILED in codes:
            raise LoginRefused(reason=reason_of(error), reported=wait) from error
        if indexes.UNAUTHORIZED in codes:
            raise AccessDenied(reason=reason_of(error), reported=wait) from error
        transient = isinstance(error, ConnectionFailure) or error.has_error_label("TransientTransactionError")
        is_closed = CLOSED in str(error)
        if transient or is_closed or error.timeout or codes & FAILOVER_CODES:
            raise ServiceUnavailable(reason=self._reason(error), reported=None if is_closed else wait) from error

    def _reason(self, error: PyMongoError) -> str:
        """Returns the reason of an error; of a consequence a member's timeout, else nothing: another thread has it."""
        reason = reason_of(error)
        if not any(one in reason for one in CONSEQUENCES):
            return reason
        members = self._store.database.client.topology_description.server_descriptions().values()
        return next((reason_of(one.error) for one in members if isinstance(one.error, NetworkTimeout)), "")


class _Deadline:
    """The context manager of `Store.deadline`."""

    def __init__(self, store: Store) -> None:
        self._time, self._errors = TimeLeft(store.deadline_seconds), _Translating(store)

    def __enter__(self) -> float:
        return self._time.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._time.__exit__(*raised)
        self._errors.__exit__(*raised)


def reason_of(error: Exception) -> str:
    """Returns the reason in a few words, without PyMongo's settings and the command's values."""
    text = re.sub(r" \(configured timeouts: [^)]*\)", "", str(error))
    text = re.split(", Timeout: |, full error: ", text)[0]
    return re.sub(r"command \{ (\w+).*", r"command \1", text, flags=re.DOTALL)[:500]


def _codes_of(error: PyMongoError) -> set[int | None]:
    """Returns MongoDB's code of an error; of a bulk write, those of each write that failed."""
    if isinstance(error, BulkWriteError):
        return {one["code"] for kind in ("writeErrors", "writeConcernErrors") for one in error.details.get(kind, ())}
    return {error.code} if isinstance(error, OperationFailure) else set()


def check_database(value: str) -> str:
    """Returns a name that a database of this service may have. Raises `ValueError`."""
    if value in ("admin", "config", "local"):
        raise ValueError(f"must not be {value}, which is MongoDB's own; log in with ?authSource={value} instead")
    if not re.fullmatch(r'[^/\\. "$*<>:|?\0]{0,63}', value):
        raise ValueError('must have at most 63 characters and none of /\\. "$*<>:|?')
    return value


def connect(
    uri: str,
    database: str = "",
    deadline_seconds: float = 10,
    delivery_read_preference: str = "primary",
    *,
    features: Features = NO_FEATURES,
) -> Store:
    """Returns the store of a MongoDB replica set; the connection is made at the first use.

    The database is the one that is named, else the one in the URI, else `content_workflow` (decisions, section 10).
    Raises `SettingsError` for a URI that can't be used.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # an option that is not known, or has a wrong value
            client: MongoClient[Bson] = MongoClient(
                uri,
                w="majority",
                retryWrites=True,
                serverSelectionTimeoutMS=min(5_000, int(deadline_seconds * 1_000)),
                connectTimeoutMS=CONNECT_MS,
                heartbeatFrequencyMS=HEARTBEAT_MS,
                minPoolSize=0,  # otherwise it connects to members that are starting, and later finds no sessions there
                appname="content-workflow",
            )
    except (ConfigurationError, ValueError, OSError, UserWarning) as error:  # OSError: no file of certificates
        raise SettingsError(f"MONGODB_URI: {str(error).rstrip('.')}.") from None
    try:
        name = check_database(database or client.get_default_database(default=DATABASE).name)
    except (InvalidName, ValueError) as error:
        client.close()
        raise SettingsError(f"MONGODB_URI: its database {error}.") from None

    # Not what the URI says: a secondary, or what may still be rolled back, would let two callers decide alike, and
    # with `journal=false` or `wtimeoutMS` an acknowledged write could be lost, or a stored one be reported as failed.
    opened = client.get_database(
        name,
        codec_options=CODEC,
        read_preference=ReadPreference.PRIMARY,
        read_concern=ReadConcern("majority"),
        write_concern=WriteConcern("majority"),
    )
    mode = READ_MODES[delivery_read_preference]
    return Store(opened, deadline_seconds, delivery_read_preference=mode, features=features)


def _abort(session: ClientSession) -> None:
    """Aborts a transaction, in a context that has no deadline.

    PyMongo would not send it after the deadline, and MongoDB would hold the locks until its own limit: 60 seconds.
    Where it fails, the error that led to it is the one to report.
    """
    if session.in_transaction:
        with suppress(PyMongoError), pymongo.timeout(ABORT_SECONDS):
            session.abort_transaction()
