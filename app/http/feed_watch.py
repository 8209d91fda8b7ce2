"""Requests that wait for a project's next event (decisions, section 14).

One thread polls MongoDB for all waiting requests, five times a second, and not at all while none waits. A waiting
request holds a thread of the server, and no place among the requests in flight; at most a quarter of the threads wait.
"""

from __future__ import annotations

import signal
import socket
import threading
import time
from collections.abc import Callable

from flask import Flask, current_app, request

from app.errors import ServiceUnavailable
from app.http import in_flight
from app.http.callers import callers
from app.http.concurrency import Bound, ConcurrencyLimit
from app.http.requests import CALLER
from app.operations.context import Caller
from app.operations.operation import Result
from app.records.events import EventPage
from app.rules.events import read_cursor
from app.store.store import Store

POLL_SECONDS = 0.2
FEWEST_THREADS = 8
"""How many threads a server has at least; one with more calls `limit_waiting`."""
PER_CALLER = 56
"""The most waiting requests of a token: all of them find a place in flight or in its queue when they wake up."""
PER_PROJECT = 72
"""The most waiting requests of a project, however many tokens it has: they find a place, and leave some to others."""


class _Waiter:
    def __init__(self, project_id: str, after: int) -> None:
        self.project_id, self.after = project_id, after
        self.woken = threading.Event()


class FeedWatch:
    """Wakes waiting requests when the feed of their project has a new event."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._waiters: set[_Waiter] = set()
        self._polling = False

    def wait(self, project_id: str, after: int, seconds: float) -> None:
        """Returns when the feed has an event after a sequence number, when the time is over, or when the server ends.

        The event may have a number already and not be in the feed yet.
        """
        waiter = _Waiter(project_id, after)
        with self._lock:
            self._waiters.add(waiter)
            if not self._polling:
                self._polling = True
                threading.Thread(target=self._poll, name="watch feeds", daemon=True).start()
        try:
            waiter.woken.wait(seconds)
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    def _poll(self) -> None:
        try:
            while waiters := self._waiting():
                last = self._last({waiter.project_id for waiter in waiters})
                for waiter in waiters:
                    if _ending.is_set() or last.get(waiter.project_id, 0) > waiter.after:
                        waiter.woken.set()
                _ending.wait(POLL_SECONDS)
        except BaseException:
            with self._lock:
                self._polling = False  # the next request that waits starts another thread
            raise

    def _waiting(self) -> list[_Waiter]:
        """Returns the waiting requests; when there are none, polling ends."""
        with self._lock:
            self._polling = bool(self._waiters)
            return list(self._waiters)

    def _last(self, projects: set[str]) -> dict[str, int]:
        """Returns the last sequence number of each feed; none while MongoDB can't be reached."""
        try:
            with self._store.deadline():
                return self._store.events.last_of(projects)
        except ServiceUnavailable:
            return {}


_ending = threading.Event()
_limit = ConcurrencyLimit(Bound(FEWEST_THREADS // 4), caller=Bound(PER_CALLER), project=Bound(PER_PROJECT))


def install(app: Flask, store: Store) -> None:
    """Adds the watch on the feeds of a store to the app."""
    app.extensions["feed_watch"] = FeedWatch(store)


def limit_waiting(threads: int) -> None:
    """Lets a quarter of a server's threads wait; called before the server takes requests."""
    global _limit
    _limit = ConcurrencyLimit(Bound(threads // 4), caller=Bound(PER_CALLER), project=Bound(PER_PROJECT))


def waiting() -> int:
    """Returns how many requests of this process wait for an event."""
    return _limit.taken


def end_on_signal() -> None:
    """Ends all waiting when this process gets a signal to end; called in the main thread."""
    signals, wakeup = socket.socketpair()  # Python writes the number of each signal here, with any handler
    wakeup.setblocking(False)
    signal.set_wakeup_fd(wakeup.detach(), warn_on_full_buffer=False)

    def watch() -> None:
        while signals.recv(1)[0] not in (signal.SIGINT, signal.SIGTERM):
            pass
        _ending.set()

    threading.Thread(target=watch, name="watch signals", daemon=True).start()


def wait_for_events(seconds: float, list_events: Callable[[], Result[EventPage]]) -> Result[EventPage]:
    """Returns a page of events, as soon as it has one or the time is over; at once where too many requests wait.

    `list_events` reads the page. Raises `Unauthorized` when the caller is not valid any more after a wait, and
    `ServiceUnavailable` when too many requests are in flight then.
    """
    page, end = list_events(), time.monotonic() + seconds
    if page.body["events"] or not seconds:
        return page
    try:
        # The token's id, not its secret: each session of the console has another.
        caller: Caller = request.environ[CALLER]
        project_id = caller.project_id
        place = _limit.place(caller=caller.token_id or "", project=project_id)
    except ServiceUnavailable:
        return page
    watch: FeedWatch = current_app.extensions["feed_watch"]
    with place:
        while not page.body["events"] and (left := end - time.monotonic()) > 0 and not _ending.is_set():
            with in_flight.current().absent():
                watch.wait(project_id, read_cursor(project_id, page.body["cursor"]) or 0, left)
            callers().check_again()
            page = list_events()
    return page
