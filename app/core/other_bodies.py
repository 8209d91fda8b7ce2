"""Bodies of requests over REST that are no JSON: tables and files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CsvTable:
    """A table that was read."""

    fields: Mapping[str, Any]
    """The body that it stands for."""
    place_of: Callable[[str], str | None]
    """Returns the place in the table that the path of a problem names, None for a path of the body itself."""


@dataclass(frozen=True)
class CsvBody:
    """How an operation reads a table, which a spreadsheet can send."""

    read: Callable[[bytes, int], CsvTable]
    """Takes the body and the maximum number of cells; raises `HttpApiDecodeError` with every line that is wrong."""
    example: str
    """A table for the documentation."""


@dataclass(frozen=True)
class FileBody:
    """Which files an operation takes as its body over REST; the call has the file as `ctx.file`."""

    types: Sequence[str]
    """The media types of the header `Content-Type`."""
    field: str
    """Name under which `fields` have the hash of the file, so that an idempotency key stands for one file."""
