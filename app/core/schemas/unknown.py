"""Names that a schema does not know, with the known name that is near (decisions, section 11)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import marshmallow as ma

from app.core.errors import Issue

SHORT_NAME = 4
"""Names of up to this many characters are near by one edit, longer ones by two."""

OTHER_PART = {"field": "query parameter", "query parameter": "field of the body"}
"""The other place where a name may belong, in the words of issues, by the place where it was sent."""

LONG_NAME = 100
"""Maximum number of characters of a name that are shown; no known name counts as near to a longer one."""


@dataclass(frozen=True)
class Unknown:
    """A name that was sent and that the schema does not know."""

    path: str
    name: str
    known: tuple[str, ...]
    elsewhere: ma.Schema | None = None
    """The schema of the other part of the request, the query or the body."""

    @property
    def near(self) -> str | None:
        """The known name that was probably meant."""
        if len(self.name) > LONG_NAME:
            return None
        return near_name(self.name, self.known) or near_name(self.name, _by_name(self.elsewhere))

    @property
    def hint(self) -> str:
        """The hint in an error about the name: the known name that was probably meant, else all that are known."""
        if near := self.near:
            return f"did you mean `{near}`?"
        return f"known here: {', '.join(f'`{name}`' for name in self.known) or 'none'}."

    def issue(self, what: str) -> Issue:
        """Returns the issue of an unknown field, argument or query parameter."""
        belongs = self.near and self.near not in self.known
        hint = f"did you mean the {OTHER_PART[what]} `{self.near}`?" if belongs else self.hint
        return Issue(path=self.path, message=f"Unknown {what}; {hint}")


def unknown_names(
    schema: ma.Schema, data: Mapping[str, Any], path: str = "", elsewhere: ma.Schema | None = None
) -> Iterator[Unknown]:
    """Yields the unknown names of `data` in the order in which they were sent, those of nested objects included.

    `elsewhere` is the schema of the other part of the request, the query or the body.
    """
    fields = _by_name(schema)
    known = tuple(fields)
    for name, value in data.items():
        if name in fields:
            yield from _inside(fields[name], value, path + name)
        else:
            yield Unknown(path + shortened(name), name, known, elsewhere)


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that is near: equal but for case, `_` and `-`, else by the fewest edits."""
    from rapidfuzz.distance import Levenshtein  # takes 2 MB, and is needed for misspelt names alone

    plain = folded(name)
    edits = 1 if len(name) <= SHORT_NAME else 2
    distance_to = partial(Levenshtein.distance, name, score_cutoff=2)
    distances = [(0 if folded(one) == plain else distance_to(one), one) for one in known]
    distance, nearest = min(distances, key=lambda pair: pair[0], default=(edits + 1, ""))
    return nearest if distance <= edits else None


def folded(name: str) -> str:
    """Returns a name without `_` and `-`, in lower case."""
    return name.replace("_", "").replace("-", "").lower()


def shortened(name: str) -> str:
    """Returns a name as an issue shows it."""
    return name if len(name) <= LONG_NAME else f"{name[:LONG_NAME]}…"


def _by_name(schema: ma.Schema | None) -> dict[str, ma.fields.Field[Any]]:
    return {field.data_key or name: field for name, field in schema.fields.items()} if schema else {}


def _inside(field: ma.fields.Field[Any], value: Any, path: str) -> Iterator[Unknown]:
    if isinstance(field, ma.fields.Nested) and isinstance(value, Mapping):
        schema = field.schema
        return unknown_names(schema, value, f"{path}.") if isinstance(schema, ma.Schema) else iter(())
    if isinstance(field, ma.fields.List) and isinstance(value, list):
        return chain.from_iterable(_inside(field.inner, item, f"{path}[{place}]") for place, item in enumerate(value))
    return iter(())
