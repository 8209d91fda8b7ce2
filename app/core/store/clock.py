"""MongoDB's clock, which the worker goes by, and how far this process's differs from it (decisions, section 23)."""

import logging
import time
from datetime import UTC, datetime, timedelta

from pymongo.database import Database

from app.core.store.types import Bson

log = logging.getLogger("content_workflow.clock")

CHECK_SECONDS = 60
MAX_DRIFT_SECONDS = 2.0


class Clock:
    """MongoDB's time, read once a minute; between two readings it runs on steadily."""

    def __init__(self) -> None:
        self._reading = (datetime.min.replace(tzinfo=UTC), -float("inf"))
        """MongoDB's time, and the monotonic clock's when it arrived."""
        self.drift = 0.0
        """How many seconds this process's clock is ahead of MongoDB's."""

    def now(self, database: Database[Bson]) -> datetime:
        """Returns MongoDB's time, late by the way of the last reading at most and never early."""
        at, read = self._reading
        if time.monotonic() - read > CHECK_SECONDS:
            at, read = self._read(database)
        now = at + timedelta(seconds=time.monotonic() - read)
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    @property
    def warning(self) -> str:
        """Says that this process's clock is wrong; empty if it is not."""
        if abs(self.drift) <= MAX_DRIFT_SECONDS:
            return ""
        ahead = "ahead of" if self.drift > 0 else "behind"
        return f"The clock of this server is {abs(self.drift):.1f} s {ahead} MongoDB's: synchronize both by NTP."

    def _read(self, database: Database[Bson]) -> tuple[datetime, float]:
        sent = time.time()
        at = database.command("hello")["localTime"].replace(tzinfo=UTC)
        received, seconds = time.time(), at.timestamp()
        # What the reading took is no difference.
        self.drift = max(sent - seconds, 0) + min(received - seconds, 0)
        self._reading = at, time.monotonic()
        if self.warning:
            log.warning(self.warning)
        return self._reading
