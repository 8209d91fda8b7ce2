"""Bounds the CPU-bound work on long texts: one at a time, so that other requests do not wait for it."""

import threading
from contextlib import AbstractContextManager, nullcontext

PROCESSED_TOGETHER = 100_000
"""Up to this many characters, texts are processed in parallel; longer ones one at a time."""
_READING = threading.Lock()


def alone_if_long(markdown: str, lock: threading.Lock = _READING) -> AbstractContextManager[object]:
    """Returns a context manager to process a text in: the lock of the kind of work for a long one."""
    return lock if len(markdown) > PROCESSED_TOGETHER else nullcontext()
