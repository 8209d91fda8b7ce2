"""The feature `events`: its storage and setting of the server, and its part in purging a document."""

from typing import Annotated

from pydantic import Field

from app.core.features import Feature
from app.core.store.indexes import Storage, index
from app.core.store.validators import COUNT, ID, TEXT, TIME, validator
from app.events.store import delete_trimmed
from app.settings import Settings


class EventSettings(Settings):
    """How long events stay in the feed."""

    events_kept_days: Annotated[int, Field(ge=0, le=36_500)] = Field(
        30, description="how long events stay in the feed; with 0 they leave it within an hour"
    )


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
