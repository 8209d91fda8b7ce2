"""Everybody else's requests while a service is attacked, from a process of their own.

`python -m tests.abuse.bystander PORT SECRET INTENT` sends requests until its standard input ends, then writes what it
noted as JSON, an object with two lists: `kept` of a client with an address and a connection of its own, `fresh` of one
with another address and a new connection each time. A request is noted as an array: when it began, its seconds,
and what was wrong with its answer, or null.
"""

import json
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException

ADDRESS, OTHER_ADDRESS = "127.0.0.2", "127.0.0.3"
PAUSE = 0.05
"""Both stay below the requests a second that nginx lets an address send."""

Request = tuple[str, str, str | None]
Noted = tuple[float, float, str | None]


def main(port: int, secret: str, intent: str) -> None:
    """Sends the requests of both clients until the standard input ends."""
    over = threading.Event()
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    read: list[Request] = [("GET", "/health", None), ("GET", "/briefs", None)]
    write: Request = ("PATCH", f"/document-intents/{intent}", "{}")
    kept: list[Noted] = []
    fresh: list[Noted] = []

    def ask_on_one_connection() -> None:
        client = None
        while not over.wait(PAUSE):
            for request in (*read, write):
                client = client or HTTPConnection("127.0.0.1", port, timeout=20, source_address=(ADDRESS, 0))
                kept.append(_noted(client, headers, request))
                if kept[-1][2]:
                    client.close()
                    client = None

    def ask_on_new_connections() -> None:
        while not over.wait(PAUSE):
            for request in read:
                client = HTTPConnection("127.0.0.1", port, timeout=30, source_address=(OTHER_ADDRESS, 0))
                fresh.append(_noted(client, headers, request))
                client.close()

    clients = [threading.Thread(target=ask) for ask in (ask_on_one_connection, ask_on_new_connections)]
    for client in clients:
        client.start()
    sys.stdin.read()
    over.set()
    for client in clients:
        client.join()
    json.dump({"kept": kept, "fresh": fresh}, sys.stdout)


def _noted(client: HTTPConnection, headers: dict[str, str], request: Request) -> Noted:
    """Sends a request and returns how it went."""
    method, path, body = request
    began = time.monotonic()
    try:
        client.request(method, path, body, headers)
        answer = client.getresponse()
        text = answer.read()
        wrong = None if answer.status == 200 else f"{method} {path}: {answer.status} {text!r}"
    except (OSError, HTTPException) as error:
        wrong = f"{method} {path}: {error!r}"
    return began, time.monotonic() - began, wrong


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
