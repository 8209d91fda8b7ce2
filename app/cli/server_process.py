"""granian, set up for this service: how many threads, what it logs, and that its processes end with their parent."""

from __future__ import annotations

import ctypes
import errno
import gc
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.sharedctypes import SynchronizedArray
from pathlib import Path
from typing import Any

import click
from flask import Flask
from granian import Granian
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings

from app.cli.cpus import stay_on_one_cpu
from app.http import bodies, connections, feed_watch, in_flight, responses, switch_interval
from app.http.proxies import Networks, networks
from app.http.tracing import trace
from app.settings import Settings
from app.store.store import connect
from app.worker.worker import Worker

LIMITS = (in_flight.WORKING, in_flight.LARGE, bodies.RECEIVING, bodies.DRAINING, responses.SENDING)
BLOCKING_THREADS = (16 + sum(limit.threads for limit in LIMITS)) * 4 // 3
"""The most threads that answer requests in each process: those that the limits let work or wait, some for the rest, and
a quarter that wait for events.

granian starts them as they are needed. The 16 requests that are worked on at once mostly wait for MongoDB; measured on
two busy cores with 16 connections, pages of `GET /briefs` a second: 43 with 1 thread, 46 with 2, 81 with 4, 76 with 8,
91 with 16, 82 with 32.
"""
CONNECTIONS = 50_000
"""The most connections of a process, idle ones too, where the system allows as many open files."""
BACKLOG = 4_096
"""Connections that wait to be accepted; the kernel drops what comes beyond, and the client tries again after a second.
With granian's 1,024 it dropped up to 2,700 when thousands came at once, those of others among them."""
SPARE_FILES = 1_000
"""Open files that are left for everything but connections."""
HTTP1 = HTTP1Settings(header_read_timeout=30_000, max_buffer_size=64 * 1024)
"""Half a minute for the head of a request, which also bounds idle connections; and the buffer of each connection."""
KILL_SECONDS = 15
MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "262144"}
"""Few heaps of glibc, and pages of its own for each long text: `_trim_memory` then leaves 13 to 23 MB less."""
TRIM_SECONDS = 30
"""How often the memory is returned that lies free between what is in use. Measured in a mixed load: 104 MB of
291, most of it from parsing long texts."""
METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where server processes and the worker share their counters, so that each can report those of all. prometheus_client
reads it when it is imported, so nothing here imports that library."""

LOGGING: dict[str, Any] = {
    "formatters": {"json": {"()": "app.http.logs.JsonLines"}},
    "filters": {"advice": {"()": "app.http.logs.WithoutThreadAdvice"}},
    "handlers": {"json": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["advice"]}},
    "loggers": {"_granian": {"handlers": ["json"], "level": "INFO", "propagate": False}},
}


def run(
    host: str,
    port: int,
    workers: int,
    settings: Settings,
    *,
    with_worker: bool = True,
    quiet: bool = False,
) -> None:
    """Serves the application until a signal ends it, with the worker in this process, which has little else to do.

    `quiet` suppresses granian's own log lines.
    """
    with shared_metrics(settings), _worker(settings) if with_worker else nullcontext():
        # Spawned, not forked: a server process inherits neither threads, nor connections to MongoDB, nor locks.
        multiprocessing.set_start_method("spawn", force=True)
        os.environ.update({name: value for name, value in MALLOC.items() if name not in os.environ})
        proxies = networks(settings.trusted_proxies)
        cpus = multiprocessing.Array("i", os.cpu_count() or 1)
        loader = partial(load, port=port, proxies=proxies, deadline=settings.deadline_seconds, cpus=cpus)
        Granian(
            "wsgi:app",
            address=host,
            port=port,
            backlog=BACKLOG,
            interface=Interfaces.WSGI,
            workers=workers,
            blocking_threads=BLOCKING_THREADS,
            backpressure=_most_connections(),
            http=HTTPModes.http1,
            http1_settings=HTTP1,
            websockets=False,
            respawn_failed_workers=True,
            workers_kill_timeout=KILL_SECONDS,
            log_enabled=not quiet,
            log_dictconfig=LOGGING,
        ).serve(target_loader=loader)


@contextmanager
def shared_metrics(settings: Settings) -> Iterator[None]:
    """Makes this process and those started inside the block share their counters, if metrics are served."""
    if not settings.serve_metrics or METRICS_FOLDER in os.environ:
        if settings.serve_metrics:
            _check_folder(os.environ[METRICS_FOLDER])
        yield
        return
    with tempfile.TemporaryDirectory(prefix="content-workflow-metrics-") as folder:
        os.environ[METRICS_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[METRICS_FOLDER]


def _check_folder(folder: str) -> None:
    """Raises `ClickException` where counters can't be shared in a folder."""
    if not Path(folder).is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise click.ClickException(f"{METRICS_FOLDER} is {folder!r}: must be an empty folder that serve may write to.")


