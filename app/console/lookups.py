"""The members, categories and clusters that pages name, by id and as choices, each read once per page; and documents
by their titles."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from flask import g, jsonify, request, url_for
from werkzeug import Response as BaseResponse

from app.categories import clusters
from app.categories import operations as categories
from app.console.additions import added
from app.console.calls import call
from app.console.frame import console
from app.console.sessions import context
from app.console.words import STATUSES
from app.core.operation import Operation
from app.core.schemas.fields import MAX_LISTED
from app.core.schemas.validation import HEX_ID
from app.delivery.site_addresses import page_url
from app.documents import operations as documents
from app.documents.store import Documents
from app.projects import members
from app.projects.store import Projects

MOST = 500
"""Maximum number of records in one list; a record beyond it is shown as unknown, and can only be chosen elsewhere."""

MOST_FOUND = 8
"""How many documents the command palette, the links of a brief and those of a text offer."""

MOST_SOUGHT = 200
"""Maximum number of characters that are looked for in texts."""

MOST_ABOVE = 10
"""How many levels of categories a name shows."""

LISTS: Mapping[str, Operation[Any]] = {
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
    return _names(kind).get(record_id, "Unknown")


@console.app_template_global("choices")
def choices(kind: str) -> list[tuple[str, str]]:
    """Returns ids and names to choose from; first the member whose name the token of the signed-in user has."""
    names = _names(kind)
    if kind == "categories":
        return sorted(names.items(), key=lambda one: one[1].casefold())
    me = context().caller.name if kind == "members" else None
    own_first = sorted(names.items(), key=lambda one: one[1] != me)
    return [(record_id, f"{me} (me)" if name == me else name) for record_id, name in own_first]


@console.app_template_global("category_filters")
def category_filters() -> list[tuple[str, str]]:
    """Returns the categories to filter by; the name says whether a filter by one brings those below it."""
    whole = whole_categories()
    return [(one, f"{name} and all below" if one in whole else name) for one, name in choices("categories")]


def whole_categories() -> dict[str, list[str]]:
    """Returns the ids of each category and all below it, for those that have some, and no more than a list takes."""
    below: dict[str | None, list[str]] = {}
    for one in named("categories").values():
        below.setdefault(one["categoryId"], []).append(one["id"])
    found = {one: _with_below(one, below) for one in below if one}
    return {one: ids for one, ids in found.items() if len(ids) <= MAX_LISTED}


def _with_below(category_id: str, below: Mapping[str | None, Sequence[str]]) -> list[str]:
    """Returns the ids of a category and of those below it; of very many the first."""
    ids = [category_id]
    for above in ids:  # which grows meanwhile
        if len(ids) <= MAX_LISTED:
            ids += below.get(above, ())
    return ids


@console.app_template_global("values_of")
def values_of(field: Literal["title", "status"], ids: Iterable[str]) -> dict[str, str]:
    """Returns a field of documents by id; what is not the id of one is left out."""
    ctx, wanted = context(), [one for one in ids if HEX_ID.fullmatch(one)]
    if not wanted:
        return {}
    return {row["id"]: row[field] for row in ctx.store[Documents].get_links(ctx.project_id, wanted)}


@console.get("/find")
def find_documents() -> BaseResponse:
    """Returns, as JSON, the documents that a search finds, or those changed last."""
    fields: dict[str, Any] = {"sort": "-updatedAt", "limit": MOST_FOUND}
    sought = request.args.get("q", "").strip()
    by_name = {"q": sought} if sought else {}
    found = {one["id"]: one for one in call(documents.list_documents, fields=fields | by_name).body}
    sentences: dict[str, Any] = {}
    for name in added("filters") if sought and "texts" in request.args else ():
        chosen = {name: sought[:MOST_SOUGHT]}
        more = call(documents.list_documents, fields=fields | chosen).body
        sentences |= added("sentences", [one["id"] for one in more], chosen)
        found |= {one["id"]: one for one in more}
    site = context().store[Projects].recent_settings(context().project_id).get("siteUrl")
    return jsonify(
        [
            {
                "id": one["id"],
                "title": one["title"],
                "status": STATUSES[one["status"]],
                "url": url_for("console.show_document", id=one["id"]),
                "address": page_url(site, one["slug"]) if site else quote(one["slug"], safe=""),
                "sentence": sentences.get(one["id"]),
            }
            for one in found.values()
        ]
    )


@console.get("/names")
def member_names() -> BaseResponse:
    """Returns, as JSON, the names of members, to be completed after an `@`."""
    return jsonify([member["name"] for member in named("members").values()])


def _names(kind: str) -> dict[str, str]:
    """Returns names by id; a subcategory's name includes those of its parents, since names may repeat."""
    names: dict[str, dict[str, str]] = g.setdefault("console_names", {})
    if kind not in names:
        records = named(kind)
        names[kind] = {record_id: " › ".join(_path(records, record_id)) for record_id in records}
    return names[kind]


def _path(records: Mapping[str, Mapping[str, Any]], record_id: str) -> list[str]:
    """Returns the names of a record and of those above it, the topmost first."""
    path: list[str] = []
    above: str | None = record_id
    while above is not None and above in records and len(path) < MOST_ABOVE:
        path.insert(0, records[above]["name"])
        above = records[above].get("categoryId")
    return path
