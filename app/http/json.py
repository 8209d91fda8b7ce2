"""Parses JSON bodies strictly, and bounds the memory that they take."""

from typing import Any

import orjson
from flask import Request

from app.core.errors import HttpApiDecodeError, Issue, UnsupportedMediaType
from app.http.bodies import refuse_compressed

MAX_VALUES = 100_000
"""Maximum values in a body. Small values take up to 30 times their length in memory: 20 MB of `[],` take 400 MB."""


def loads_object(raw: bytes, request: Request, media_types: str | None = None) -> dict[str, Any]:
    """Returns the object of a request's body; no body is an empty one, except in a PUT, which would clear the record.

    Raises `UnsupportedMediaType` where the body is something else than JSON, with `media_types` as its message, and
    `HttpApiDecodeError` where it is no object or not valid: NaN, lone surrogates and nesting over 1,024 levels are not.
    """
    if not raw and request.method == "PUT":
        raise _malformed("There is no body: send a JSON object.")
    if not raw:
        return {}
    if not request.is_json:
        raise UnsupportedMediaType(media_types)
    refuse_compressed(request)
    if too_many_values(raw):
        raise _malformed(f"Must have at most {MAX_VALUES:,} values.")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _malformed(f"Is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise _malformed("Must be a JSON object.")
    return body


def too_many_values(raw: bytes) -> bool:
    """Returns whether JSON has more values than a body may; text inside strings does not count."""
    if _marks(raw) <= MAX_VALUES:
        return False
    text = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # in which each quote begins or ends a string
    if text.count(b'"') > 4 * MAX_VALUES:  # so many strings are too many values
        return True
    return sum(map(_marks, text.split(b'"')[::2])) > MAX_VALUES


def _marks(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _malformed(message: str) -> HttpApiDecodeError:
    return HttpApiDecodeError(issues=[Issue(path="", message=message)])
