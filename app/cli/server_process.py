"""granian, set up for this service with its own settings; its processes end with their parent."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, MutableSequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from ctypes import c_bool
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.sharedctypes import RawValue
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.mp import MPServer

from app.http.rate_limits import share_counts, shared_counts
from app.http.threads import THREADS
from app.settings import Settings

if TYPE_CHECKING:
    from app.core.worker import Worker

log = logging.getLogger("content_workflow.serve")

CONNECTIONS = 800
"""Maximum number of connections of a process, including idle ones: granian accepts no others until one is closed."""
HTTP1 = HTTP1Settings(header_read_timeout=30_000, max_buffer_size=64 * 1024)
"""Half a minute for the head of a request, which also bounds idle connections; and the buffer of each connection."""
KILL_SECONDS = 15
WAKE_SECONDS = 1.0
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder where server processes and the worker share their counters, so that each can report those of all.
prometheus_client reads it when it is imported, so nothing here imports that library."""
SHARED_MEMORY = Path("/dev") / "shm"
"""Where that folder is on Linux: the files are mapped into memory, so a full disk would end a process that counts."""

LOGGING: dict[str, Any] = {
    "formatters": {"json": {"()": "app.http.logs.JsonLines"}},
    "filters": {"advice": {"()": "app.http.logs.WithoutThreadAdvice"}},
    "handlers": {"json": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["advice"]}},
    "loggers": {"_granian": {"handlers": ["json"], "level": "INFO", "propagate": False}},
}


class Server(MPServer):
    """granian, which tells its processes and the worker that it ends before it ends the former."""

    ending: c_bool
    worker: Future[Worker] | None

    def signal_handler_interrupt(self, *args: Any, **kwargs: Any) -> None:
        self.ending.value = True
        if self.worker:
            self.worker.add_done_callback(lambda started: started.result().request_stop())
        super().signal_handler_interrupt(*args, **kwargs)  # type: ignore[no-untyped-call]


def run(
    host: str, port: int, workers: int, settings: Settings, *, with_worker: bool = True, quiet: bool = False
) -> None:
    """Serves the application until a signal ends it, with the worker in this process, which has little else to do.

    `quiet` suppresses granian's own log lines.
    """
    with shared_metrics(settings), _worker(settings) if with_worker else nullcontext() as worker:
        # Spawned, not forked: a server process inherits neither threads, nor connections to MongoDB, nor locks.
        multiprocessing.set_start_method("spawn", force=True)
        ending: c_bool = RawValue(c_bool, False)
        server = Server(
            "wsgi:app",
            address=host,
            port=port,
            interface=Interfaces.WSGI,
            workers=workers,
            blocking_threads=THREADS,
            backpressure=CONNECTIONS,
            http=HTTPModes.http1,
            http1_settings=HTTP1,
            websockets=False,
            respawn_failed_workers=True,
            workers_kill_timeout=KILL_SECONDS,
            log_enabled=not quiet,
            log_dictconfig=LOGGING,
        )
        server.ending, server.worker = ending, worker
        server.serve(target_loader=partial(load, ending=ending, failures=shared_counts()))
    if worker and not quiet:
        worker.result().end_process()


@contextmanager
def shared_metrics(settings: Settings) -> Iterator[None]:
    """Makes this process and those started inside the block share their counters, if metrics are served."""
    if not settings.serve_metrics:
        yield
        return
    where = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="content-workflow-metrics-", dir=where) as folder:
        os.environ[METRICS_FOLDER] = folder
        yield


@contextmanager
def _worker(settings: Settings) -> Iterator[Future[Worker]]:
    """Runs the worker; it starts while the server processes do, which have more to import."""
    with ThreadPoolExecutor(1) as threads:
        starting = threads.submit(_start_worker, settings)
        try:
            yield starting
        finally:
            starting.result().stop()


def _start_worker(settings: Settings) -> Worker:
    try:
        from app.core.worker import Worker, jobs
        from app.features import connect
        from app.http.tracing import trace

        trace(settings)
        store = connect(
            settings.mongodb_uri, settings.database, settings.deadline_seconds, settings.delivery_read_preference
        )
        return Worker(jobs(store, settings)).start()
    except BaseException:
        log.exception("the worker did not start")
        os.kill(os.getpid(), signal.SIGTERM)
        raise


def load(_target: str, *, ending: c_bool, failures: MutableSequence[float]) -> Any:
    """Returns the application, in a server process; that process ends when its parent does.

    It leaves its parent's group, so that Ctrl-C reaches only the parent, which ends it: a second signal soon
    after the first makes granian hang, or drop requests in flight.
    """
    if hasattr(os, "setpgid"):  # Windows has no process groups, and not this problem
        os.setpgid(0, 0)
    signal.signal(signal.SIGUSR2, lambda *_: None)
    threading.Thread(target=_end_with_parent, args=(ending,), daemon=True).start()
    share_counts(failures)
    from app.http.waiting import end_with
    from wsgi import app

    end_with(ending)
    return app


def _end_with_parent(ending: c_bool) -> None:
    """Ends this process when its parent has ended, also by SIGKILL: otherwise it would still hold the port.

    Once it is to end, wakes its main thread: under load a signal may not, and granian would go on to serve.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        while not wait([parent.sentinel], WAKE_SECONDS):
            if ending.value:
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR2)
        os.kill(os.getpid(), signal.SIGKILL)


def free_address(host: str, port: int) -> str:
    """Returns the IP address of a host, as granian takes no names.

    Raises `ClickException` where the server can't listen there: it is no address of this machine, or another server
    does; granian would silently share the port with another granian.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0][4]
        with socket.create_server(address, family=family):
            if sys.platform == "linux":
                held = socket.socket(socket.AF_UNIX)  # refuses another that starts before granian listens
                click.get_current_context().call_on_close(held.close)
                held.bind(f"\0content-workflow {address[:2]}")
            return str(address[0])
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise click.ClickException(f"Port {port} of {host} is in use: choose another with --port.") from None
        message = f"Can't listen on port {port} of {host or repr(host)}: {error.strerror}."
        raise click.ClickException(message) from None
