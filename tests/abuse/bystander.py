"""Somebody else's requests while a service is attacked, from a process and an address of their own.

`python -m tests.abuse.bystander PORT SECRET INTENT` sends requests over one connection until its standard input ends,
then writes what it noted as JSON: for each request when it began, its name, its seconds and its status.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException

ADDRESS = "127.0.0.2"
PAUSE = 0.02


def requests(intent: str) -> list[tuple[str, str, str | None]]:
    """Returns what is sent in turn: a method, a path and a body."""
    return [
        ("GET", "/health", None),
        ("GET", "/briefs?limit=20", None),
        ("PATCH", f"/document-intents/{intent}", '{"title": "Rye"}'),
    ]


def main(port: int, secret: str, intent: str) -> None:
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    noted: list[tuple[float, str, float, int]] = []
    client: HTTPConnection | None = None
    while not over.is_set():
        for method, path, body in requests(intent):
            began, status = time.monotonic(), 0
            try:
                if client is None:
                    client = HTTPConnection("127.0.0.1", port, timeout=20, source_address=(ADDRESS, 0))
                client.request(method, path, body, headers)
                answer = client.getresponse()
                answer.read()
                status = answer.status
            except (OSError, HTTPException):
                client = None
            noted.append((began, f"{method} /{path.split('/')[1].split('?')[0]}", time.monotonic() - began, status))
        over.wait(PAUSE)
    json.dump(noted, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
