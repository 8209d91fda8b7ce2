"""Exports a whole project as lines of JSON, and imports them into any project (decisions, section 10).

An export has settings, members, categories, clusters, and documents with their trash, texts and versions; no tokens,
drafts, webhooks and events. Ids stay the same where they are free, so that a project that is imported into an empty
database exports the same bytes again; an id that another project has is replaced by a new one throughout. A document
is imported with its last line, so an interrupted import is run again: records that exist stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson

from app.errors import HttpApiDecodeError, WriteConflict
from app.fields.loading import instance, load, problems
from app.fields.transfers import FORMAT, LINES
from app.operations.context import Context
from app.rules.caps import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.rules.events import Event
from app.rules.publishing import delivered_words, rendered
from app.rules.text import word_count
from app.rules.transfers import line_of, parents_first, record_of, renamed, slugs_of, texts_of
from app.store.store import Store
from app.vocabulary import BriefState, DocumentStatus

T = TypeVar("T")
Line = dict[str, Any]
Existing = Mapping[str, Any] | None
Reading = Sequence[tuple[int, Line]]

CHUNK_LINES, CHUNK_BYTES = 500, 8_000_000
MAX_LINE_BYTES = 32 * 1024 * 1024
"""The longest text is 8 MB in UTF-8, and three times that with JSON's escapes."""
TRIES = 10
MAX_WHY = 1_000


def export_project(store: Store, project_id: str) -> Iterator[bytes]:
    """Yields a project as lines of JSON, as it is when the first is read; holds one document's history at a time."""
    yield _to_json({"type": "export", "version": FORMAT})
    with store.transfers.snapshot(project_id) as snapshot:
        for settings in snapshot.records("projects"):
            yield _to_json(line_of("project", settings))
        for member in snapshot.records("members"):
            yield _to_json(line_of("member", member))
        for category in parents_first(list(snapshot.records("categories"))):
            yield _to_json(line_of("category", category))
        for cluster in snapshot.records("clusters"):
            yield _to_json(line_of("cluster", cluster))
        for document, revisions, bodies in snapshot.documents():
            markdown = {revision["bodyId"] for revision in revisions}
            yield from (_to_json(line_of("body", body)) for body in bodies if body["id"] in markdown)
            yield from (_to_json(line_of("revision", revision)) for revision in revisions)
            yield _to_json(line_of("document", document))


@dataclass
class Refused:
    """A line that was not imported, and why."""

    number: int
    what: str
    why: str


@dataclass
class Imported:
    """What an import did, by type of line."""

    created: dict[str, int] = field(default_factory=dict)
    unchanged: dict[str, int] = field(default_factory=dict)
    differing: list[str] = field(default_factory=list)
    """Records that exist and differ from their lines; they were left as they are."""
    refused: list[Refused] = field(default_factory=list)


