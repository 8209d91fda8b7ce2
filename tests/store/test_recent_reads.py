"""What was read a moment ago is used for that moment, counted from before the read."""

from __future__ import annotations

import time

from app.store.recent_reads import SECONDS, RecentReads


def test_a_value_is_used_until_its_moment_is_over_however_late_it_was_stored() -> None:
    reads: RecentReads[str, str] = RecentReads()
    now = time.monotonic()

    reads.put("new", "a", now)
    reads.put("old", "b", now - SECONDS)

    assert reads.get_many(["new", "old", "none"]) == {"new": "a"}
