"""A load of eight callers, and the CPU time that a server and its database take for it."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

import orjson

CALLERS = 8
SETTLE_SECONDS = 5
"""How long a system has for what it does after its answers, before and after the requests that are counted."""


@dataclass(frozen=True)
class Figure:
    """What one kind of request took: ms of CPU of the server and of its database, ms until the answer, and the rate."""

    server_ms: float
    database_ms: float
    p50: float
    slowest: float
    per_second: float


class Caller:
    """A connection that stays open."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Content-Type": "application/json", **headers}

    def send(self, method: str, path: str, fields: object = None, **headers: str) -> Any:
        """Sends a request and returns the JSON of its answer; raises `RuntimeError` for a refusal."""
        body = None if fields is None else orjson.dumps(fields)
        self._connection.request(method, path, body, {**self._headers, **headers})
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{method} {path} was answered with {response.status}: {answer[:300]!r}")
        found = orjson.loads(answer) if answer else None
        if isinstance(found, dict) and found.get("errors"):
            raise RuntimeError(f"{method} {path} was answered with {answer[:300]!r}")
        return found

    def close(self) -> None:
        """Closes the connection, which the next request opens again: Node's servers close one that is idle for 5 s."""
        self._connection.close()


def cpu_seconds(process: int) -> float:
    """Returns the CPU time of a process, of its children, and of those that have ended (Linux)."""
    total, waiting = 0, [process]
    while waiting:
        one = waiting.pop()
        file = Path(f"/proc/{one}/stat")
        if file.exists():
            total += sum(map(int, file.read_text().rpartition(")")[2].split()[11:15]))
            waiting += _children(one)
    return total / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    files = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def at_rest(processes: tuple[int, int]) -> tuple[float, float]:
    """Returns how many seconds of CPU a server and its database take in a second without requests."""
    time.sleep(SETTLE_SECONDS)
    before = [cpu_seconds(one) for one in processes]
    time.sleep(SETTLE_SECONDS)
    server, database = (cpu_seconds(one) - past for one, past in zip(processes, before, strict=True))
    return server / SETTLE_SECONDS, database / SETTLE_SECONDS


def measured(
    callers: Sequence[Caller],
    processes: tuple[int, int],
    rest: tuple[float, float],
    call: Callable[[Caller, int], object],
    calls: int,
) -> Figure:
    """Returns what calls took that all callers send side by side; the first eighth warms up, and is not counted.

    What is done after the answers is counted, what the processes take at `rest` is not.
    """
    numbers = count()
    for one in callers:
        one.close()
    _sent(callers, call, numbers, calls // 8)
    time.sleep(SETTLE_SECONDS)
    for one in callers:
        one.close()
    before, began = [cpu_seconds(one) for one in processes], time.perf_counter()
    took = _sent(callers, call, numbers, calls)
    seconds = time.perf_counter() - began
    time.sleep(SETTLE_SECONDS)
    passed = time.perf_counter() - began
    spent = (cpu_seconds(one) - past for one, past in zip(processes, before, strict=True))
    server, database = (1_000 * (one - passed * idle) / len(took) for one, idle in zip(spent, rest, strict=True))
    return Figure(server, database, 1_000 * median(took), 1_000 * max(took), len(took) / seconds)


def _sent(
    callers: Sequence[Caller], call: Callable[[Caller, int], object], numbers: Iterator[int], calls: int
) -> list[float]:
    def work(caller: Caller) -> list[float]:
        took = []
        for _ in range(max(1, calls // len(callers))):
            began = time.perf_counter()
            call(caller, next(numbers))
            took.append(time.perf_counter() - began)
        return took

    with ThreadPoolExecutor(len(callers)) as threads:
        return [one for done in threads.map(work, callers) for one in done]


@contextmanager
def running(command: Sequence[str], folder: Path, environment: dict[str, str], log: Path) -> Iterator[int]:
    """Runs a program as long as the block lasts; yields its process id."""
    with log.open("ab") as written:
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=written, stderr=written, process_group=0
        )
        try:
            yield process.pid
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def until_answered(port: int, path: str, process: int, log: Path) -> None:
    """Waits until a server answers a path, however; raises `RuntimeError` where its process ended before."""
    ends = time.monotonic() + 180
    while time.monotonic() < ends:
        try:
            connection = HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", path)
            connection.getresponse().read()
        except OSError:
            if not Path(f"/proc/{process}/stat").exists():
                break
            time.sleep(0.3)
        else:
            return
    raise RuntimeError(f"It did not begin to listen; {log} says why.")
