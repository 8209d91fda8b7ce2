"""Bodies of requests that are tables, for operations that a spreadsheet can be sent to."""

from collections.abc import Callable, Mapping
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
    """How an operation reads a table."""

    read: Callable[[bytes, int], CsvTable]
    """Takes the body and the maximum number of cells; raises `HttpApiDecodeError` with every line that is wrong."""
    example: str
    """A table for the documentation."""
