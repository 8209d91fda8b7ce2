"""Connections: the setting of the server, the fields of tokens and the storage that OAuth adds."""

from app.core.features import Feature
from app.core.store.indexes import Storage, index, key_index
from app.oauth.rules import ConnectionKeys, refuse_rotation
from app.oauth.settings import ConnectionSettings
from app.oauth.store import access_ends
from app.projects.token_responses import Token

FEATURE = Feature(
    "oauth",
    responses={Token: ConnectionKeys},
    settings=ConnectionSettings,
    secret_ends=access_ends,
    refuse_rotation=refuse_rotation,
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
            key_index("registrations"),
        ),
        shard_keys={"codes": "projectId", "registrations": "projectId _id"},
    ),
)
