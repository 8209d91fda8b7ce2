"""Categories and clusters: listed, made through drafts, changed, deleted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, require
from app.console.forms import changed_fields, form_of, leads_to, lines, text
from app.console.frame import console, done, page
from app.console.lookups import named
from app.console.sessions import context
from app.core.errors import Refusal
from app.core.operation import Operation
from app.core.slugs import slug_of
from app.intents import operations as intents


@dataclass(frozen=True)
class Filing:
    """A kind of record that documents are filed under, categories or clusters, with the fields of its form."""

    one: str
    texts: tuple[str, ...]
    lists: tuple[str, ...] = ()

    def operation(self, name: str) -> Operation[Any]:
        """Returns the operation of this kind, by its name with `{}` in place of the kind."""
        return context().features.by_name[name.format(self.one)]


FILINGS: Mapping[str, Filing] = {
    "categories": Filing("category", ("name", "slug", "categoryId", "description")),
    "clusters": Filing("cluster", ("name", "description"), ("keywords",)),
}
KIND = "<any(categories, clusters):kind>"


@console.get(f"/plan/{KIND}")
def show_filing(kind: str) -> Response:
    """Lists the categories or clusters, with a form for another."""
    require(FILINGS[kind].operation("create_{}_intent"))
    return page("filing.html", kind=kind, filing=FILINGS[kind], rows=list(_as_tree(named(kind))))


@console.post(f"/plan/{KIND}")
@form_of(show_filing)
def add_filing(kind: str) -> BaseResponse:
    """Makes a category or a cluster."""
    filing = FILINGS[kind]
    sent = {name: text(name) for name in filing.texts} | {name: lines(name) for name in filing.lists}
    made = make_filing(kind, {name: value for name, value in sent.items() if value})
    return done(f"{made['name']} is added.", url_for("console.show_filing", kind=kind))


def make_filing(kind: str, fields: dict[str, Any]) -> Mapping[str, Any]:
    """Makes a category or a cluster through a draft, which is discarded where it can't be confirmed."""
    filing = FILINGS[kind]
    if kind == "categories" and fields.get("name") and "slug" not in fields:
        fields["slug"] = slug_of(fields["name"])
    draft = call(filing.operation("create_{}_intent"), fields=fields, once=True).body
    try:
        confirmed: Mapping[str, Any] = call(intents.confirm_intent, draft["id"], fields={}, once=True).body
    except Refusal:
        call(intents.discard_intent, draft["id"], fields={})
        raise
    made: Mapping[str, Any] = confirmed[filing.one]
    return made


@console.get(f"/plan/{KIND}/<id>")
def edit_filing(kind: str, id: str) -> Response:
    """Shows the form with a category or a cluster."""
    filing = FILINGS[kind]
    require(filing.operation("update_{}"))
    return page("filing_edit.html", kind=kind, filing=filing, record=call(filing.operation("get_{}"), id).body)


@console.post(f"/plan/{KIND}/<id>")
@form_of(edit_filing)
def change_filing(kind: str, id: str) -> BaseResponse:
    """Changes those fields that differ from what the form was shown with."""
    filing = FILINGS[kind]
    record = call(filing.operation("update_{}"), id, fields=changed_fields(filing.texts, filing.lists)).body
    return done(f"{record['name']} is saved.", url_for("console.show_filing", kind=kind))


@console.post(f"/plan/{KIND}/<id>/delete")
@leads_to("edit_filing", "kind", "id")
def delete_filing(kind: str, id: str) -> BaseResponse:
    """Deletes a category or a cluster that nothing uses."""
    deleted = call(FILINGS[kind].operation("delete_{}"), id).body
    return done(f"{deleted['name']} is deleted.", url_for("console.show_filing", kind=kind))


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
