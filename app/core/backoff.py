"""When a message that failed is sent again, and when it is given up (decisions, section 9)."""

from datetime import datetime, timedelta

GIVE_UP_AFTER = timedelta(days=3)
"""How long a message is tried, and how long a webhook stays enabled without a success."""

DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200))
"""The delays after the first failure, the second, and so on; the last one is repeated."""

JITTER = 0.2
"""The fraction by which a delay is varied, so that messages that failed together are not retried together."""

LONGEST_REST = timedelta(minutes=1)


def next_attempt(failures: int, since: datetime, now: datetime, chance: float) -> datetime | None:
    """Returns when a message is sent again, given its failures since it was queued; None for never.

    The last attempt is made when `GIVE_UP_AFTER` is over. `chance` is a random number from 0 to 1.
    """
    end = since + GIVE_UP_AFTER
    if now >= end:
        return None
    delay = DELAYS[min(failures, len(DELAYS)) - 1]
    return min(now + delay * (1 + JITTER * (2 * chance - 1)), end)


def rest_after(failures: int) -> timedelta:
    """Returns how long a webhook pauses after a number of failures in a row."""
    return min(timedelta(seconds=2 ** min(failures - 1, 6)), LONGEST_REST)