class ProjectImport:
    """Imports the lines of an export into a project, some hundred at a time."""

    def __init__(self, ctx: Context) -> None:
        self.done = Imported()
        self._ctx = ctx
        self._store, self._project = ctx.store, ctx.project_id
        self._ids: dict[tuple[str, str], str] = {}
        """The id in this project of each id in the lines, by collection."""
        self._add: dict[str, Callable[[Store, Line], Existing]] = {
            "project": self._add_settings,
            "member": self._add_member,
            "category": self._add_category,
            "cluster": self._add_cluster,
        }

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Imports lines and yields how many bytes they have; `done` has the outcomes. A bad line stops no other."""
        for chunk in _chunks(enumerate(lines, 1)):
            self._take(chunk)
            yield sum(len(text) for _, text in chunk)

    def _take(self, chunk: Sequence[tuple[int, bytes]]) -> None:
        lines: list[tuple[int, Line]] = []
        for number, text in chunk:
            try:
                lines += [(number, _read(text))] if text.strip() else []
            except _Unfit as unfit:
                self._refuse(number, unfit)
        with self._store.deadline():
            self._learn_ids(line for _, line in lines)
        of_documents = []
        for number, line in lines:
            if line["type"] in self._add:
                self._one(number, self._renamed(line))
            elif line["type"] != "export":
                of_documents.append((number, line))
        while of_documents:
            now, of_documents = _each_once(of_documents)
            self._documents([(number, self._renamed(line)) for number, line in now])

    def _one(self, number: int, line: Line) -> None:
        def add(store: Store) -> Existing:
            existing = self._add[line["type"]](store, line)
            if existing is None:
                store.projects.delivery_changed(self._project)
            return existing

        try:
            self._count(line, self._in_transaction(add))
        except _Unfit as unfit:
            self._refuse(number, unfit)
        except WriteConflict:
            self._refuse(number, _Unfit(line, _CONFLICT))

    def _in_transaction(self, run: Callable[[Store], T]) -> T:
        """Returns what `run` returns inside a transaction; runs it again when another write came first."""
        for _ in range(TRIES):
            try:
                with self._store.deadline():
                    return self._store.in_transaction(run)
            except WriteConflict:
                continue
        raise WriteConflict

    def _refuse(self, number: int, unfit: _Unfit) -> None:
        self.done.refused.append(Refused(number, unfit.what, unfit.why))

    def _count(self, line: Line, existing: Existing) -> None:
        """Counts a record as created or as there already, and notes one that differs or has another id."""
        kind = line["type"]
        counts = self.done.created if existing is None else self.done.unchanged
        counts[kind] = counts.get(kind, 0) + 1
        if existing is None or kind == "project":
            return
        if existing["id"] != line["id"]:
            self._ids |= {key: existing["id"] for key, new in self._ids.items() if new == line["id"]}
        elif line_of(kind, existing) != line:
            self.done.differing.append(_named(line))

    def _learn_ids(self, lines: Iterable[Line]) -> None:
        """Learns, in one query a collection, the ids in this project of the records that lines name."""
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
        return self._ctx.event(kind, {"imported": True})

    def _add_settings(self, store: Store, line: Line) -> Existing:
        fields = instance(LINES["project"]).fields
        settings = record_of("project", line).items()
        changes = {name: value for name, value in settings if value is not None or fields[name].allow_none}
        event = self._ctx.event("project.updated")
        changed = store.projects.update(self._project, self._project, changes, event, None)
        return None if changed else store.projects.settings(self._project)

    def _add_member(self, store: Store, line: Line) -> Existing:
        existing = store.members.get_including_deleted(self._project, line["id"])
        if existing is None:
            store.members.add(self._project, record_of("member", line), self._event("member.created"))
        return existing

    def _add_category(self, store: Store, line: Line) -> Existing:
        existing = store.categories.get(self._project, line["id"]) or store.categories.get_by_slug(
            self._project, line["slug"]
        )
        if existing is None:
            if line["categoryId"] and store.categories.get(self._project, line["categoryId"]) is None:
                raise _Unfit(line, "Its `categoryId` is not the id of a category in this project.")
            if store.categories.count(self._project) >= CATEGORIES_PER_PROJECT:
                raise _Unfit(line, f"The project has {CATEGORIES_PER_PROJECT:,} categories, the most there may be.")
            store.categories.add(self._project, record_of("category", line), self._event("category.created"))
        return existing

    def _add_cluster(self, store: Store, line: Line) -> Existing:
        existing = store.clusters.get(self._project, line["id"]) or store.clusters.get_by_name(
            self._project, line["name"]
        )
        if existing is None:
            if not store.projects.count_up(self._project, "clusters", CLUSTERS_PER_PROJECT):
                raise _Unfit(line, f"The project has {CLUSTERS_PER_PROJECT} clusters, the most there may be.")
            store.clusters.add(self._project, record_of("cluster", line), self._event("cluster.created"))
        return existing

    def _documents(self, lines: Reading) -> None:
        """Imports texts, versions and documents: texts first, so that no document is ever without them."""
        with self._store.deadline():
            ids = {line.get("documentId") or line["id"] for _, line in lines}
            existing = self._store.documents.get_many(self._project, ids)
            for kind, collection in (("body", "bodies"), ("revision", "revisions")):
                rows = [line for _, line in lines if line["type"] == kind and line["documentId"] not in existing]
                self._store.transfers.add_missing(self._project, collection, [record_of(kind, row) for row in rows])
            new_ids = [line["id"] for _, line in lines if line["type"] == "document" and line["id"] not in existing]
            versions = self._store.transfers.versions(self._project, new_ids)
            texts = self._store.transfers.documents_of(
                self._project, [text for _, line in lines for text in texts_of(line)]
            )
        new: dict[int, tuple[Line, dict[str, Any]]] = {}
        for number, line in lines:
            if line["type"] != "document":
                continue
            if line["id"] in existing:
                self._count(line, existing[line["id"]])
                continue
            try:
                if (line["id"], line["version"]) not in versions:
                    raise _Unfit(line, f"Its version {line['version']} is missing: it has to come before the document.")
                new[number] = line, self._record(line, texts)
            except _Unfit as unfit:
                self._forget(number, unfit, line)
        self._add_documents(new)

    def _record(self, line: Line, texts: Mapping[str, str]) -> dict[str, Any]:
        """Returns the record that a line becomes, except for what other records decide."""
        record = record_of("document", line)
        snapshot = record["snapshot"]
        if record["isPublished"] != (snapshot is not None):
            raise _Unfit(line, "It must have a snapshot if and only if it is published.")
        brief = record["brief"] or {}
        if brief.get("state") == BriefState.CLAIMED and None in (brief["claimedBy"], brief["claimedAt"]):
            raise _Unfit(line, "Its brief is claimed: it must have `claimedBy` and `claimedAt`.")
        if record["status"] == DocumentStatus.SCHEDULED and None in (record["publishAt"], record["statusBefore"]):
            raise _Unfit(line, "It is scheduled: it must have `publishAt` and `statusBefore`.")
        if any(texts.get(text) != line["id"] for text in texts_of(line)):
            raise _Unfit(line, "A text that it names is missing: it has to come before the document.")
        if snapshot is not None:
            record["snapshot"] = snapshot | self._delivered(line, snapshot["markdownId"])
            record["deliveredWords"] = delivered_words(snapshot)
        if record["brief"] is None:
            del record["brief"]
        published_at = snapshot and snapshot["publishedAt"]
        return record | {"slugs": sorted({record["slug"], (snapshot or record)["slug"]}), "publishedAt": published_at}

    def _delivered(self, line: Line, markdown_id: str) -> dict[str, Any]:
        with self._store.deadline():
            markdown = self._store.bodies.get_texts(self._project, [markdown_id])[markdown_id]
        text = rendered(markdown)
        if text is None:
            raise _Unfit(line, "Its html would be over 15 MB.")
        with self._store.deadline():
            html_id = self._store.bodies.add(self._project, line["id"], text.html)
        return {
            "htmlId": html_id,
            "htmlBytes": text.html_bytes,
            "markdownBytes": text.markdown_bytes,
            "wordCount": word_count(markdown),
        }

    def _add_documents(self, new: Mapping[int, tuple[Line, dict[str, Any]]]) -> None:
        if not new:
            return
        try:
            refused = self._in_transaction(lambda store: self._add_fitting(store, new))
        except WriteConflict:
            if len(new) > 1:  # so that one document stops no other
                for number, item in new.items():
                    self._add_documents({number: item})
                return
            refused = {number: _Unfit(line, _CONFLICT) for number, (line, _) in new.items()}
        for number, (line, _) in new.items():
            if number in refused:
                self._forget(number, refused[number], line)
            else:
                self._count(line, None)

    def _add_fitting(self, store: Store, new: Mapping[int, tuple[Line, dict[str, Any]]]) -> dict[int, _Unfit]:
        """Adds the documents that fit into the project, inside a transaction; returns why the others do not."""
        slugs = [slug for line, _ in new.values() for slug in slugs_of(line)]
        taken = store.documents.find_taken_slugs(self._project, slugs)
        keys = set(
            store.documents.find_with_keys(self._project, [line["key"] for line, _ in new.values() if line["key"]])
        )
        found = {
            name: {one: get(self._project, one) for one in {line[name] for line, _ in new.values()} if one}
            for name, get in (("categoryId", store.categories.get), ("clusterId", store.clusters.get))
        }
        rows, refused = [], {}
        for number, (line, record) in new.items():
            lost = [name for name, those in found.items() if line[name] and those[line[name]] is None]
            if conflict := taken & slugs_of(line):
                refused[number] = _Unfit(line, f"Another document has the slug {min(conflict)!r}.")
            elif line["key"] in keys:
                refused[number] = _Unfit(line, f"Another document has the key {line['key']!r}.")
            elif lost and line["deletedAt"] is None:
                refused[number] = _Unfit(line, f"Its `{lost[0]}` is not the id of a record in this project.")
            else:
                taken |= slugs_of(line)
                keys |= {line["key"]} - {None}
                kinds = ("document.created", *(("document.deleted",) if line["deletedAt"] else ()))
                rows.append((record, [self._event(kind) for kind in kinds]))
        if rows:
            store.documents.add_many(self._project, rows)
            store.projects.delivery_changed(self._project)
        return refused

    def _forget(self, number: int, unfit: _Unfit, line: Line) -> None:
        """Refuses a document and deletes the texts and versions that came before it."""
        with self._store.deadline():
            self._store.transfers.forget(self._project, line["id"])
        self._refuse(number, unfit)


_CONFLICT = "Another record was created in its place at the same time: run the import again."


def _each_once(lines: Iterable[tuple[int, Line]]) -> tuple[list[tuple[int, Line]], list[tuple[int, Line]]]:
    """Splits lines into those up to the second line of the same document, and the rest."""
    once: list[tuple[int, Line]] = []
    seen: set[str] = set()
    rest = iter(lines)
    for number, line in rest:
        if line["type"] == "document":
            if line["id"] in seen:
                return once, [(number, line), *rest]
            seen.add(line["id"])
        once.append((number, line))
    return once, []


def _chunks(lines: Iterable[tuple[int, bytes]]) -> Iterator[list[tuple[int, bytes]]]:
    """Yields lines in chunks that are worth a few queries and fit into memory."""
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
    """A line that can't be imported."""

    def __init__(self, line: Mapping[str, Any], why: str) -> None:
        self.what, self.why = _named(line), why[:MAX_WHY]


def _read(text: bytes) -> Line:
    """Returns a line with every field of its table, null where it has none. Raises `_Unfit` with all that is wrong."""
    if len(text) > MAX_LINE_BYTES:
        raise _Unfit({}, "It is longer than 32 MB.")
    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _Unfit({}, f"It is not JSON: {error}.") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str) or line["type"] not in LINES:
        raise _Unfit({}, f"It must be an object whose `type` is one of {', '.join(LINES)}.")
    table = LINES[line["type"]]
    try:
        shaped = load(table, line)
    except HttpApiDecodeError as error:
        issues = error.extra["issues"]
        raise _Unfit(line, "; ".join(f"{issue['path']}: {issue['message']}" for issue in issues)) from None
    if wrong := problems(table, {name: value for name, value in shaped.items() if value is not None}):
        raise _Unfit(line, "; ".join(f"{problem['field']}: {problem['message']}" for problem in wrong))
    return line_of(line["type"], shaped)


def _named(line: Mapping[str, Any]) -> str:
    names = (line.get(key) for key in ("slug", "name", "id", "documentId"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    return f"{line.get('type', 'line')} {name}".strip()[:100]


def _to_json(record: Line) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
