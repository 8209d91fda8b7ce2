"""Bounds the CPU-bound work on long texts: rendering, checking, comparing and dividing them into sections."""

from contextlib import AbstractContextManager, nullcontext

from app.operations.concurrency import ConcurrencyLimit
from app.operations.context import Context

LONG = 100_000
"""Texts of up to this many characters are not counted."""
PROCESSED = ConcurrencyLimit(
    6_300_000,
    each=4_200_000,
    busy="Too many long texts are being processed: send the request again in a few seconds, with the same idempotency "
    "key.",
)
"""How many characters of long texts a process works on at the same time: three of the longest, of which two may be of a
project, so that two agents who edit sections of one text are not refused.

With four at a time, four comparisons of a million lines took 478 MB."""


def processing(ctx: Context, markdown: str) -> AbstractContextManager[None]:
    """Returns a context manager to process a text in.

    Refuses a long one with `ServiceUnavailable` while too many others are processed.
    """
    return PROCESSED.holding(ctx.project_id, len(markdown)) if len(markdown) > LONG else nullcontext()
