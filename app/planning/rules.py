"""How the pieces of a plan name categories, clusters and members, and which fields a plan changes.

(decisions, section 14)
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from app.core.errors import Problem
from app.core.schemas.loading import Fields

NAMES = {"category": "categoryId", "cluster": "clusterId", "assignee": "assigneeId"}
"""The fields of a piece that name a record, and the field that holds the record's id."""

CHANGED = ("title", "categoryId", "clusterId", "assigneeId", "dueDate")
"""The fields that a plan changes of a document that exists."""

SHOWN = 3
"""How many ids of an ambiguous name a message shows."""

REPEATED = Problem(field="key", message="An earlier piece of this plan has this key: give each piece its own.")
IN_TRASH = Problem(
    field="key", message="A document in the trash has this key: restore that document, or have it purged."
)


Named = Mapping[str, Mapping[str, Collection[str]]]
"""The ids of the records that have a name, by the field of a piece and the name; more than one is ambiguous."""


def names_in(pieces: Iterable[Fields], name: str) -> set[str]:
    """Returns what the pieces send in one of the fields that name a record."""
    return {piece[name] for piece in pieces if piece.get(name) is not None}


def with_ids(piece: Fields, named: Named) -> tuple[dict[str, Any], list[Problem]]:
    """Returns the fields of a piece with ids in place of names, and a problem for each name that gives no id."""
    fields, problems = {name: value for name, value in piece.items() if name not in NAMES}, []
    for name, id_field in NAMES.items():
        if name not in piece:
            continue
        if piece[name] is None:
            fields.setdefault(id_field, None)
        elif id_field in piece:
            problems.append(Problem(field=name, message=f"Send either `{name}` or `{id_field}`."))
        elif len(ids := sorted(named[name].get(piece[name], ()))) == 1:
            fields[id_field] = ids[0]
        else:
            problems.append(Problem(field=name, message=_unclear(name, id_field, ids)))
    return fields, problems


_WORDS = {
    "category": ("category", "categories", "name or slug"),
    "cluster": ("cluster", "clusters", "name"),
    "assignee": ("member", "members", "name or e-mail address"),
}


def _unclear(name: str, id_field: str, ids: list[str]) -> str:
    one, many, named_by = _WORDS[name]
    if not ids:
        return f"No {one} of this project has this {named_by}."
    return f"{len(ids)} {many} have this {named_by}: send the `{id_field}` of one, like {' or '.join(ids[:SHOWN])}."
