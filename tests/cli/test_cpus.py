"""Each server process stays on one CPU, and leaves it when other programs use it more than another."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from app.cli.cpus import least_busy

CHOICES = [
    ({0: 0.0, 1: 0.0}, 0, 0),
    ({0: 0.9, 1: 0.1}, 0, 1),
    ({0: 0.1, 1: 0.9}, 0, 0),
    ({0: 0.5, 1: 0.4}, 0, 0),
    ({0: 0.5, 1: 0.5}, 1, 1),
    ({0: 0.9, 1: 0.5, 2: 0.1}, 0, 2),
    ({0: 0.9, 1: 0.5, 2: 0.4}, 1, 1),
    ({0: 0.9, 2: 0.8}, 1, 2),
]


@pytest.mark.parametrize(("busy", "current", "chosen"), CHOICES)
def test_the_least_busy_cpu_is_chosen_where_it_is_clearly_less_busy(
    busy: dict[int, float], current: int, chosen: int
) -> None:
    assert least_busy(busy, current) == chosen


LEAVES = """
import multiprocessing, os, threading, time
from app.cli import cpus
allowed = os.sched_getaffinity(0)
busy = dict.fromkeys(allowed, 0.0)
def others():
    for cpu in os.sched_getaffinity(0):
        busy[cpu] += 1
    return dict(busy)
cpus.busy_seconds = others
cpus.CHOOSE_SECONDS = (0.05, 0.1)
threading.Thread(target=cpus.stay_on_one_cpu, args=(multiprocessing.Array("i", os.cpu_count()),), daemon=True).start()
until, met = time.monotonic() + 20, []
while len(met) < 3 and time.monotonic() < until:
    now = os.sched_getaffinity(0)
    if len(now) == 1 and met[-1:] != [now]:
        met.append(now)
    time.sleep(0.01)
assert len(met) == 3, met
"""

TAKEN_AWAY = """
import multiprocessing, os
from app.cli import cpus
allowed = os.sched_getaffinity(0)
said = iter([dict.fromkeys(allowed, 0.0), dict.fromkeys(allowed, 0.0), dict.fromkeys(sorted(allowed)[1:], 0.0)])
cpus.busy_seconds = lambda: next(said)
cpus.CHOOSE_SECONDS = (0, 0)
cpus.stay_on_one_cpu(multiprocessing.Array("i", os.cpu_count()))
assert os.sched_getaffinity(0) == allowed
"""


@pytest.mark.parametrize("script", [LEAVES, TAKEN_AWAY], ids=["leaves a busy CPU", "one was taken away"])
@pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2, reason="needs Linux and two CPUs"
)
def test_a_process_follows_what_the_system_has(script: str) -> None:
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