@contextmanager
def _worker(settings: Settings) -> Iterator[None]:
    from app.worker.jobs import jobs  # only now, as it counts where `shared_metrics` says

    trace(settings)
    store = connect(
        settings.mongodb_uri, settings.database, settings.deadline_seconds, settings.delivery_read_preference
    )
    worker = Worker(jobs(store, settings)).start()
    try:
        yield
    finally:
        worker.stop()


def _most_connections() -> int:
    """Raises the limit on open files to the maximum; returns how many connections a process may have then."""
    if sys.platform == "win32":
        return CONNECTIONS
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = CONNECTIONS + SPARE_FILES if hard == resource.RLIM_INFINITY else min(hard, CONNECTIONS + SPARE_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    return max(files - SPARE_FILES, files // 2)


def load(_target: str, *, port: int, proxies: Networks, deadline: float, cpus: SynchronizedArray[int]) -> Any:
    """Returns the application, in a server process; that process ends when its parent does.

    It leaves its parent's group, so that a Ctrl-C reaches the parent alone, which ends it: a second signal soon
    after the first makes granian hang, or drop requests in flight.
    """
    if hasattr(os, "setpgid"):  # Windows has no process groups, and not this problem
        os.setpgid(0, 0)
    for run in (_end_with_parent, _trim_memory):
        threading.Thread(target=run, daemon=True).start()
    connections.watch(port, proxies, deadline)
    feed_watch.limit_waiting(BLOCKING_THREADS)
    feed_watch.end_on_signal()
    from wsgi import app

    switch_interval.install(app)
    threading.Thread(target=stay_on_one_cpu, args=(cpus,), daemon=True).start()
    threading.Thread(target=warm_up, args=(app,), daemon=True).start()
    return app


def warm_up(app: Flask) -> None:
    """Compiles the templates, which otherwise each of the first requests would do, and shortens garbage collection.

    Requests wait while garbage is collected. `gc.freeze` excludes all objects that exist now, as they stay for good:
    measured, a full collection takes 170 ms with them, and under 1 ms without.
    """
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
    gc.collect()
    gc.freeze()


def _end_with_parent() -> None:
    """Ends this process when its parent has ended, also by SIGKILL: otherwise it would still hold the port."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGKILL)


def _trim_memory() -> None:
    """Returns free memory to the system again and again; glibc itself does so only at the end of its heap."""
    if sys.platform != "linux":
        return
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none
    while trim is not None:
        time.sleep(TRIM_SECONDS)
        trim(0)


def address_of(host: str, port: int) -> str:
    """Returns the IP address of a host, as granian takes no names. Raises `ClickException` for an unknown name."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        found = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)
    except OSError as error:
        raise _no_listening(host, port, error) from None
    return str(found[0][4][0])


def _no_listening(host: str, port: int, error: OSError) -> click.ClickException:
    return click.ClickException(f"Can't listen on port {port} of {host or repr(host)}: {error.strerror}.")


def hold_port(host: str, port: int) -> socket.socket | None:
    """Returns a socket that holds a free port, on which no other server can start while it is open; None where the
    port is in use.

    granian would silently share the port with another granian.
    Raises `ClickException` where the server can't listen there for another reason: it is no address of this machine.
    """
    with ExitStack() as binding:
        if sys.platform == "linux":
            # Both of two servers could bind it before either takes `SO_REUSEADDR` back. A name in the kernel, which
            # ends with its process, is one server's alone; other systems have none.
            try:
                name = binding.enter_context(socket.socket(socket.AF_UNIX))
                name.bind(f"\0content-workflow serve {host} {port}")
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    return None
        return _bind(host, port)


def _bind(host: str, port: int) -> socket.socket | None:
    held = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    for after_closed_connections in (0, 1):
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, after_closed_connections)
        try:
            held.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                held.close()
                raise _no_listening(host, port, error) from None
        else:
            if hasattr(socket, "SO_REUSEPORT"):
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 0)  # no other server may bind it
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # but granian, which sets this too
            else:
                held.close()
            return held
    held.close()
    return None
