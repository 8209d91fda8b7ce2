"""When a webhook that failed is tried again, and when it is given up (decisions, section 9)."""

from datetime import datetime, timedelta

GIVE_UP_AFTER = timedelta(days=3)
"""How long a delivery is tried, and how long a webhook may go without a success."""

DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200))
"""How long to wait after the first failure, the second, …; after the last it stays so."""

JITTER = 0.2
"""By which part a delay is made longer or shorter, so that what failed together is not tried together."""

LONGEST_REST = timedelta(minutes=1)


def next_attempt(failures: int, since: datetime, now: datetime, chance: float) -> datetime | None:
    """Returns when a delivery is tried again that failed so many times since it was queued, None for never.

    The last attempt is made when the time is up. `chance` is a random number from 0 to 1.
    """
    end = since + GIVE_UP_AFTER
    if now >= end:
        return None
    delay = DELAYS[min(failures, len(DELAYS)) - 1]
    return min(now + delay * (1 + JITTER * (2 * chance - 1)), end)


def rest(failures: int) -> timedelta:
    """Returns how long nothing at all is sent to a webhook after so many failures in a row."""
    return min(timedelta(seconds=2 ** min(failures - 1, 6)), LONGEST_REST)


def is_dead(failing_since: datetime, now: datetime) -> bool:
    """Tells whether a webhook has gone too long without one success."""
    return now - failing_since >= GIVE_UP_AFTER
