"""The members, categories and clusters that pages name: by id, and as choices. Each is read once per page."""

from collections.abc import Mapping
from typing import Any

from flask import g

from app.console.calls import call
from app.console.frame import console
from app.console.sessions import session
from app.operations import categories, clusters, members
from app.operations.operation import Operation

MOST = 500
"""The most that one list returns; a record beyond it is shown as unknown, and can only be chosen elsewhere."""

LISTS: Mapping[str, Operation] = {
    "members": members.list_members,
    "categories": categories.list_categories,
    "clusters": clusters.list_clusters,
}


def named(kind: str) -> dict[str, dict[str, Any]]:
    """Returns the members, categories or clusters of the project by id, in the order of their names."""
    read: dict[str, dict[str, dict[str, Any]]] = g.setdefault("console_lookups", {})
    if kind not in read:
        read[kind] = {record["id"]: record for record in call(LISTS[kind], fields={"limit": MOST}).body}
    return read[kind]


@console.app_template_filter("name_in")
def name_in(record_id: str | None, kind: str) -> str:
    """Returns a record's name; empty for none."""
    if not record_id:
        return ""
    found = named(kind).get(record_id)
    return found["name"] if found else "Unknown"


@console.app_template_global("choices")
def choices(kind: str) -> list[tuple[str, str]]:
    """Returns ids and names to choose from; first the member whose name the token of the signed-in user has."""
    me = session().ctx.caller.name if kind == "members" else None
    own_first = sorted(named(kind).values(), key=lambda record: record["name"] != me)
    return [(record["id"], f"{me} (me)" if record["name"] == me else record["name"]) for record in own_first]
