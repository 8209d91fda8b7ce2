"""The version of the database's form: which fields and indexes its records have (decisions, section 23).

A release knows the steps that lead to its form (`app/migrations`). It opens no database that lacks one of them, and
none that a newer release has changed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pymongo
from pymongo.database import Database
from pymongo.errors import PyMongoError

from app.core.store.indexes import Storage, key_index
from app.core.store.types import Bson

STORAGE = Storage(indexes=(key_index("form"),), shard_keys={"form": "projectId _id"})

FIRST = 1
"""The form of databases that do not say which they have."""
ONE: Bson = {"projectId": None, "_id": "form"}
"""The condition for the one record: its form, and how far `db migrate` has come."""
CHECK_SECONDS = 5
"""How long a process goes by the form that it read."""
READ_SECONDS = 1


@dataclass(frozen=True)
class Step:
    """A change of the form, from one version to the next; safe to run again, also where it was interrupted.

    Use it where records that an earlier release wrote lack something; new indexes and collections need none.
    """

    name: str
    why: str
    """What the records get, or lose, and who needs it."""
    run: Callable[[Any], None]
    """Changes the records, given the `Work` (`migration.py`)."""
    problems: Callable[[Any], Sequence[str]] = lambda _work: ()
    """Returns what an operator has to change before; the step is not begun then."""
    beside_servers: bool = False
    """True if servers and workers of the release before can go on while it runs."""


def newest(steps: Sequence[Step]) -> int:
    """Returns the version of the form that the steps lead to."""
    return FIRST + len(steps)


def read(database: Database[Bson], steps: Sequence[Step]) -> int:
    """Returns the version of a database's form; of one without projects that of this release."""
    if record := database.form.find_one(ONE, {"version": 1}):
        version: int = record["version"]
        return version
    return FIRST if database.projects.find_one({}, {"_id": 1}) else newest(steps)


def note(database: Database[Bson], steps: Sequence[Step]) -> None:
    """Notes the form of a database that does not say which it has."""
    database.form.update_one(ONE, {"$setOnInsert": {"version": read(database, steps)}}, upsert=True)


class KnownForm:
    """The form of a database as a process has read it, at most `CHECK_SECONDS` ago."""

    def __init__(self) -> None:
        self._version: int | None = None
        self._read_at = -float("inf")
        self._lock = threading.Lock()

    def version(self, database: Database[Any], steps: Sequence[Step]) -> int | None:
        """Returns the version, read by one of the threads that ask; None while MongoDB has not told it."""
        if time.monotonic() - self._read_at > CHECK_SECONDS and self._lock.acquire(blocking=self._version is None):
            try:
                if time.monotonic() - self._read_at > CHECK_SECONDS:
                    # Where MongoDB can't be reached, each request says so itself.
                    with suppress(PyMongoError), pymongo.timeout(READ_SECONDS):
                        self._version = read(database, steps)
                    self._read_at = time.monotonic()
            finally:
                self._lock.release()
        return self._version
