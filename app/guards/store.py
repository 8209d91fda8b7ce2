"""How much of their budgets tokens have used."""

from collections.abc import Mapping
from datetime import datetime
from typing import TypedDict

from bson import ObjectId
from pymongo import ReturnDocument

from app.core.store.collection import Collection
from app.guards.vocabulary import BudgetLimit


class StoredBudgetUse(TypedDict):
    """How much a token has used of a limit in an hour or day, as the store returns it."""

    id: str
    projectId: str
    tokenId: str
    limit: str
    begins: datetime
    """When the hour or day began."""
    used: int


class Budgets(Collection[StoredBudgetUse]):
    """How much of their budgets tokens have used: a count for each token, limit, and hour or day.

    A count moves in the transaction of the call that it counts, so it is exact whichever servers and however many
    callers write at once: two transactions that count for one token conflict, and one of them runs again.
    """

    name = "budgets"

    def spend(self, project_id: str, token_id: str, limit: BudgetLimit, begins: datetime) -> int:
        """Counts one more and returns how many there are with it, inside a transaction."""
        counted = self._collection.find_one_and_update(
            self._where(project_id, {"tokenId": ObjectId(token_id), "limit": str(limit), "begins": begins}),
            {"$inc": {"used": 1}},
            upsert=True,
            return_document=ReturnDocument.AFTER,
            session=self._session,
        )
        assert counted  # inserted where there was none
        return self.from_bson(counted)["used"]

    def used(self, project_id: str, token_id: str, since: Mapping[BudgetLimit, datetime]) -> dict[BudgetLimit, int]:
        """Returns how many there are of each limit since its hour or day began, in one read."""
        times = {"limit": {"$in": [str(limit) for limit in since]}, "begins": {"$in": list(since.values())}}
        rows = self._find(project_id, {"tokenId": ObjectId(token_id), **times})
        used = {(row["limit"], row["begins"]): row["used"] for row in rows}
        return {limit: used.get((str(limit), begins), 0) for limit, begins in since.items()}
