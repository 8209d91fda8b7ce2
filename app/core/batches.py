"""Divides what is to be written into as much as one request or transaction writes in a second or two."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def batches(
    items: Iterable[T], most: int, length: Callable[[T], int], max_length: int = 4_000_000
) -> Iterator[list[T]]:
    """Yields items in batches of at most `most`; an item that takes their length over `max_length` ends its batch."""
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += length(item)
        if len(batch) == most or total > max_length:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch
