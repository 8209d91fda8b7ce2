"""A whole project taken out as lines of JSON, and into any project again (decisions, section 10).

Exports have settings, members, categories, clusters, and documents with their trash, texts and versions; no tokens,
drafts, webhooks and events. Ids are kept where they are free, so that a project that is taken into an empty database
exports the same bytes again; where another project has them, new ones stand for them throughout. A document comes in
when its last line does, so an import that was interrupted is run again: what is there already is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from app.errors import HttpApiDecodeError, Raced
from app.fields.stages import load_shape, problems
from app.fields.transfers import FORMAT, LINES
from app.operations.context import Context
from app.rules.caps import CLUSTERS_PER_PROJECT
from app.rules.events import Event
from app.rules.publishing import rendered
from app.rules.transfers import line_of, record_of, renamed
from app.store.store import Store

Line = dict[str, Any]


def export_project(store: Store, project_id: str) -> Iterator[bytes]:
    """Yields a project as lines of JSON, as it was at one instant; holds one document's history at a time."""
    with store.transfers.at_one_instant() as reader:
        yield _line({"type": "export", "version": FORMAT})
        for settings in reader.records(project_id, "projects"):
            yield _line(line_of("project", settings))
        for member in reader.records(project_id, "members"):
            yield _line(line_of("member", member))
        for category in _parents_first(list(reader.records(project_id, "categories"))):
            yield _line(line_of("category", category))
        for cluster in reader.records(project_id, "clusters"):
            yield _line(line_of("cluster", cluster))
        for document, revisions, bodies in reader.documents(project_id):
            markdown = {revision["bodyId"] for revision in revisions}
            yield from (_line(line_of("body", body)) for body in bodies if body["id"] in markdown)
            yield from (_line(line_of("revision", revision)) for revision in revisions)
            yield _line(line_of("document", document))


@dataclass
class Refused:
    """A line that was not taken in, and why."""

    number: int
    what: str
    why: str


@dataclass
class Imported:
    """What an import did, by type of line."""

    created: dict[str, int] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)
    """Records that are there already and differ from their lines; they were left as they are."""
    refused: list[Refused] = field(default_factory=list)


class ProjectImport:
    """Takes the lines of an export into a project, one after the other."""

    def __init__(self, ctx: Context) -> None:
        self.done = Imported()
        self._ctx = ctx
        self._store, self._project = ctx.store, ctx.project_id
        self._ids: dict[tuple[str, str], str] = {}
        self._there: dict[str, bool] = {}
        self._take: dict[str, Callable[[Line], bool | None]] = {
            "export": lambda line: None,
            "project": self._settings,
            "member": self._member,
            "category": self._category,
            "cluster": self._cluster,
            "body": self._body,
            "revision": self._revision,
            "document": self._document,
        }

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Takes lines in and yields the length of each; `done` says what came of them, and a bad one stops no other."""
        for number, text in enumerate(lines, 1):
            if text.strip():
                self._one(number, text)
            yield len(text)
        with self._store.deadline():
            self._store.projects.delivery_changed(self._project)

    def _one(self, number: int, text: bytes) -> None:
        try:
            line = _read(text)
            with self._store.deadline():
                created = self._take[line["type"]](self._renamed(line))
        except _Unfit as unfit:
            self.done.refused.append(Refused(number, unfit.what, unfit.why))
        except Raced:
            self.done.refused.append(
                Refused(number, _named(line), "Another record was made in its place: run it again.")
            )
        else:
            if created is not None:
                count = self.done.created if created else self.done.unchanged
                count[line["type"]] = count.get(line["type"], 0) + 1

    def _renamed(self, line: Line) -> Line:
        return renamed(line["type"], line, self._new_id)

    def _new_id(self, collection: str, old: str) -> str:
        key = (collection, old)
        if key not in self._ids:
            self._ids |= {
                (collection, one): new
                for one, new in self._store.transfers.new_ids(self._project, collection, [old]).items()
            }
        return self._ids[key]

    def _event(self, kind: str) -> Event:
        return Event(kind, self._ctx.now, self._ctx.caller.actor, {"imported": True})

    def _settings(self, line: Line) -> bool:
        changes = {
            name: value for name, value in record_of("project", line).items() if value is not None or name != "name"
        }
        event = Event("project.updated", self._ctx.now, self._ctx.caller.actor)
        return self._store.projects.update(self._project, changes, event, self._ctx.now, None) is not None

    def _member(self, line: Line) -> bool:
        there = self._store.members.any(self._project, line["id"])
        if there is None:
            self._store.members.add(self._project, record_of("member", line), self._event("member.created"))
        return self._same("member", line, there)

    def _category(self, line: Line) -> bool:
        there = self._store.categories.get(self._project, line["id"])
        if there is None and (other := self._store.categories.by_slug(self._project, line["slug"])):
            return self._stands_for("categories", line, other)
        if there is None:
            if line["categoryId"] and self._store.categories.get(self._project, line["categoryId"]) is None:
                raise _Unfit(line, "Its parent is no category of this project.")
            self._store.categories.add(self._project, record_of("category", line), self._event("category.created"))
        return self._same("category", line, there)

    def _cluster(self, line: Line) -> bool:
        there = self._store.clusters.get(self._project, line["id"])
        if there is None and (other := self._store.clusters.by_name(self._project, line["name"])):
            return self._stands_for("clusters", line, other)
        if there is None:
            self._store.in_transaction(lambda store: self._add_cluster(store, line))
        return self._same("cluster", line, there)

    def _add_cluster(self, store: Store, line: Line) -> None:
        if not store.projects.count_up(self._project, "clusters", CLUSTERS_PER_PROJECT):
            raise _Unfit(line, f"The project has {CLUSTERS_PER_PROJECT} clusters, the most there may be.")
        store.clusters.add(self._project, record_of("cluster", line), self._event("cluster.created"))

    def _stands_for(self, collection: str, line: Line, other: Mapping[str, Any]) -> bool:
        """Has a record that the project has under the same name stand for the one of the line."""
        for key, new in self._ids.items():
            if key[0] == collection and new == line["id"]:
                self._ids[key] = other["id"]
        return False

    def _body(self, line: Line) -> None:
        if not self._is_there(line["documentId"]):
            self._store.transfers.keep(self._project, "bodies", record_of("body", line))

    def _revision(self, line: Line) -> None:
        if not self._is_there(line["documentId"]):
            self._store.transfers.keep(self._project, "revisions", record_of("revision", line))

    def _is_there(self, document_id: str) -> bool:
        """Tells whether the document whose lines go on was there before; asked once a document."""
        if document_id not in self._there:
            self._there = {document_id: self._store.documents.any(self._project, document_id) is not None}
        return self._there[document_id]

    def _document(self, line: Line) -> bool:
        there = self._store.documents.any(self._project, line["id"])
        if there is None:
            try:
                self._add_document(line)
            except (_Unfit, Raced):
                self._store.transfers.forget(self._project, line["id"])
                raise
        return self._same("document", line, there)

    def _add_document(self, line: Line) -> None:
        record = record_of("document", line)
        slugs = sorted({record["slug"], (record["snapshot"] or record)["slug"]})
        if record["deletedAt"] is None and (taken := self._store.documents.taken_slugs(self._project, slugs)):
            raise _Unfit(line, f"Another document has the slug {min(taken)!r}.")
        category = self._found(line, "categoryId", self._store.categories.get)
        self._found(line, "clusterId", self._store.clusters.get)
        if record["isPublished"] != (record["snapshot"] is not None):
            raise _Unfit(line, "It must have a snapshot if and only if it is published.")
        named = [record["contentId"], (record["snapshot"] or {}).get("markdownId")]
        texts = self._store.bodies.texts(self._project, [one for one in named if one])
        if any(one and one not in texts for one in named):
            raise _Unfit(line, "A text that it names is missing: it has to stand above it.")
        record["publishedAt"] = (record["snapshot"] or {}).get("publishedAt")
        if snapshot := record["snapshot"]:
            record["snapshot"] = snapshot | self._delivered(line, texts[snapshot["markdownId"]])
        if record["brief"] is None:
            del record["brief"]
        name = category and category["name"]
        event = self._event("document.created")
        self._store.documents.add(self._project, record | {"slugs": slugs, "categoryName": name}, event)

    def _found(self, line: Line, name: str, get: Callable[[str, str], Any]) -> Any:
        if line[name] is None:
            return None
        found = get(self._project, line[name])
        if found is None and line["deletedAt"] is None:
            raise _Unfit(line, f"Its {name} leads to nothing in this project.")
        return found

    def _delivered(self, line: Line, markdown: str) -> dict[str, Any]:
        text = rendered(markdown)
        if text is None:
            raise _Unfit(line, "Its html would be over 15 MB.")
        html_id = self._store.bodies.add(self._project, line["id"], text.html)
        return {"htmlId": html_id, "htmlBytes": text.html_bytes, "markdownBytes": text.markdown_bytes}

    def _same(self, kind: str, line: Line, there: Mapping[str, Any] | None) -> bool:
        """Returns whether a record was made; one that was there and differs from its line is noted."""
        if there is not None and line_of(kind, there) != line:
            self.done.differing.append(_named(line))
        return there is None


class _Unfit(Exception):
    """A line can't be taken in."""

    def __init__(self, line: Mapping[str, Any], why: str) -> None:
        self.what, self.why = _named(line), why


def _read(text: bytes) -> Line:
    """Returns a line with every field of its table, null where it has none. Raises `_Unfit` with all that is wrong."""
    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _Unfit({}, f"Is not JSON: {error}.") from None
    if not isinstance(line, dict) or line.get("type") not in LINES:
        raise _Unfit({}, f"Must be an object whose `type` is one of {', '.join(LINES)}.")
    table = LINES[line["type"]]
    try:
        shaped = load_shape(table, line)
    except HttpApiDecodeError as error:
        raise _Unfit(
            line, "; ".join(f"{issue['path']}: {issue['message']}" for issue in error.extra["issues"])
        ) from None
    if wrong := problems(table, {name: value for name, value in shaped.items() if value is not None}):
        raise _Unfit(line, "; ".join(f"{problem['field']}: {problem['message']}" for problem in wrong))
    return line_of(line["type"], shaped)


def _named(line: Mapping[str, Any]) -> str:
    name = line.get("slug") or line.get("name") or line.get("id") or line.get("documentId") or ""
    return f"{line.get('type', 'line')} {name}".strip()


def _line(record: Line) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def _parents_first(categories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns categories with each parent before its subcategories, by id among equals."""
    parents = {category["id"]: category["categoryId"] for category in categories}

    def depth(one: str | None) -> int:
        steps = 0
        while one is not None and steps <= len(parents):
            one, steps = parents.get(one), steps + 1
        return steps

    return sorted(categories, key=lambda category: (depth(category["id"]), category["id"]))
