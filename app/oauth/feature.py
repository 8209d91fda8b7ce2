"""The feature `oauth`: its storage."""

from app.core.features import Feature
from app.core.store.indexes import Storage, index

FEATURE = Feature(
    "oauth",
    storage=Storage(
        indexes=(
            index("tokens", "projectId connection.code", "what a code made", {"connection.code": {"$gt": ""}}),
            index(
                "tokens", "projectId connection.family", "whose a refresh token is", {"connection.family": {"$gt": ""}}
            ),
            index("codes", "projectId hash", "finds what somebody agreed to", unique=True),
            index("codes", "expiresAt", "codes expire", expireAfterSeconds=0),
            index("registrations", "address createdAt", "how many clients an address registered"),
            index("registrations", "expiresAt", "registrations without a connection are dropped", expireAfterSeconds=0),
        )
    ),
)
