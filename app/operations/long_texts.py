"""Bounds the CPU-bound work on long texts: one at a time, so that other requests do not wait for it."""

import threading
from contextlib import AbstractContextManager, nullcontext

READ_TOGETHER = 100_000
"""Up to this many characters, texts are processed in parallel; longer ones one at a time."""
_READING = threading.Lock()


def alone_if_long(markdown: str) -> AbstractContextManager[object]:
    """Returns a context manager to process a text in: a lock for a long one."""
    return _READING if len(markdown) > READ_TOGETHER else nullcontext()
