"""Bodies and responses of NDJSON that are of any length: a body goes into a file, a response is sent line by line.

No memory grows with them. The proxy waits for slow senders and readers: docs/deployment.md.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO

import orjson
from flask import Response, request, stream_with_context

from app.core.batches import batches
from app.core.errors import HttpApiDecodeError, Refusal, UnsupportedMediaType
from app.core.store.request_time import standing_still
from app.http import bodies, errors
from app.http.callers import callers

NDJSON = "application/x-ndjson"
LINES = {"type": "string", "format": "binary", "description": "A JSON object a line."}
"""The schema of such a body or response in OpenAPI; generated clients take and return it as a file."""
MAX_STREAM = 2 * 1024 * 1024 * 1024
"""Maximum number of bytes of a body; of a longer export `content-workflow import` reads the file."""
PART = 64 * 1024


@contextmanager
def received() -> Iterator[tuple[IO[bytes], str]]:
    """Yields the body of the request in a file, which is gone after the block, and its hash.

    Raises `UnsupportedMediaType`, `HttpApiDecodeError` for a body that does not arrive whole, and `Unauthorized` where
    the caller is not valid any more when it has.
    """
    if request.mimetype != NDJSON:
        raise UnsupportedMediaType(f"Send the lines of an export with `Content-Type: {NDJSON}`.")
    bodies.refuse_compressed(request)
    request.max_content_length = MAX_STREAM
    digest = hashlib.sha256()
    with TemporaryFile() as file:
        with standing_still():
            while part := request.stream.read(PART):
                file.write(part)
                digest.update(part)
        if (length := request.content_length or 0) > file.tell():
            raise HttpApiDecodeError(f"The body ended after {file.tell():,} of {length:,} bytes.")
        callers().check_again()
        yield file, digest.hexdigest()


def sent(lines: Iterator[bytes], headers: Mapping[str, str]) -> Response:
    """Returns a response with lines, which are read while it is sent."""
    if request.method == "HEAD":  # nobody would close the response, as nobody reads it
        getattr(lines, "close", lambda: None)()
        return Response(headers=headers, content_type=NDJSON)
    return Response(stream_with_context(_ended_by_error(_joined(lines))), headers=headers, content_type=NDJSON)


def _joined(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yields lines in parts of about `PART` bytes."""
    for batch in batches(lines, PART, len, PART):
        yield b"".join(batch)


def _ended_by_error(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yields parts, and a last line of the type `error` where they break, as the server ends it like a whole one."""
    try:
        yield from parts
    except Exception as error:
        refusal = error if isinstance(error, Refusal) else errors.unexpected(error)
        errors.refused(refusal)  # which logs why MongoDB can't be used
        yield orjson.dumps({"type": "error", **refusal.body()}, option=orjson.OPT_APPEND_NEWLINE)
