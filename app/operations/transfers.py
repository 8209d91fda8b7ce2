"""A whole project taken out as lines of JSON, and into any project again (decisions, section 10).

Exports have settings, members, categories, clusters, and documents with their trash, texts and versions; no tokens,
drafts, webhooks and events. Ids are kept where they are free, so that a project that is taken into an empty database
exports the same bytes again; where another project has them, new ones stand for them throughout. A document comes in
when its last line does, so an import that was interrupted is run again: what is there already is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from app.errors import HttpApiDecodeError, WriteConflict
from app.fields.loading import load, problems
from app.fields.transfers import FORMAT, LINES
from app.operations.context import Context
from app.rules.caps import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.rules.events import Event
from app.rules.publishing import rendered
from app.rules.transfers import line_of, record_of, renamed
from app.store.store import Store

Line = dict[str, Any]

CHUNK_LINES, CHUNK_BYTES = 500, 8_000_000


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
    """Takes the lines of an export into a project, some hundred at a time."""

    def __init__(self, ctx: Context) -> None:
        self.done = Imported()
        self._ctx = ctx
        self._store, self._project = ctx.store, ctx.project_id
        self._ids: dict[tuple[str, str], str] = {}
        self._small: dict[str, Callable[[Line], bool | None]] = {
            "export": lambda line: None,
            "project": self._settings,
            "member": self._member,
            "category": self._category,
            "cluster": self._cluster,
        }

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Takes lines in and yields how many bytes they had; `done` says what came of each, bad ones stop no others."""
        for chunk in _chunks(enumerate(lines, 1)):
            self._take(chunk)
            yield sum(len(text) for _, text in chunk)
        with self._store.deadline():
            self._store.projects.delivery_changed(self._project)

    def _take(self, chunk: Sequence[tuple[int, bytes]]) -> None:
        lines: list[tuple[int, Line]] = []
        for number, text in chunk:
            try:
                lines += [(number, _read(text))] if text.strip() else []
            except _Unfit as unfit:
                self.done.refused.append(Refused(number, unfit.what, unfit.why))
        with self._store.deadline():
            self._learn_ids(line for _, line in lines)
        for number, line in lines:
            if take := self._small.get(line["type"]):
                self._one(number, line, take)
        self._documents([(number, self._renamed(line)) for number, line in lines if line["type"] not in self._small])

    def _one(self, number: int, line: Line, take: Callable[[Line], bool | None]) -> None:
        try:
            with self._store.deadline():
                created = take(self._renamed(line))
        except _Unfit as unfit:
            self.done.refused.append(Refused(number, unfit.what, unfit.why))
        except WriteConflict:
            self.done.refused.append(Refused(number, _named(line), _RACED))
        else:
            if created is not None:
                self._count(line["type"], created)

    def _count(self, kind: str, created: bool) -> None:
        counts = self.done.created if created else self.done.unchanged
        counts[kind] = counts.get(kind, 0) + 1

    def _learn_ids(self, lines: Iterable[Line]) -> None:
        """Learns, in one call a collection, under which ids what the lines name is kept."""
        unknown: dict[str, set[str]] = {}

        def note(collection: str, old: str) -> str:
            if (collection, old) not in self._ids:
                unknown.setdefault(collection, set()).add(old)
            return old

        for line in lines:
            renamed(line["type"], line, note)
        for collection, old in unknown.items():
            new = self._store.transfers.new_ids(self._project, collection, old)
            self._ids |= {(collection, one): new[one] for one in old}

    def _renamed(self, line: Line) -> Line:
        return renamed(line["type"], line, lambda collection, old: self._ids[collection, old])

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
        return self._is_new("member", line, there)

    def _category(self, line: Line) -> bool:
        there = self._store.categories.get(self._project, line["id"])
        if there is None and (other := self._store.categories.by_slug(self._project, line["slug"])):
            return self._stands_for("categories", line, other)
        if there is None:
            if line["categoryId"] and self._store.categories.get(self._project, line["categoryId"]) is None:
                raise _Unfit(line, "Its parent is no category of this project.")
            if self._store.categories.count(self._project) >= CATEGORIES_PER_PROJECT:
                raise _Unfit(line, f"The project has {CATEGORIES_PER_PROJECT:,} categories, the most there may be.")
            self._store.categories.add(self._project, record_of("category", line), self._event("category.created"))
        return self._is_new("category", line, there)

    def _cluster(self, line: Line) -> bool:
        there = self._store.clusters.get(self._project, line["id"])
        if there is None and (other := self._store.clusters.by_name(self._project, line["name"])):
            return self._stands_for("clusters", line, other)
        if there is None:
            self._store.in_transaction(lambda store: self._add_cluster(store, line))
        return self._is_new("cluster", line, there)

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

    def _is_new(self, kind: str, line: Line, there: Mapping[str, Any] | None) -> bool:
        """Returns whether a record was made; one that was there and differs from its line is noted."""
        if there is not None and line_of(kind, there) != line:
            self.done.differing.append(_named(line))
        return there is None

    def _documents(self, lines: Sequence[tuple[int, Line]]) -> None:
        """Takes in texts, versions and documents: texts first, so that a document never stands without them."""
        if not lines:
            return
        with self._store.deadline():
            ids = {line.get("documentId") or line["id"] for _, line in lines}
            there = self._store.documents.all_of(self._project, ids)
            for kind, collection in (("body", "bodies"), ("revision", "revisions")):
                rows = [line for _, line in lines if line["type"] == kind and line["documentId"] not in there]
                self._store.transfers.keep(self._project, collection, [record_of(kind, row) for row in rows])
            documents = [(number, line) for number, line in lines if line["type"] == "document"]
            for _, line in documents:
                if line["id"] in there:
                    self._count("document", self._is_new("document", line, there[line["id"]]))
            self._add_documents([(number, line) for number, line in documents if line["id"] not in there])

    def _add_documents(self, lines: Sequence[tuple[int, Line]]) -> None:
        taken = self._store.documents.taken_slugs(self._project, [one for _, line in lines for one in _slugs(line)])
        named = {text for _, line in lines for text in (line["contentId"], (line["snapshot"] or {}).get("markdownId"))}
        texts = self._store.transfers.kept(self._project, [one for one in named if one])
        rows = []
        for number, line in lines:
            try:
                rows.append(self._document(line, taken, texts))
            except _Unfit as unfit:
                self._store.transfers.forget(self._project, line["id"])
                self.done.refused.append(Refused(number, unfit.what, unfit.why))
            else:
                taken |= set(_slugs(line))
                self._count("document", True)
        event = self._event("document.created")
        self._store.in_transaction(lambda store: store.documents.add_many(self._project, rows, event))

    def _document(self, line: Line, taken: set[str], texts: set[str]) -> dict[str, Any]:
        """Returns the record that a line becomes. Raises `_Unfit` where it does not fit into the project."""
        record = record_of("document", line)
        snapshot = record["snapshot"]
        if conflict := taken & set(_slugs(line)):
            raise _Unfit(line, f"Another document has the slug {min(conflict)!r}.")
        if record["isPublished"] != (snapshot is not None):
            raise _Unfit(line, "It must have a snapshot if and only if it is published.")
        category = self._found(line, "categoryId", self._store.categories.get)
        self._found(line, "clusterId", self._store.clusters.get)
        if any(one and one not in texts for one in (record["contentId"], (snapshot or {}).get("markdownId"))):
            raise _Unfit(line, "A text that it names is missing: it has to stand above it.")
        if snapshot is not None:
            record["snapshot"] = snapshot | self._delivered(line, snapshot["markdownId"])
        if record["brief"] is None:
            del record["brief"]
        slugs = sorted({record["slug"], (snapshot or record)["slug"]})
        published_at = snapshot and snapshot["publishedAt"]
        return record | {"slugs": slugs, "publishedAt": published_at, "categoryName": category and category["name"]}

    def _found(self, line: Line, name: str, get: Callable[[str, str], Any]) -> Any:
        if line[name] is None:
            return None
        found = get(self._project, line[name])
        if found is None and line["deletedAt"] is None:
            raise _Unfit(line, f"Its {name} leads to nothing in this project.")
        return found

    def _delivered(self, line: Line, markdown_id: str) -> dict[str, Any]:
        text = rendered(self._store.bodies.texts(self._project, [markdown_id])[markdown_id])
        if text is None:
            raise _Unfit(line, "Its html would be over 15 MB.")
        html_id = self._store.bodies.add(self._project, line["id"], text.html)
        return {"htmlId": html_id, "htmlBytes": text.html_bytes, "markdownBytes": text.markdown_bytes}


_RACED = "Another record was made in its place meanwhile: run the import again."


def _slugs(line: Line) -> set[str]:
    """Returns the slugs that a document holds: none in the trash."""
    return set() if line["deletedAt"] else {line["slug"], (line["snapshot"] or line)["slug"]}


def _chunks(lines: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Yields lines in pieces that are worth a few calls and fit into memory."""
    chunk: list[tuple[int, bytes]] = []
    size = 0
    for number, text in lines:
        chunk.append((number, text))
        size += len(text)
        if len(chunk) == CHUNK_LINES or size > CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


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
        shaped = load(table, line)
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
