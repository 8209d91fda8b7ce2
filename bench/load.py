"""A load of HTTP requests over a few connections that stay open, cheap enough not to be what is measured."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from statistics import median

CONNECTIONS = 8
ROUND_SECONDS = 1.0

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Side:
    """A server and what it is asked, which goes on from round to round; a round sends `at_most` so many."""

    port: int
    requests: Iterator[bytes]
    at_most: int | None = None


@dataclass(frozen=True)
class Result:
    """What a load gave."""

    requests: int
    seconds: float
    statuses: dict[int, int]

    @property
    def per_second(self) -> float:
        return self.requests / self.seconds


def request(method: str, path: str, token: str = "", body: bytes = b"") -> bytes:
    """Returns a request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(body)}"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += ["Content-Type: application/json"] if body else []
    return "\r\n".join([*lines, "", ""]).encode() + body


def in_turns(*sides: Side, rounds: int = 7, warm: bool = True) -> list[float]:
    """Returns how many requests a second each side answers: the median of rounds, in which all take their turns, so
    that a machine that is busy for a while is as busy for each."""
    for side in sides if warm else ():
        _round(side, seconds=1)
    measured = [[_round(side, seconds=ROUND_SECONDS) for side in sides] for _ in range(rounds)]
    return [median(rates) for rates in zip(*measured, strict=True)]


def _round(side: Side, seconds: float) -> float:
    result = asyncio.run(_run(side.port, islice(side.requests, side.at_most), seconds))
    if set(result.statuses) != {200}:
        raise RuntimeError(f"The load was not answered well: {result.statuses}")
    return result.per_second


async def _run(port: int, requests: Iterator[bytes], seconds: float) -> Result:
    statuses: dict[int, int] = {}
    began = time.perf_counter()

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for one in requests:
            writer.write(one)
            status = await _status(reader)
            statuses[status] = statuses.get(status, 0) + 1
            if time.perf_counter() > began + seconds:
                break
        writer.close()

    await asyncio.gather(*(connection() for _ in range(CONNECTIONS)))
    return Result(sum(statuses.values()), time.perf_counter() - began, statuses)


async def _status(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    if length:
        await reader.readexactly(int(length[1]))
    return int(head[9:12])
