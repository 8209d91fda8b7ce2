"""granian, set up for this service: how many threads, what it logs, and that its processes end with their parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing.connection import wait
from typing import Any

from granian import Granian
from granian.constants import Interfaces

from app.cli.shared_metrics import shared_metrics
from app.settings import Settings

BLOCKING_THREADS = 16
"""Threads that answer requests, in each process; more than cores, as a request mostly waits for MongoDB.

Measured on two busy cores with 16 connections, pages of `GET /briefs` a second: 43 with 1 thread, 46 with 2, 81 with 4,
76 with 8, 91 with 16, 82 with 32.
"""
BACKPRESSURE = 10_000
"""Connections that a process holds. granian counts those that are idle, too: with 64, the 65th client that keeps its
connection open would wait for another to leave, so this is no way to bound the work; the threads are."""
KILL_SECONDS = 15

LOGGING: dict[str, Any] = {
    "formatters": {"json": {"()": "app.http.logs.JsonLines"}},
    "handlers": {"json": {"class": "logging.StreamHandler", "formatter": "json"}},
    "loggers": {"_granian": {"handlers": ["json"], "level": "INFO", "propagate": False}},
}


def run(
    host: str, port: int, workers: int, settings: Settings, *, with_worker: bool = True, quiet: bool = False
) -> None:
    """Serves the application until a signal ends it, with the worker in this process, which has little else to do.

    `quiet` leaves granian's own log lines out.
    """
    with shared_metrics(settings), _worker(settings) if with_worker else nullcontext():
        _serve(host, port, workers, quiet)


@contextmanager
def _worker(settings: Settings) -> Iterator[None]:
    from app.worker.worker import create_worker  # only now, as it counts where `shared_metrics` says

    worker = create_worker(settings).start()
    try:
        yield
    finally:
        worker.stop()


def _serve(host: str, port: int, workers: int, quiet: bool) -> None:
    # Spawned, not forked: a worker inherits neither threads, nor connections to MongoDB, nor locks.
    multiprocessing.set_start_method("spawn", force=True)
    Granian(
        "wsgi:app",
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=BLOCKING_THREADS,
        backpressure=BACKPRESSURE,
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=KILL_SECONDS,
        log_enabled=not quiet,
        log_dictconfig=LOGGING,
    ).serve(target_loader=load)


def load(target: str) -> Any:
    """Returns the application, in a worker process; that process ends when its parent does.

    It leaves its parent's group, so that a Ctrl-C reaches the parent alone, which has it end: a second signal on the
    heels of the first has granian hang, or drop the requests under way.
    """
    if hasattr(os, "setpgid"):  # Windows has no groups, nor what goes wrong in them
        os.setpgid(0, 0)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from wsgi import app

    return app


def _end_with_parent() -> None:
    """Ends this process as soon as its parent is gone, however that died: else it would go on holding the port."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)


def port_is_free(host: str, port: int) -> bool:
    """Tells whether nobody listens there; granian itself would share a port with another granian, and not say so."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
