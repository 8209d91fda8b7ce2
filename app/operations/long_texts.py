"""Reading long texts, which is all processor time: one at a time, as requests of other callers would wait for it."""

import threading
from contextlib import AbstractContextManager, nullcontext

READ_TOGETHER = 100_000
"""Up to so many characters several texts are read at once; longer ones wait for each other."""
_READING = threading.Lock()


def alone_if_long(markdown: str) -> AbstractContextManager[object]:
    """Returns what to read a text inside of: long ones are read one at a time."""
    return _READING if len(markdown) > READ_TOGETHER else nullcontext()
