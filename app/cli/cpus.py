"""Keeps the threads of a server process that run Python on one CPU: the one that other programs use least.

Python runs one thread of a process at a time. The system wakes each on any CPU that is idle at that moment, where it
finds the caches filled by another program: measured on two CPUs, a request then takes up to 1.5 times as long.
"""

from __future__ import annotations

import logging
import os
import random
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from multiprocessing.sharedctypes import SynchronizedArray
from pathlib import Path
from typing import NoReturn

log = logging.getLogger("content_workflow.serve")

CHOOSE_SECONDS = (0.5, 1.5)
"""How often a CPU is chosen: at random between the two, as processes in step would all choose the same one."""
MARGIN = 0.25
"""By what share of its time another CPU must be less busy to be chosen."""
NO_CPU_TIME = slice(3, 5)
"""The columns of `/proc/stat` that count the time in which a CPU was idle or waited for a disk."""


def stay_on_one_cpu(chosen: SynchronizedArray[int]) -> None:
    """Binds the threads that run Python to one CPU, and from then on to another as soon as that is less busy.

    `chosen` is shared by the server processes, which choose different CPUs where there are enough: by the number of
    each CPU the id of the process that chose it, or 0. It returns at once where there is no choice: with a single CPU,
    or where the system is not Linux. It leaves the choice to the system where that takes a CPU away.
    """
    if not hasattr(os, "sched_getaffinity"):
        return
    cpus = os.sched_getaffinity(0) & busy_seconds().keys() & set(range(len(chosen)))
    if len(cpus) < 2:
        return
    try:
        _choose_again_and_again(sorted(cpus), chosen)
    except (OSError, KeyError):
        log.info("the process may run on each CPU, as one that it could choose was taken away")
        _bind(cpus)


def _choose_again_and_again(cpus: Sequence[int], chosen: SynchronizedArray[int]) -> NoReturn:
    current = cpus[os.getpid() % len(cpus)]
    while True:
        before, ours, began = busy_seconds(), time.process_time(), time.monotonic()
        time.sleep(random.uniform(*CHOOSE_SECONDS))
        after, passed = busy_seconds(), time.monotonic() - began
        busy = {cpu: (after[cpu] - before[cpu]) / passed for cpu in cpus}
        busy[current] -= (time.process_time() - ours) / passed
        with chosen.get_lock():
            if chosen[current] == os.getpid():
                chosen[current] = 0
            free = {cpu: busy[cpu] for cpu in cpus if not (chosen[cpu] and _is_running(chosen[cpu]))}
            current = least_busy(free or busy, current)
            chosen[current] = os.getpid()
        _bind({current})


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def least_busy(busy: Mapping[int, float], current: int) -> int:
    """Returns the CPU that is in use for the smallest share of time; `current` unless that is clearly less."""
    least = min(busy, key=lambda cpu: busy[cpu])
    return current if current in busy and busy[least] + MARGIN >= busy[current] else least


def busy_seconds() -> dict[int, float]:
    """Returns how long each CPU has been in use since the system started."""
    rows = (line.split() for line in Path("/proc/stat").read_text().splitlines() if line.startswith("cpu"))
    ticks = {name: [int(column) for column in columns[:8]] for name, *columns in rows}
    return {
        int(name.removeprefix("cpu")): (sum(columns) - sum(columns[NO_CPU_TIME])) / os.sysconf("SC_CLK_TCK")
        for name, columns in ticks.items()
        if name != "cpu"
    }


def _bind(cpus: Collection[int]) -> None:
    """Binds the threads that Python knows. Those of granian that read and write connections stay as they are."""
    running = {int(thread.name) for thread in Path("/proc/self/task").iterdir()}
    for thread in threading.enumerate():
        if thread.native_id in running:
            with suppress(ProcessLookupError):  # the thread has ended
                os.sched_setaffinity(thread.native_id, cpus)
