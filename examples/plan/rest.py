"""Calls the management API for the programs of this folder, and again where that is right. It needs nothing but Python.

BASE (the service's address) and TOKEN are in the environment.
"""

import json
import os
import sys
import time
from email.message import Message
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

ATTEMPTS = 10
TRY_AGAIN = {"RateLimited", "IdempotencyConflict", "ServiceUnavailable", "InternalError"}
"""The errors after which the same request may be sent again, with its idempotency key."""


class Refused(Exception):
    """A refusal of the API: its `tag`, and the whole `error`."""

    def __init__(self, error: dict[str, Any]) -> None:
        lines = [f"{error['_tag']}: {error['message']}"]
        lines += [f"{one['path']}: {one['message']}" for one in error.get("issues", [])]
        lines += [f"{one['field']}: {one['message']}" for one in error.get("errors", [])]
        lines += [f"and {error['more']} more"] if "more" in error else []
        super().__init__("\n".join(lines))
        self.tag, self.error = error["_tag"], error


def call(method: str, path: str, body: Any = None, *, key: str | None = "", etag: str = "") -> tuple[Any, Message]:
    """Returns the body and the headers of an answer; raises `Refused`, or `OSError` where nothing answers.

    A write has an idempotency key, the same in each attempt: so it is done once, however often it is sent. With None it
    has none, for a dry run. Ends the program where BASE or TOKEN is missing.
    """
    if not (os.environ.get("BASE") and os.environ.get("TOKEN")):
        sys.exit("Set BASE to the service's address, and TOKEN to a token of the project.")
    headers = {
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
        "Prefer": "handling=strict",  # a misspelt field is refused, not ignored
        **({} if method == "GET" or key is None else {"Idempotency-Key": key or str(uuid4())}),
        **({"If-Match": etag} if etag else {}),
    }
    data = None if body is None else json.dumps(body).encode()
    request = Request(os.environ["BASE"] + path, data, headers, method=method)
    for attempt in range(1, ATTEMPTS + 1):
        pause = "1"
        try:
            with urlopen(request, timeout=40) as response:
                return json.load(response), response.headers
        except HTTPError as answer:
            error = _error(answer)
            pause = answer.headers.get("Retry-After", pause)
            if error["_tag"] not in TRY_AGAIN or attempt == ATTEMPTS:
                raise Refused(error) from None
        except (OSError, HTTPException) as broken:  # no answer, or one that breaks off
            if attempt == ATTEMPTS:
                raise ConnectionError(f"{os.environ['BASE']} does not answer: {broken}") from None
        time.sleep(int(pause) if pause.isdecimal() else 1)  # a proxy may send a date
    raise AssertionError("the last attempt returns or raises")


def _error(answer: HTTPError) -> dict[str, Any]:
    """Returns the error of an answer; a page of a proxy that could not reach the service counts as unavailable."""
    try:
        error: dict[str, Any] = json.load(answer)
        return error if "_tag" in error else {"_tag": "Unknown", "message": str(error)}
    except (ValueError, OSError, HTTPException):
        tag = "ServiceUnavailable" if answer.code in (429, 500, 502, 503, 504) else "Unknown"
        return {"_tag": tag, "message": f"{answer.code} {answer.reason}, which is no answer of the service."}
