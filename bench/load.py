"""A load of HTTP requests over a few connections that stay open, cheap enough not to be what is measured."""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


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


def run(port: int, requests: Iterable[bytes], *, connections: int = 8, seconds: float | None = None) -> Result:
    """Sends requests over `connections` at once until they end, or for some seconds over and over."""
    sent = itertools.cycle(list(requests)) if seconds else iter(requests)
    return asyncio.run(_run(port, sent, connections, seconds))


async def _run(port: int, requests: Iterator[bytes], connections: int, seconds: float | None) -> Result:
    statuses: dict[int, int] = {}
    began = time.perf_counter()
    ends = began + seconds if seconds else float("inf")

    async def connection() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for one in requests:
            writer.write(one)
            status = await _status(reader)
            statuses[status] = statuses.get(status, 0) + 1
            if time.perf_counter() > ends:
                break
        writer.close()

    await asyncio.gather(*(connection() for _ in range(connections)))
    return Result(sum(statuses.values()), time.perf_counter() - began, statuses)


async def _status(reader: asyncio.StreamReader) -> int:
    head = await reader.readuntil(b"\r\n\r\n")
    length = LENGTH.search(head)
    if length:
        await reader.readexactly(int(length[1]))
    return int(head[9:12])
