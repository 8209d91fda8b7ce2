"""The feature `guards`: its storage."""

from app.core.features import Feature
from app.core.store.indexes import Storage, index
from app.core.times import DAY_SECONDS

FEATURE = Feature(
    "guards",
    storage=Storage(
        indexes=(
            index("budgets", "projectId tokenId limit begins", "what a token has used of its budget", unique=True),
            index("budgets", "begins", "days and hours that are over", expireAfterSeconds=2 * DAY_SECONDS),
        )
    ),
)
