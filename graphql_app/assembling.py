"""Puts an answer together from what was read, where nothing was refused and nothing of the schema itself is asked.

Every field of ours is an attribute of an object that is there already, so there is nothing to resolve, wait for or
catch; graphql-core's executor, which provides for all of that, takes several times as long. It stays the one that
answers everything else, and a test holds the two to the same answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import FieldNode

from graphql_app.selections import Fields, Selections

TYPENAME = "__typename"
TYPES = {
    **dict.fromkeys(("document", "documentBySlug", "documents", "documentsInCategory"), "Document"),
    **dict.fromkeys(("category", "categories"), "Category"),
    "coverImage": "CoverImage",
}
"""The type of each field that is an object; all others are text or boolean."""


@dataclass(frozen=True)
class _Shape:
    """What is selected of an object: its type's name where that is asked for, plain fields, and objects below."""

    typename: str
    fields: tuple[tuple[str, str, _Shape | None], ...]

    def of(self, value: Any) -> Any:
        if value is None:
            return None
        if isinstance(value, list):
            return [self.of(one) for one in value]
        return {
            key: self.typename
            if name == TYPENAME
            else getattr(value, name)
            if below is None
            else below.of(getattr(value, name))
            for key, name, below in self.fields
        }


def assembled(selections: Selections, chosen: Fields, found: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the data of an answer, or None where graphql-core has to say what it is."""
    if any(isinstance(value, Exception) for value in found.values()):
        return None
    data: dict[str, Any] = {}
    for key, nodes in chosen.items():
        if nodes[0].name.value == TYPENAME:
            data[key] = "Query"
        elif key in found:
            data[key] = _shape(selections, nodes).of(found[key])
        else:
            return None
    return data


def _shape(selections: Selections, nodes: list[FieldNode]) -> _Shape:
    fields = []
    for key, below in selections.below(nodes).items():
        name = below[0].name.value
        fields.append((key, name, _shape(selections, below) if name in TYPES else None))
    return _Shape(TYPES[nodes[0].name.value], tuple(fields))
