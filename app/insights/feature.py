"""The feature `insights`: its storage, and its part in purging a document."""

from app.core.features import Feature
from app.core.store.indexes import FIRST_DATE, Storage, index, key_index
from app.core.times import DAY_SECONDS
from app.insights.store import delete_progress

FEATURE = Feature(
    "insights",
    purge=delete_progress,
    storage=Storage(
        indexes=(
            index("figures", "projectId day", "the figures of some days"),
            index("figures", "day", "figures go back 100 days", expireAfterSeconds=100 * DAY_SECONDS),
            index(
                "progress",
                "projectId waitingSince",
                "the ready brief that has waited longest",
                {"waitingSince": {"$gt": FIRST_DATE}},
            ),
            key_index("progress"),
        ),
        shard_keys={"figures": "projectId", "progress": "projectId _id"},
    ),
)
