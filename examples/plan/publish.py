"""Publishes the pieces of a plan as they are approved: follows the feed of events.

python3 publish.py plan.csv --cursor FILE --seconds 300, with BASE (the service's address) and TOKEN (a token with the
scopes `read` and `publish`) in the environment. FILE holds the place in the feed, so the next run goes on from there.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from plan import pieces_of
from rest import Refused, call

SETTLED = {"NotFound", "InvalidTransition", "FourEyes", "BadRequest"}
"""Refusals after which another try would not help: the document was deleted or moved on, or the token wrote it."""


def publish(event: dict[str, Any], keys: set[str], tries: int = 3) -> None:
    """Publishes the document of an event if it is a piece of the plan and still approved, as it was read.

    One that changes in between is read again.
    The idempotency key is made of the event's id: whoever handles the event again publishes nothing twice.
    """
    path = f"/documents/{event['data']['documentId']}"
    try:
        document, headers = call("GET", path)
        if document["key"] in keys and document["status"] == "approved":
            call("POST", f"{path}/publish", key=f"publish-{event['id']}", etag=headers["ETag"])
            print(f"published {document['key']}  {document['title']}", flush=True)
    except Refused as refused:
        if refused.tag == "PreconditionFailed" and tries > 1:
            return publish(event, keys, tries - 1)
        if refused.tag not in SETTLED:
            raise  # the place in the feed is not stored: the next run handles the event again
        print(f"not published: {path}: {refused}", file=sys.stderr)


def next_page(cursor: str, wait: int) -> dict[str, Any]:
    """Returns the approvals after a cursor; from the oldest on where the feed does not go back that far any more."""
    query = {"type": "document.approved", "limit": 1000, "wait": wait, **({"after": cursor} if cursor else {})}
    try:
        page, _ = call("GET", f"/events?{urlencode(query)}")
    except Refused as refused:
        if not cursor or refused.tag not in ("CursorExpired", "HttpApiDecodeError"):
            raise
        return next_page("", 0)
    return dict(page)


def main() -> None:
    parser = argparse.ArgumentParser(description="Publish the pieces of a plan as they are approved.")
    parser.add_argument("plan", type=Path)
    parser.add_argument("--cursor", type=Path, required=True, metavar="FILE", help="holds the place in the feed")
    parser.add_argument("--seconds", type=int, default=300, help="how long to follow the feed")
    arguments = parser.parse_args()
    keys = {piece["key"] for piece in pieces_of(arguments.plan) if "key" in piece}
    cursor = arguments.cursor.read_text() if arguments.cursor.exists() else ""
    ends = time.monotonic() + arguments.seconds
    while (left := ends - time.monotonic()) > 0:
        page = next_page(cursor, min(25, int(left)))
        for event in page["events"]:
            publish(event, keys)
        cursor = page["cursor"]
        arguments.cursor.write_text(cursor)
        if not page["events"]:
            time.sleep(min(1, max(0, left)))


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError) as error:
        sys.exit(f"Stopped: {error}")
