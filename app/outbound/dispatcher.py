"""Threads of a worker that send what is due to leased receivers, so that slow ones do not delay the others.

A receiver that was slow or failed last time, and a new one, is served by threads of its own. In either pool one project
uses only some of the threads.
"""

import threading
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

from app.core.store.store import Store
from app.core.worker import ProjectPool
from app.outbound.leases import LeaseQueue

THREADS = 16
THREADS_PER_PROJECT = 4


class Sender(Protocol):
    """Sends what is due to one leased receiver in each call; the threads of a worker share it."""

    stopping: threading.Event
    """Once it is set, each turn ends after its present attempt."""
    lease_times: Mapping[bool, timedelta]
    """How long a worker holds a lease, by whether the receiver is slow."""

    @property
    def leases(self) -> LeaseQueue[Any]: ...

    def send_due(self, lease: Any) -> int: ...


class Dispatcher:
    """Two pools of threads that serve leased receivers: one for those that respond quickly, one for all others."""

    def __init__(self, store: Store, sender: Sender, job: str, threads: int = THREADS) -> None:
        self._store = store
        self._sender = sender
        self._dispatching = threading.Lock()
        self._pools = {slow: ProjectPool(job, threads, THREADS_PER_PROJECT) for slow in (False, True)}

    def dispatch(self) -> bool:
        """Leases every receiver that is due and has a free thread; returns whether there was any."""
        with self._dispatching:
            found = [self._fill(pool, slow) for slow, pool in self._pools.items()]
        return any(found)

    def close(self) -> None:
        """Ends each turn after the attempt that it is making; returns when all have ended."""
        self._sender.stopping.set()
        with self._dispatching:  # so that no receiver is leased for a pool that is closed
            for pool in self._pools.values():
                pool.close(cancel=False)  # a turn that has not begun gives back its lease

    def _fill(self, pool: ProjectPool, slow: bool) -> bool:
        found = False
        while not (self._sender.stopping.is_set() or pool.is_full):
            now = self._store.now()
            with self._store.deadline():
                lease = self._sender.leases.take(
                    now, now + self._sender.lease_times[slow], slow=slow, exclude=pool.full_projects()
                )
            if lease is None:
                break
            # Always taken: the projects that are full are excluded, and nobody else submits.
            pool.submit(lease["projectId"], partial(self._sender.send_due, lease))
            found = True
        return found
