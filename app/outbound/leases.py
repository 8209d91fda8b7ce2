"""Which worker sends to which receiver: each receiver is leased to one worker at a time, by atomic updates.

A receiver's lease says when the receiver is due, which worker serves it until when, and how it has been doing. When a
worker dies, its lease expires. The leases of claims are fields of briefs.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Generic, NotRequired, TypedDict, TypeVar

from bson import ObjectId

from app.core.store.collection import Collection
from app.core.store.types import Bson

FREE = datetime(1970, 1, 1, tzinfo=UTC)
NEVER = datetime(9999, 1, 1, tzinfo=UTC)


class StoredLease(TypedDict):
    """The lease of a receiver as the store returns it to the worker that holds it."""

    id: str
    """The receiver's id."""
    projectId: str
    dueAt: datetime
    """Since when the receiver was due as the worker leased it; `NEVER` in MongoDB while nothing is queued for it."""
    leaseId: str
    """A new one each time that it is leased; null in MongoDB while no worker holds it."""
    leasedUntil: datetime
    """Until when no other worker leases it; `FREE` while no worker holds it."""
    restsUntil: datetime
    """Until when no worker leases it after a failure."""
    slow: bool
    """True if the receiver was slow or failing at its last turn, or is new."""
    wakes: int
    """How often it was made due, so that the end of a lease sees whether that happened meanwhile."""
    skipsRest: bool
    """True if a test or redelivery was requested meanwhile, which ends the rest after a failure."""
    failingSince: NotRequired[datetime]
    """When the first of its failures in a row began; missing while it works."""
    failures: NotRequired[int]
    """How many times in a row it failed."""


Lease = TypeVar("Lease", bound=StoredLease)


class LeaseQueue(Collection[Lease], Generic[Lease]):
    """The leases of the receivers of one kind."""

    record_id: Callable[[str], object] = staticmethod(ObjectId)
    """Makes the id that MongoDB has of what is leased."""

    def wake(self, project_id: str, receiver_id: str, at: datetime, *, end_rest: bool = False) -> None:
        """Makes a receiver due at an instant, unless it is due earlier.

        A receiver that rests after a failure goes on resting, unless `end_rest` is set; then it does not rest after a
        failure of the present turn either.
        """
        rest = {"restsUntil": FREE, "skipsRest": end_rest}
        new = {"leasedUntil": FREE, "leaseId": None, "slow": True}
        values: Bson = {"$set": rest, "$setOnInsert": new} if end_rest else {"$setOnInsert": new | rest}
        due = {"$min": {"dueAt": at}, "$inc": {"wakes": 1}}
        one = self._one(project_id, receiver_id)
        self._collection.update_one(one, due | values, upsert=True, session=self._session)

    def _one(self, project_id: str, receiver_id: str) -> Bson:
        return self._where(project_id, {"_id": self.record_id(receiver_id)})

    def take(self, now: datetime, until: datetime, *, slow: bool, exclude: Sequence[str] = ()) -> Lease | None:
        """Leases the receiver that has been due longest, among the slow ones or among the others; None when none is.

        Receivers of the projects `exclude` are left to others. It is found in one command and leased in another, which
        names its project; another worker may be first in between, and then the next one is looked for.
        """
        due: Bson = {"slow": slow} | dict.fromkeys(("dueAt", "leasedUntil", "restsUntil"), {"$lte": now})
        others = {"projectId": {"$nin": [ObjectId(project_id) for project_id in exclude]}}
        leased = {"$set": {"leasedUntil": until, "leaseId": ObjectId(), "skipsRest": False}}
        while found := self._collection.find_one(due | others, {"projectId": 1}, sort=[("dueAt", 1)]):
            if taken := self._collection.find_one_and_update(found | due, leased, return_document=True):
                return self.from_bson(taken)
        return None

    def give_back(
        self, lease: Lease, due: datetime | None, now: datetime, *, slow: bool, rests_until: datetime | None
    ) -> None:
        """Ends a lease. The receiver is due at an instant (None: not), or now if it was woken meanwhile.

        A receiver that is overdue is sorted as due now, behind the others that are due. It is not leased before
        `rests_until`.
        """
        held = self._one(lease["projectId"], lease["id"]) | {"leaseId": ObjectId(lease["leaseId"])}
        is_woken = {"$ne": ["$wakes", lease["wakes"]]}
        free: Bson = {
            "leasedUntil": FREE,
            "leaseId": None,
            "slow": slow,
            "dueAt": {"$cond": [is_woken, now, max(due, now) if due else NEVER]},
            "restsUntil": {"$cond": ["$skipsRest", FREE, rests_until or FREE]},
        }
        self._collection.update_one(held, [{"$set": free}])

    def delete(self, project_id: str, receiver_id: str) -> None:
        """Deletes the lease of a receiver that is deleted."""
        self._collection.delete_one(self._one(project_id, receiver_id), session=self._session)

    def reset(self, project_id: str, receiver_id: str) -> None:
        """Resets the history of a receiver, as when its URL changes: no failures and no durations."""
        self._collection.update_one(
            self._one(project_id, receiver_id),
            {"$set": {"slow": True, "restsUntil": FREE}, "$unset": {"failingSince": 1, "failures": 1}},
            session=self._session,
        )

    def record_success(self, project_id: str, receiver_id: str) -> None:
        """Records that a receiver works."""
        self._collection.update_one(self._one(project_id, receiver_id), {"$unset": {"failingSince": 1, "failures": 1}})

    def record_failure(self, project_id: str, receiver_id: str, since: datetime) -> tuple[datetime, int]:
        """Records that a receiver failed; returns since when it fails, and how many times in a row."""
        found = self._collection.find_one_and_update(
            self._one(project_id, receiver_id),
            {"$min": {"failingSince": since}, "$inc": {"failures": 1}},
            projection={"_id": 0, "failingSince": 1, "failures": 1},
            return_document=True,
        )
        lease = self.from_bson(found)
        return (lease["failingSince"], lease["failures"]) if lease else (since, 1)  # it was deleted meanwhile
