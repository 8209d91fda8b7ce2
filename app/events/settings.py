"""The server's setting of the feed of events."""

from typing import Annotated

from pydantic import Field

from app.settings import Settings


class EventSettings(Settings):
    """How long events stay in the feed."""

    events_kept_days: Annotated[int, Field(ge=0, le=36_500)] = Field(
        30, description="how long events stay in the feed; with 0 they leave it within an hour"
    )
