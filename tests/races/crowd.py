"""Many callers at once: real threads that all start at the same instant."""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from werkzeug.test import TestResponse

T = TypeVar("T")


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Makes all calls at the same instant, each in a thread, and returns what they returned, in their order."""
    start = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        start.wait(timeout=90)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return [done.result() for done in [threads.submit(run, call) for call in calls]]


def outcomes(responses: Sequence[TestResponse]) -> dict[str, int]:
    """Returns how often each outcome occurred: the status of a success, the tag of a refusal."""
    return dict(Counter(outcome(response) for response in responses))


def outcome(response: TestResponse) -> str:
    """Returns the outcome of one response."""
    return str(response.status_code) if response.status_code < 400 else str(response.json["_tag"])


def succeeded(responses: Sequence[TestResponse]) -> list[TestResponse]:
    """Returns the responses that are no refusal."""
    return [response for response in responses if response.status_code < 400]


def refused(responses: Sequence[TestResponse]) -> list[TestResponse]:
    """Returns the responses that are refusals."""
    return [response for response in responses if response.status_code >= 400]
