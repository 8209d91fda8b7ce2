"""Categories and clusters: listed, made through drafts, changed, deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.documents import changed_fields
from app.console.frame import call, console, done, page, problems_of, require, said_by
from app.console.lookups import named
from app.errors import NotFound, Refusal
from app.operations import categories, clusters, intents
from app.operations.operation import Operation
from app.rules.slugs import slug_of


@dataclass(frozen=True)
class Filing:
    """What documents are filed under: categories, or clusters."""

    one: str
    fields: tuple[str, ...]
    get: Operation
    draft: Operation
    change: Operation
    delete: Operation


FILINGS: Mapping[str, Filing] = {
    "categories": Filing(
        "category",
        ("name", "slug", "categoryId", "description"),
        categories.get_category,
        intents.create_category_intent,
        categories.update_category,
        categories.delete_category,
    ),
    "clusters": Filing(
        "cluster",
        ("name", "keywords", "description"),
        clusters.get_cluster,
        intents.create_cluster_intent,
        clusters.update_cluster,
        clusters.delete_cluster,
    ),
}
KIND = "<any(categories, clusters):kind>"


@console.get(f"/plan/{KIND}")
def show_filing(kind: str) -> Response:
    """Lists the categories or clusters, with a form for another."""
    require(FILINGS[kind].draft)
    return _list(kind, {})


@console.post(f"/plan/{KIND}")
def add_filing(kind: str) -> BaseResponse:
    """Makes a category or a cluster through a draft, which is discarded where it can't be confirmed."""
    filing = FILINGS[kind]
    fields = {name: value for name, value in _sent(filing).items() if value}
    if kind == "categories" and fields.get("name") and "slug" not in fields:
        fields["slug"] = slug_of(fields["name"])
    try:
        draft = call(filing.draft, fields=fields, once=True).body
        try:
            made = call(intents.confirm_intent, draft["id"], fields={}, once=True).body[filing.one]
        except Refusal:
            call(intents.discard_intent, draft["id"], fields={})
            raise
    except Refusal as refusal:
        return _list(kind, request.form.to_dict(), refusal)
    return done(f"{made['name']} is added.", url_for("console.show_filing", kind=kind))


@console.get(f"/plan/{KIND}/<id>")
def edit_filing(kind: str, id: str) -> Response:
    """Shows the form with a category or a cluster."""
    require(FILINGS[kind].change)
    record = call(FILINGS[kind].get, id).body
    values = _as_form(record)
    return page("filing_edit.html", kind=kind, filing=FILINGS[kind], record=record, values=values, was=values)


@console.post(f"/plan/{KIND}/<id>")
def change_filing(kind: str, id: str) -> BaseResponse:
    """Changes those fields that differ from what the form was shown with."""
    filing = FILINGS[kind]
    fields = changed_fields(filing.fields)
    if "keywords" in fields:
        fields["keywords"] = _lines(fields["keywords"])
    try:
        record = call(filing.change, id, fields=fields).body
    except NotFound:
        raise
    except Refusal as refusal:
        record = call(filing.get, id).body
        was = {name: request.form.get(f"was.{name}", "") for name in filing.fields}
        return page(
            "filing_edit.html", refusal.status, kind=kind, filing=filing, record=record, values=request.form.to_dict(),
            was=was, problems=problems_of(refusal), said=refusal.message,
        )  # fmt: skip
    return done(f"{record['name']} is saved.", url_for("console.show_filing", kind=kind))


@console.post(f"/plan/{KIND}/<id>/delete")
def delete_filing(kind: str, id: str) -> BaseResponse:
    """Deletes a category or a cluster that nothing uses."""
    try:
        deleted = call(FILINGS[kind].delete, id).body
    except Refusal as refusal:
        return done(said_by(refusal), url_for("console.edit_filing", kind=kind, id=id), ok=False)
    return done(f"{deleted['name']} is deleted.", url_for("console.show_filing", kind=kind))


def _list(kind: str, values: Mapping[str, Any], refusal: Refusal | None = None) -> Response:
    return page(
        "filing.html",
        refusal.status if refusal else 200,
        kind=kind,
        filing=FILINGS[kind],
        rows=list(_as_tree(named(kind))),
        values=values,
        problems=problems_of(refusal) if refusal else {},
        said=refusal.message if refusal else "",
    )


def _as_tree(records: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yields records with their depth, each after the one above it, by name."""
    below: dict[str, list[Mapping[str, Any]]] = {}
    for record in records.values():
        parent = record.get("categoryId") or ""
        below.setdefault(parent if parent in records else "", []).append(record)
    waiting = [(0, record) for record in reversed(below.get("", []))]
    while waiting:
        depth, record = waiting.pop()
        yield depth, record
        waiting += [(depth + 1, one) for one in reversed(below.get(record["id"], []))]


def _sent(filing: Filing) -> dict[str, Any]:
    form = {name: request.form.get(name, "").replace("\r\n", "\n").strip() for name in filing.fields}
    return {name: _lines(value) if name == "keywords" else value for name, value in form.items()}


def _lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def _as_form(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a record as its form shows it: keywords as lines."""
    return {**record, "keywords": "\n".join(record.get("keywords") or ())}
