"""Bodies of requests that are files."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class FileBody:
    """Which files an operation takes as its body over REST; the call has the file as `ctx.file`."""

    types: Sequence[str]
    """The media types of the header `Content-Type`."""
    field: str
    """Name under which `fields` have the hash of the file, so that an idempotency key stands for one file."""
