"""Types of what PyMongo takes and returns: any filter, any fields. What the store returns has types of its own."""

from collections.abc import Mapping, Sequence
from typing import Any

Bson = dict[str, Any]
"""A filter, an update, a stage of a pipeline or a row, as PyMongo takes and returns it."""
Condition = Mapping[str, Any]
"""A filter that is only read."""
Values = Mapping[str, Any]
"""The values of a record's fields, as they are to be stored, by name or by path."""
Order = Sequence[tuple[str, int]]
"""Sort order of rows: fields, each with 1 or `DESCENDING`."""
Projection = Mapping[str, object] | None
"""The fields of a record that are read, or with 0 those that are not; None for all."""
