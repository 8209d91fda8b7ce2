"""Requests that wait for a project's next event (decisions, section 14): each looks at the feed on its own thread."""

import time
from collections.abc import Callable
from ctypes import c_bool
from typing import Any

from app.core.errors import ServiceUnavailable
from app.core.operation import Result
from app.core.store.request_time import standing_still
from app.http.callers import callers, wait_instead_of_working

POLL_SECONDS = 0.5

_server_ends = c_bool(False)


def end_with(ending: c_bool) -> None:
    """Makes requests of this process stop waiting once a shared value is true, as the server is to end."""
    global _server_ends
    _server_ends = ending


def wait_for_events(seconds: float, list_events: Callable[[], Result[Any]], fields: dict[str, Any]) -> Result[Any]:
    """Returns a page of events, as soon as it has one or the time is over; at once where too many requests wait.

    `list_events` reads the page with `fields`, whose `after` moves on: an event of another type is looked at once.
    Raises `Unauthorized` when the caller is no longer valid after a wait.
    """
    page, end = list_events(), time.monotonic() + seconds
    if page.body["events"] or not seconds:
        return page
    try:
        wait_instead_of_working()
    except ServiceUnavailable:
        return page
    while not page.body["events"] and (left := end - time.monotonic()) > 0 and not _server_ends.value:
        with standing_still():
            time.sleep(min(POLL_SECONDS, left))
        fields["after"] = page.body["cursor"]
        page = list_events()
    callers().check_again()
    return page
