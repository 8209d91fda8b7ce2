"""Brings a database to the form of this release, step by step (`db migrate`; decisions, section 23).

Every step can be interrupted and begun again: the record of the form says how far each collection was gone through.
Two that run at once do the same work twice, and no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pymongo import UpdateOne
from pymongo.errors import OperationFailure, WriteConcernError, WTimeoutError
from pymongo.write_concern import WriteConcern

from app.core.store import form, indexes, validators
from app.core.store.form import Step
from app.core.store.store import Misconfigured, Store
from app.core.store.types import Bson, Projection, Values

BATCH = 500
MAJORITY = "majority"
MAJORITY_SECONDS = 5
COMMENT = "db migrate"
"""The comment of reads of all projects, for `currentOp` and the profiler."""
INDEX_NOT_FOUND, NO_COLLECTION = 27, 26


class NotMigrated(Misconfigured):
    """The database was not changed, or not to the end."""


@dataclass
class Work:
    """The database that a step works with, and how far it has come."""

    store: Store
    report: Callable[[str, int], None] = lambda _name, _records: None
    """Called with a collection, and how many of its records were gone through since the last call."""
    step: int = 0
    """The version that the step leads to."""

    def each(self, name: str, change: Callable[[Bson], Values], fields: Projection = None) -> None:
        """Sets in each record of a collection the fields that `change` returns; None as a value removes a field.

        It writes on the condition that nobody changed the record since it was read, and notes the progress.
        """
        key = f"done.{self.step}.{name}"
        found = self.store.database.form.find_one(form.ONE) or {}
        after = found.get("done", {}).get(str(self.step), {}).get(name)
        while rows := self._batch(name, after, fields):
            for _ in range(10):
                writes = [one for row in rows if (one := _update(row, change(row)))]
                written = self.store.database[name].bulk_write(writes, ordered=False).matched_count if writes else 0
                if written == len(writes):
                    break
                rows = self._batch(name, after, fields)  # somebody wrote one of them meanwhile
            else:
                raise NotMigrated(f"Others go on writing to {name}: stop the servers and workers, and run it again.")
            after = rows[-1]["_id"]
            self.store.database.form.update_one(form.ONE, {"$set": {key: after}})
            self.report(name, len(rows))

    def _batch(self, name: str, after: Any, fields: Projection) -> list[Bson]:
        later = {} if after is None else {"_id": {"$gt": after}}
        return list(self.store.database[name].find(later, fields, sort=[("_id", 1)], limit=BATCH, comment=COMMENT))

    def drop_index(self, name: str, index: str) -> None:
        """Drops an index that this release has not, or with other keys, if it is there."""
        try:
            self.store.database[name].drop_index(index)
        except OperationFailure as error:
            if error.code not in (INDEX_NOT_FOUND, NO_COLLECTION):
                raise


def _update(row: Bson, fields: Values) -> UpdateOne | None:
    """Returns the update of a record on the condition that it is as it was read; None if nothing differs."""
    differs = {name: value for name, value in fields.items() if row.get(name) != value}
    if not differs:
        return None
    counters: Bson = {name: row[name] for name in ("rev", "remarks", "sequence") if name in row}
    one: Bson = {"_id": row["_id"], "projectId": row.get("projectId"), **counters}
    new: Bson = {name: value for name, value in differs.items() if value is not None}
    gone: Bson = {name: "" for name, value in differs.items() if value is None}
    update = {"$set": new, "$unset": gone}
    return UpdateOne(one, {operator: some for operator, some in update.items() if some})


@dataclass
class Migration:
    """A run of the steps that a database lacks."""

    store: Store
    begin: Callable[[Step], None] = lambda _step: None
    """Called with each step before it runs."""
    report: Callable[[str, int], None] = lambda _name, _records: None
    steps: Sequence[Step] = field(init=False)

    def __post_init__(self) -> None:
        self.steps = self.store.features.steps

    def needed(self, version: int) -> Sequence[Step]:
        """Returns the steps that a database of a version lacks."""
        return self.steps[version - form.FIRST :]

    def run(self) -> int:
        """Runs the steps that the database lacks, builds indexes and validators, and returns how many steps it ran.

        Refuses with `NotMigrated` before anything is changed, with all problems; raises `Misconfigured` for a
        database of a newer release.
        """
        with self.store.translating_errors():
            self.store.refuse_newer_form()
            self._demand_majority()
            version = form.read(self.store.database, self.steps)
            needed = self.needed(version)
            work = [(step, Work(self.store, self.report, version + number)) for number, step in enumerate(needed, 1)]
            if problems := [line for step, its in work for line in step.problems(its)]:
                raise NotMigrated("\n".join(problems))
            for step, its in work:
                self.begin(step)
                step.run(its)
                if its.step == form.newest(self.steps):
                    self._build()
                self._advance(its.step)
            return len(needed)

    def _demand_majority(self) -> None:
        """Refuses where no majority of the members takes writes: what is written could be lost, or wait for ever."""
        bounded = WriteConcern(MAJORITY, wtimeout=int(MAJORITY_SECONDS * 1000))
        version = form.read(self.store.database, self.steps)
        collection = self.store.database.form.with_options(write_concern=bounded)
        try:
            collection.update_one(
                form.ONE, {"$currentDate": {"at": True}, "$setOnInsert": {"version": version}}, upsert=True
            )
        except (WTimeoutError, WriteConcernError):
            raise NotMigrated(
                f"No majority of the replica set confirmed a write within {MAJORITY_SECONDS} s: start the members "
                "that are down, wait until they have caught up, and run it again."
            ) from None

    def _build(self) -> None:
        database, features = self.store.database, self.store.features
        if refused := indexes.create_indexes(database, features.indexes):
            raise NotMigrated("\n".join(refused))
        validators.create_validators(database, features.validators)

    def _advance(self, version: int) -> None:
        before = {**form.ONE, "version": version - 1}
        self.store.database.form.update_one(before, {"$set": {"version": version}, "$unset": {"done": ""}})
