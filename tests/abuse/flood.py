"""Clients that send one request after the other as fast as they are answered, in a process of their own.

`python -m tests.abuse.flood` reads what to send as JSON from its standard input, and writes how many answers had which
status.
"""

import asyncio
import json
import subprocess
import sys
from collections import Counter
from contextlib import suppress

PYTHON = [sys.executable, "-m", "tests.abuse.flood"]


def flood(port: int, requests: list[bytes], *, clients: int, seconds: float, addresses: list[str]) -> Counter[str]:
    """Has so many clients send requests for some seconds, and returns how many answers had which status.

    Each client has one of the requests and one of the addresses, in turn. A connection that ends without an answer
    counts as `closed`.
    """
    sent = {
        "port": port,
        "requests": [request.decode("latin-1") for request in requests],
        "clients": clients,
        "seconds": seconds,
        "addresses": addresses,
    }
    done = subprocess.run(PYTHON, input=json.dumps(sent).encode(), stdout=subprocess.PIPE, timeout=60, check=True)
    return Counter(json.loads(done.stdout))


async def _client(port: int, request: bytes, address: str, end: float, counts: Counter[str]) -> None:
    now = asyncio.get_running_loop().time
    while now() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            try:
                while now() < end:
                    writer.write(request)
                    await writer.drain()
                    head = await reader.readuntil(b"\r\n\r\n")
                    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
                    await reader.readexactly(int(fields[b"content-length"]))
                    counts[head.split(b" ", 2)[1].decode()] += 1
            finally:
                writer.close()
        except (OSError, asyncio.IncompleteReadError):
            counts["closed"] += 1
            await asyncio.sleep(0.05)


async def _main() -> None:
    sent = json.load(sys.stdin)
    counts: Counter[str] = Counter()
    end = asyncio.get_running_loop().time() + sent["seconds"]
    requests, addresses = [request.encode("latin-1") for request in sent["requests"]], sent["addresses"]
    clients = [
        _client(sent["port"], requests[number % len(requests)], addresses[number % len(addresses)], end, counts)
        for number in range(sent["clients"])
    ]
    with suppress(TimeoutError):
        await asyncio.wait_for(asyncio.gather(*clients), sent["seconds"])
    json.dump(counts, sys.stdout)


if __name__ == "__main__":
    asyncio.run(_main())
