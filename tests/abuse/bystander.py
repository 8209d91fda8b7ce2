"""Somebody else's requests while a service is attacked, from a process and an address of their own.

`python -m tests.abuse.bystander PORT SECRET INTENT` sends requests over one connection until its standard input ends,
then writes what it noted as JSON: for each request when it began, its seconds and its status.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException

ADDRESS = "127.0.0.2"
PAUSE = 0.01


def main(port: int, secret: str, intent: str) -> None:
    """Sends requests in turn until the standard input ends."""
    over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    requests = [("GET", "/health", None), ("GET", "/briefs", None), ("PATCH", f"/document-intents/{intent}", "{}")]
    noted: list[tuple[float, float, int]] = []
    client: HTTPConnection | None = None
    while not over.wait(PAUSE):
        for method, path, body in requests:
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
            noted.append((began, time.monotonic() - began, status))
    json.dump(noted, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
