"""The feature `events`: its storage, and its part in purging a document."""

from app.core.features import Feature
from app.core.store.indexes import Storage, index
from app.core.store.validators import COUNT, ID, TEXT, TIME, validator
from app.events.settings import EventSettings
from app.events.store import delete_trimmed

FEATURE = Feature(
    "events",
    settings=EventSettings,
    purge=delete_trimmed,
    storage=Storage(
        indexes=(
            index("events", "projectId sequence", "the feed, in order", unique=True),
            index(
                "events",
                "projectId data.documentId -sequence",
                "what happened to a document",
                {"data.documentId": {"$exists": True}},
            ),
        ),
        shard_keys={"events": "projectId"},
        validators={"events": validator(projectId=ID, sequence=COUNT, type=TEXT, at=TIME)},
    ),
)
