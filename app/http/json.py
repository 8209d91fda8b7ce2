"""Parses JSON bodies strictly, and bounds the memory that they take."""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from operator import itemgetter
from typing import Any

import orjson
from flask import Request

from app.errors import HttpApiDecodeError, Issue, UnsupportedMediaType
from app.http.bodies import refuse_compressed

MAX_VALUES = 100_000
"""The most values in a body. Small values take up to 30 times their length in memory: 20 MB of `[],` take 400 MB."""

_PART = re.compile(rb".{1,65536}\\*+.?", re.DOTALL)
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)


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
    try:
        body = loads(raw)
    except orjson.JSONDecodeError as error:
        raise _malformed(f"Is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise _malformed("Must be a JSON object.")
    return body


def loads(raw: bytes) -> Any:
    """Returns parsed JSON. Raises `HttpApiDecodeError` where it has over 100,000 values, before they are read."""
    if too_many_values(raw):
        raise _malformed(f"Must have at most {MAX_VALUES:,} values.")
    return orjson.loads(raw)


def too_many_values(raw: bytes) -> bool:
    """Returns whether JSON has more values than a body may; text inside strings does not count."""
    return len(raw) > MAX_VALUES and _sum_exceeds(map(_marks, _parts(raw))) and _sum_exceeds(_marks_of_values(raw))


def _parts(raw: bytes) -> Iterator[bytes]:
    """Returns the text in parts, between which other threads may go on; none ends inside an escape sequence."""
    return map(itemgetter(0), _PART.finditer(raw))


def _sum_exceeds(numbers: Iterable[int]) -> bool:
    return any(total > MAX_VALUES for total in accumulate(numbers))


def _marks(raw: bytes) -> int:
    return raw.count(b",") + raw.count(b"[") + raw.count(b"{")


def _marks_of_values(raw: bytes) -> Iterator[int]:
    """Returns how many marks stand outside of strings, part by part; too many strings count without a look at each.

    Each part gets a quote at its end, so that no string is without one: to look for the end of such a string begins
    again at each quote that it holds, which takes minutes.
    """
    quotes, in_string = 0, False
    for part in _parts(raw):
        quotes += part.count(b'"') - part.count(b'\\"')
        if quotes > 4 * MAX_VALUES:
            yield quotes
        outside = _STRING.sub(b"", (b'"' if in_string else b"") + part + b' "')
        in_string = not outside.endswith(b'"')
        yield _marks(outside)


def _malformed(message: str) -> HttpApiDecodeError:
    return HttpApiDecodeError(issues=[Issue(path="", message=message)])
