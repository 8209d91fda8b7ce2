"""A load of HTTP requests over a few connections that stay open, by `wrk` where it is there, else by this process."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles

CONNECTIONS = 8
TURN_SECONDS = 1
TURNS = 5

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
WRK = shutil.which("wrk")


@dataclass(frozen=True)
class Side:
    """A server, and the requests of each turn; `once` where each of them can be sent only once."""

    port: int
    requests: Callable[[], Sequence[bytes]]
    once: bool = False
    cpu: Callable[[], float] = lambda: 0.0
    """Returns the CPU seconds that the server's threads have taken so far."""


@dataclass(frozen=True)
class Rate:
    """What a load gave: requests a second, and the median and 99th percentile of latency in ms.

    `busy` is the share of the machine's CPUs that were at work meanwhile, with MongoDB and the load, `cpu_ms` the CPU
    that the server's threads took for a request; 0 where the system does not tell.
    """

    per_second: float
    p50: float
    p99: float
    busy: float = 0.0
    cpu_ms: float = 0.0


def request(method: str, path: str, token: str = "", body: bytes = b"", **headers: str) -> bytes:
    """Returns a request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(body)}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += ["Content-Type: application/json"] if body else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def in_turns(*sides: Side) -> list[Rate]:
    """Returns the medians of several turns for each side.

    The sides take turns, so that a machine that is busy for a while is as busy for each; the first turn warms up.
    """
    turns = [[_turn(side) for side in sides] for _ in range(TURNS + 1)][1:]
    return [
        Rate(*(median(values) for values in zip(*map(astuple, rates), strict=True)))
        for rates in zip(*turns, strict=True)
    ]


def _turn(side: Side) -> Rate:
    requests = side.requests()
    before, began, cpu = _busy(), time.monotonic(), side.cpu()
    rate = _by_wrk(side, requests) if WRK else asyncio.run(_by_this_process(side, requests))
    passed, after, cpu = time.monotonic() - began, _busy(), side.cpu() - cpu
    rate = replace(rate, cpu_ms=1_000 * cpu / passed / rate.per_second)
    return replace(rate, busy=sum(after[cpu] - before[cpu] for cpu in after) / passed / max(1, len(after)))


def _busy() -> dict[str, float]:
    """Returns how many seconds each CPU has been in use; nothing where the system does not tell."""
    if sys.platform != "linux":
        return {}
    rows = (line.split() for line in Path("/proc/stat").read_text().splitlines() if line.startswith("cpu"))
    ticks = {name: [int(column) for column in columns[:8]] for name, *columns in rows if name != "cpu"}
    # The fourth and fifth column are the time in which a CPU was idle or waited for a disk.
    return {name: (sum(all_) - sum(all_[3:5])) / os.sysconf("SC_CLK_TCK") for name, all_ in ticks.items()}


def _by_wrk(side: Side, requests: Sequence[bytes]) -> Rate:
    with tempfile.NamedTemporaryFile() as file:
        file.writelines(b"%d\n%s" % (len(one), one) for one in requests)
        file.flush()
        command = [
            str(WRK),
            "-t1",
            f"-c{CONNECTIONS}",
            f"-d{TURN_SECONDS}s",
            "-s",
            str(Path(__file__).parent / "wrk.lua"),
        ]
        ran = subprocess.run(
            [*command, f"http://127.0.0.1:{side.port}"],
            env={**os.environ, "BENCH_REQUESTS": file.name, "BENCH_ONCE": str(int(side.once))},
            capture_output=True,
            text=True,
            check=True,
        )
    said = json.loads(ran.stdout.strip().rpartition("\n")[2])
    # At the end of a turn some requests are cut off that the server still carries out: what they did is done already.
    if said["broken"] or said["refused"] > (CONNECTIONS if side.once else 0):
        raise RuntimeError(f"{requests[0][:60]!r} was not answered well: {said}")
    return Rate(said["requests"] / said["seconds"], said["p50"], said["p99"])


async def _by_this_process(side: Side, requests: Sequence[bytes]) -> Rate:
    took: list[float] = []
    began = time.perf_counter()
    queue = iter(requests if side.once else cycle(requests))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", side.port)
        for one in queue:
            sent = time.perf_counter()
            writer.write(one)
            status = await _status(reader)
            took.append(time.perf_counter() - sent)
            if status >= 400 and not side.once:
                raise RuntimeError(f"{one[:60]!r} was answered with {status}.")
            if time.perf_counter() > began + TURN_SECONDS:
                break
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    per_second = len(took) / (time.perf_counter() - began)
    return Rate(per_second, 1000 * median(took), 1000 * quantiles(took, n=100)[98])


async def _status(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    if length:
        await reader.readexactly(int(length[1]))
    return int(head[9:12])
