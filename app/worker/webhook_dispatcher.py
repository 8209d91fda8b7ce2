"""Decides which webhooks are served now: each by one worker at a time, and without one project delaying the others.

A webhook that was slow or failed last time, and a new one, is served by threads of its own, so that webhooks whose
receivers respond quickly do not wait for the others. In either pool one project uses only some of the threads.
"""

import threading
from datetime import timedelta
from functools import partial

from app.operations.context import this_instant
from app.store.store import Store
from app.worker.webhook_sender import WebhookSender
from app.worker.worker import ProjectPool

LEASE = timedelta(seconds=40)
"""How long a worker holds the lease of a webhook; when a worker is killed, the others wait that long."""
THREADS = 16
THREADS_PER_PROJECT = 4


class WebhookDispatcher:
    """Two pools of threads that serve webhooks: one for those that respond quickly, one for all others."""

    def __init__(self, store: Store, sender: WebhookSender, threads: int = THREADS) -> None:
        self._store = store
        self._sender = sender
        self._dispatching = threading.Lock()
        self._pools = {slow: ProjectPool("send webhooks", threads, THREADS_PER_PROJECT) for slow in (False, True)}

    def dispatch(self) -> bool:
        """Leases every webhook that is due and has a free thread; returns whether there was any."""
        with self._dispatching:
            found = [self._fill(pool, slow) for slow, pool in self._pools.items()]
        return any(found)

    def close(self) -> None:
        """Ends the turns that are running after the attempt that each is making; returns when they have ended."""
        self._sender.stop()
        for pool in self._pools.values():
            pool.close()

    def _fill(self, pool: ProjectPool, slow: bool) -> bool:
        found = False
        while not pool.is_full:
            now = this_instant()
            with self._store.deadline():
                lease = self._store.leases.take(now, now + LEASE, slow=slow, but=pool.full_projects())
            if lease is None:
                break
            pool.submit(lease["projectId"], partial(self._sender.send_due, lease))
            found = True
        return found
