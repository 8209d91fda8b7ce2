"""Exports a whole project as lines of JSON, and imports them into any project (decisions, section 10).

An export has settings, members, categories, clusters, and documents with their trash, texts, versions and threads; no
tokens, drafts, webhooks, review links and events. Ids stay the same where they are free, so that a project that is
imported into an empty database exports the same bytes again; an id that another project has is replaced by a new one
throughout. A document is imported with its last line, so an interrupted import is run again: records that exist stay
as they are.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from app.errors import BadRequest, WriteConflict
from app.operations.context import Context
from app.operations.provenance import provenance_of
from app.rules.batches import batches
from app.rules.caps import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.rules.documents import document_event
from app.rules.events import Event
from app.rules.inbox import imported_since
from app.rules.projects import merged_views
from app.rules.publishing import Publication, attributed, publication, published_part, rendered
from app.rules.text import word_count
from app.rules.threads import counts_of
from app.rules.transfers import (
    COLLECTIONS,
    FORMAT,
    LINES,
    line_of,
    parents_first,
    record_of,
    renamed,
    slugs_of,
    wrong_in,
)
from app.store.collection import new_id
from app.store.store import Store
from app.vocabulary import BriefState, DocumentStatus

Line = dict[str, Any]
Existing = Mapping[str, Any] | None
Numbered = tuple[int, Line]

BATCH_LINES, BATCH_BYTES = 500, 8_000_000
WRITTEN_AT_ONCE = 20
"""The most records of a transaction. Each takes up to eight commands, so that MongoDB may be 50 ms away."""
MAX_LINE_BYTES = 32 * 1024 * 1024
"""The longest text is 8 MB in UTF-8, and three times that with JSON's escapes."""
TRIES = 10
IMPORTED = {"imported": True}
MAX_WHY = 1_000
NO_HEAD = 'The export does not begin with {"type":"export",…}. Write it again with `content-workflow export`.'
NO_END = (
    'The export does not end with {"type":"end",…}: it was cut short, or an earlier version wrote it. Write '
    "it again with `content-workflow export`. If nobody can, and you know that it is whole, add a last line to a copy: "
    """`printf '{"type":"end","lines":%d}\\n' $(wc -l < FILE) >> FILE`."""
)
OTHER_FORMAT = f"The export is not of format {FORMAT}: import it with the version of content-workflow that wrote it."
BUSY = "Others wrote to the project all the time: run the import again."
MISSING_TEXT = "A text that it or a version names is missing: it must come before the document."
TOO_MANY = "The project has {:,} {}, the most there may be."


def export_project(store: Store, project_id: str) -> Iterator[bytes]:
    """Yields a project as lines of JSON, as it is when the first is read; holds one document's history at a time."""
    lines = 0
    for lines, line in enumerate(_exported(store, project_id), 1):  # noqa: B007
        yield line
    yield _to_json({"type": "end", "lines": lines})


def _exported(store: Store, project_id: str) -> Iterator[bytes]:
    yield _to_json({"type": "export", "version": FORMAT})
    with store.transfers.snapshot(project_id) as snapshot:
        for kind in ("project", "member", "category", "cluster"):
            records = snapshot.records(COLLECTIONS[kind])
            for record in parents_first([*records]) if kind == "category" else records:
                yield _to_json(line_of(kind, record))
        for document, revisions, bodies, threads in snapshot.documents():
            markdown = {revision["bodyId"] for revision in revisions}
            yield from (_to_json(line_of("body", body)) for body in bodies if body["id"] in markdown)
            yield from (_to_json(line_of("revision", revision)) for revision in revisions)
            yield from (_to_json(line_of("thread", thread)) for thread in threads)
            yield _to_json(line_of("document", document))


def check_whole(first: bytes, last: bytes) -> None:
    """Refuses with `BadRequest` an export whose first or last line is missing, by its first and last line."""
    if not _is_of_type("export", first):
        raise BadRequest(NO_HEAD)
    _read(first, 1)
    if not _is_of_type("end", last):
        raise BadRequest(NO_END)


@dataclass
class _Row:
    """A line to write, with its number; of a document, its record and the html that is delivered of it, if any."""

    number: int
    line: Line
    record: Line = field(default_factory=dict)
    html: list[Line] = field(default_factory=list)


@dataclass
class Refused:
    """A line that was not imported, and why."""

    number: int
    what: str
    why: str


@dataclass
class Imported:
    """What an import did, by type of line."""

    created: Counter[str] = field(default_factory=Counter)
    unchanged: Counter[str] = field(default_factory=Counter)
    differing: list[str] = field(default_factory=list)
    """Records that exist and differ from their lines; they stay as they are."""
    refused: list[Refused] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    """The names of the project's settings that were replaced."""


class ProjectImport:
    """Imports the lines of an export into a project, a batch at a time.

    The records of a batch are written some in a transaction, in the order of their lines. The texts and versions of its
    documents are written before, so that no document is ever without them; the html with the document.
    """

    def __init__(self, ctx: Context) -> None:
        self.done = Imported()
        self._ctx = ctx
        self._store, self._project = ctx.store, ctx.project_id
        self._ids: dict[tuple[str, str], str] = {}
        """The id in this project of each id in the lines, by collection."""
        self._same: dict[str, str] = {}
        """The id of the member, category or cluster that exists with the address, slug or name of another one."""
        self._add = {
            "project": self._add_settings,
            "member": self._add_member,
            "category": self._add_category,
            "cluster": self._add_cluster,
        }

    def take(self, lines: Iterable[bytes]) -> Iterator[int]:
        """Imports lines and yields how many bytes each batch has; `done` has the outcomes.

        A line that is refused does not stop the others, except one that says that the lines have another format:
        raises `BadRequest`.
        """
        for batch in batches(enumerate(lines, 1), BATCH_LINES, lambda numbered: len(numbered[1]), BATCH_BYTES):
            self._import(batch)
            yield sum(len(text) for _, text in batch)

    def _import(self, batch: Iterable[tuple[int, bytes]]) -> None:
        lines: list[Numbered] = []
        for number, text in batch:
            try:
                lines += [(number, _read(text, number))] if text.strip() else []
            except _InvalidLine as error:
                self._refuse(number, error)
        with self._store.deadline():
            self._find_ids(line for _, line in lines)
        self._write([_Row(number, line) for number, line in lines if line["type"] in self._add], self._add_record)
        rounds: dict[int, list[Numbered]] = defaultdict(list)
        """The lines of documents; a document that the batch has more than once is in several rounds."""
        begun = Counter[str]()
        for number, line in lines:
            if line["type"] in ("body", "revision", "thread", "document"):
                document_id = line.get("documentId") or line["id"]
                rounds[begun[document_id]].append((number, self._renamed(line)))
                begun[document_id] += line["type"] == "document"
        for round_ in rounds.values():
            self._import_documents(round_)

    def _find_ids(self, lines: Iterable[Line]) -> None:
        """Finds, with one query a collection, the ids in this project of the records that lines name."""
        unknown: dict[str, set[str]] = defaultdict(set)

        def note(collection: str, old: str) -> str:
            if (collection, old) not in self._ids:
                unknown[collection].add(old)
            return old

        for line in lines:
            renamed(line, note)
        for collection, old in unknown.items():
            new = self._store.transfers.new_ids(self._project, collection, old)
            self._ids |= {(collection, one): new[one] for one in old}

    def _renamed(self, line: Line) -> Line:
        return renamed(line, lambda collection, old: self._same.get(new := self._ids[collection, old], new))

    def _import_documents(self, lines: Sequence[Numbered]) -> None:
        """Imports the texts, versions and threads of the documents that are new, and then the documents."""
        with self._store.deadline():
            named = {line.get("documentId") or line["id"] for _, line in lines}
            existing = self._store.transfers.documents(self._project, named)
            for kind in ("body", "revision", "thread"):
                new = [line for _, line in lines if line["type"] == kind and line["documentId"] not in existing]
                records = [record_of(kind, line) for line in new]
                if kind == "thread":
                    records = [{**record, "stateSince": record["updatedAt"]} for record in records]
                self._store.transfers.add_missing(self._project, COLLECTIONS[kind], records)
            documents = [(number, line) for number, line in lines if line["type"] == "document"]
            versions = self._store.revisions.contents(self._project, [line["id"] for _, line in documents])
            threads = defaultdict(list)
            for thread in self._store.threads.of_documents(self._project, [line["id"] for _, line in documents]):
                threads[thread["documentId"]].append(thread)
        rows = []
        for number, line in documents:
            if line["id"] in existing:
                self._count(line, existing[line["id"]])
                continue
            try:
                record, html = self._document_record(line, versions.get(line["id"], {}))
                record |= counts_of(threads[line["id"]]) | imported_since(record)
                rows.append(_Row(number, line, record, html))
            except _InvalidLine as error:
                self._refuse(number, error, line["id"])
        self._write(rows, self._add_document)

    def _document_record(
        self, line: Line, versions: Mapping[int, str | None]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Returns the record of a document, and the html that is delivered of it, if any. Raises `_InvalidLine`.

        `versions` are its versions that exist, with their texts.
        """
        record = record_of("document", line)
        snapshot, brief = record["snapshot"], record["brief"] or {}
        if line["version"] not in versions:
            raise _InvalidLine(line, f"Its version {line['version']} is missing: it must come before the document.")
        if (latest := max(versions)) > line["version"]:
            why = f"It has a version {latest}, later than its own. If an import was interrupted, run this one again."
            raise _InvalidLine(line, why)
        if record["isPublished"] != (snapshot is not None):
            raise _InvalidLine(line, "It must have a snapshot if and only if it is published.")
        if brief.get("state") == BriefState.CLAIMED and None in (brief.get("claimedBy"), brief.get("claimedAt")):
            raise _InvalidLine(line, "Its brief is claimed: it must have `claimedBy` and `claimedAt`.")
        if record["status"] == DocumentStatus.SCHEDULED and None in (record["publishAt"], record["statusBefore"]):
            raise _InvalidLine(line, "It is scheduled: it must have `publishAt` and `statusBefore`.")
        named = {line["contentId"], snapshot and snapshot["markdownId"]}
        if not named <= {None, *versions.values()} or not self._has_texts(line["id"], versions.values()):
            raise _InvalidLine(line, MISSING_TEXT)
        publication, html = self._publication(line, record, snapshot) if snapshot else (None, [])
        if record["brief"] is None:
            del record["brief"]
        del record["snapshot"]
        record |= {
            "slugs": sorted({record["slug"], (snapshot or record)["slug"]}),
            "publishedAt": snapshot and snapshot["publishedAt"],
            "published": publication and published_part(publication),
            "trashedPublication": publication,  # `_add_document` moves that of a live document
        }
        return record, html

    def _has_texts(self, document_id: str, body_ids: Iterable[str | None]) -> bool:
        """Returns whether all of some texts exist, and are of a document."""
        with self._store.deadline():
            owners = self._store.bodies.get_owners(self._project, filter(None, body_ids))
        return all(owners.get(one) == document_id for one in body_ids if one)

    def _publication(
        self, line: Line, record: dict[str, Any], snapshot: dict[str, Any]
    ) -> tuple[Publication, list[dict[str, Any]]]:
        """Returns what is delivered of a document, and its html as it is to be stored. Raises `_InvalidLine`."""
        markdown_id = snapshot["markdownId"]
        with self._store.deadline():
            markdown = self._store.bodies.get_texts(self._project, [markdown_id])[markdown_id]
        text = rendered(markdown)
        if text is None:
            raise _InvalidLine(line, "Its html would be over 15 MB.")
        html = {"id": new_id(), "documentId": line["id"], "text": text.html}
        as_published: Any = {**record, **snapshot, "contentId": markdown_id, "wordCount": word_count(markdown)}
        delivered = publication(
            as_published | {"projectId": self._project},
            replace(text, first_paragraph=snapshot["excerpt"]),
            html["id"],
            published_at=snapshot["publishedAt"],
            now=snapshot["updatedAt"],
        )
        with self._store.deadline():
            body = self._store.bodies.get(self._project, markdown_id)
            revision = self._store.revisions.get(self._project, line["id"], snapshot["version"])
        return attributed(delivered, provenance_of(self._ctx, body), revision and revision.get("review")), [html]

    def _write(self, rows: Iterable[_Row], add: Callable[[Store, _Row], _Written]) -> None:
        """Adds the records that the project lacks, some in a transaction, and notes the outcome of each line."""
        for part in batches(rows, WRITTEN_AT_ONCE, lambda row: sum(len(one["text"]) for one in row.html), BATCH_BYTES):
            self._write_at_once(part, add)

    def _write_at_once(self, rows: Sequence[_Row], add: Callable[[Store, _Row], _Written]) -> None:
        """Does so in one transaction. `add` is called again when another write took a name, a slug or a key first."""

        def added(store: Store) -> list[_Written | _InvalidLine]:
            outcomes = [_outcome(add, store, row) for row in rows]
            if store.writes:
                store.projects.delivery_changed(self._project)
            return outcomes

        outcomes: list[_Written | _InvalidLine] = [_InvalidLine(row.line, BUSY) for row in rows]
        for _ in range(TRIES):
            with suppress(WriteConflict), self._store.deadline():
                outcomes = self._store.in_transaction(added)
                break
        for row, outcome in zip(rows, outcomes, strict=True):
            if isinstance(outcome, _InvalidLine):
                self._refuse(row.number, outcome, row.line["id"] if row.line["type"] == "document" else None)
            else:
                self._count(*outcome)

    def _add_record(self, store: Store, row: _Row) -> _Written:
        """Adds a record that does not exist; lines that follow refer to the one that does."""
        kind, line = row.line["type"], self._renamed(row.line)
        if "id" in line:
            line["id"] = self._ids[COLLECTIONS[kind], row.line["id"]]
        existing = self._add[kind](store, line, record_of(kind, line))
        if existing and "id" in line:
            self._same[line["id"]] = existing["id"]
        return line, existing

    def _add_settings(self, store: Store, line: Line, record: Line) -> Existing:
        record = {**record, "views": record["views"] and merged_views([], record["views"])}
        never_null = ("name", "reviewRequired")
        changes = {name: value for name, value in record.items() if value is not None or name not in never_null}
        event = self._ctx.event("project.updated")
        project = store.projects.settings(self._project)
        self.done.settings = [name for name, value in changes.items() if project.get(name) != value]
        if not self.done.settings:
            return project
        store.projects.update(self._project, project, changes, event)
        return None

    def _add_member(self, store: Store, line: Line, record: Line) -> Existing:
        existing = store.members.get_including_deleted(self._project, line["id"])
        if existing is None and line["deletedAt"] is None:
            existing = store.members.find_same(self._project, line)
        if existing is None:
            store.members.add(self._project, record, self._event("member.created"))
        return existing

    def _add_category(self, store: Store, line: Line, record: Line) -> Existing:
        categories = store.categories
        existing = categories.get(self._project, line["id"]) or categories.find_same(self._project, line)
        if existing is None:
            if line["categoryId"] and categories.get(self._project, line["categoryId"]) is None:
                raise _InvalidLine(line, "Its `categoryId` is not the id of a category in this project.")
            if categories.count(self._project) >= CATEGORIES_PER_PROJECT:
                raise _InvalidLine(line, TOO_MANY.format(CATEGORIES_PER_PROJECT, "categories"))
            categories.add(self._project, record, self._event("category.created"))
        return existing

    def _add_cluster(self, store: Store, line: Line, record: Line) -> Existing:
        clusters = store.clusters
        existing = clusters.get(self._project, line["id"]) or clusters.find_same(self._project, line)
        if existing is None:
            if not store.projects.count_up(self._project, "clusters", CLUSTERS_PER_PROJECT):
                raise _InvalidLine(line, TOO_MANY.format(CLUSTERS_PER_PROJECT, "clusters"))
            clusters.add(self._project, record, self._event("cluster.created"))
        return existing

    def _add_document(self, store: Store, row: _Row) -> _Written:
        """Adds a new document whose slug and key are free, and whose category and cluster exist, with its html."""
        line, record, is_deleted = row.line, row.record, row.line["deletedAt"] is not None
        if existing := store.transfers.documents(self._project, [line["id"]]).get(line["id"]):
            return line, existing  # another import was faster
        if taken := store.documents.find_taken_slugs(self._project, sorted(slugs_of(line))):
            raise _InvalidLine(line, f"Another document has the slug {min(taken)!r}.")
        if line["key"] and store.documents.find_with_keys(self._project, [line["key"]]):
            raise _InvalidLine(line, f"Another document has the key {line['key']!r}.")
        for name, get in (("categoryId", store.categories.get), ("clusterId", store.clusters.get)):
            if line[name] and not is_deleted and get(self._project, line[name]) is None:
                raise _InvalidLine(line, f"Its `{name}` is not the id of a record in this project.")
        kinds = ("document.created", "document.deleted") if is_deleted else ("document.created",)
        events = [document_event(one, record, self._ctx.now, self._ctx.caller.actor, IMPORTED) for one in kinds]
        if record["isPublished"] and not is_deleted:
            store.publications.add_many(self._project, [record["trashedPublication"]])
            record = {**record, "trashedPublication": None}
        store.documents.add_many(self._project, [(record, events)])
        store.bodies.add_many(self._project, row.html)
        return line, None

    def _event(self, kind: str) -> Event:
        return self._ctx.event(kind, IMPORTED)

    def _count(self, line: Line, existing: Existing) -> None:
        """Counts a record as created or as existing, and notes one that differs from its line."""
        kind = line["type"]
        counts = self.done.created if existing is None else self.done.unchanged
        counts[kind] += 1
        if existing and "id" in line and _differ(line_of(kind, existing), line):
            self.done.differing.append(_name_of(line))

    def _refuse(self, number: int, error: _InvalidLine, document_id: str | None = None) -> None:
        """Notes why a line is refused; of a document, deletes the texts and versions that came before it."""
        if document_id:
            with self._store.deadline():
                if not self._store.documents.get_many(self._project, [document_id]):  # nor did another import add it
                    self._store.transfers.delete_history(self._project, document_id)
        self.done.refused.append(Refused(number, error.what, error.why))


class _InvalidLine(Exception):
    """A line that can't be imported."""

    def __init__(self, line: Mapping[str, Any], why: str) -> None:
        self.what, self.why = _name_of(line), why[:MAX_WHY]


_Written = tuple[Line, Existing]
"""A line with the ids of this project, and the record that exists in its place."""


def _outcome(add: Callable[[Store, _Row], _Written], store: Store, row: _Row) -> _Written | _InvalidLine:
    try:
        return add(store, row)
    except _InvalidLine as refused:
        return refused


def _read(text: bytes, number: int) -> Line:
    """Returns a line with all fields of its schema, null where they are missing; the error lists all problems."""
    if len(text) > MAX_LINE_BYTES:
        raise _InvalidLine({}, "It is longer than 32 MB.")
    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise _InvalidLine({}, f"It is not JSON: {error}.") from None
    if not isinstance(line, dict) or not isinstance(line.get("type"), str) or line["type"] not in LINES:
        raise _InvalidLine({}, f"It must be an object whose `type` is one of {', '.join(LINES)}.")
    if wrong := [*wrong_in(line)]:
        if line["type"] == "export":
            raise BadRequest(OTHER_FORMAT)
        raise _InvalidLine(line, "; ".join(wrong))
    if line["type"] == "end" and line["lines"] != number - 1:
        why = f"The export had {line['lines']:,} lines before this one, and here are {number - 1:,}: some are missing."
        raise _InvalidLine(line, why)
    return line_of(line["type"], record_of(line["type"], line))


def _is_of_type(kind: str, text: bytes) -> bool:
    return re.match(rb'\s*\{\s*"type"\s*:\s*"%s"' % kind.encode(), text) is not None


def _differ(existing: Line, line: Line) -> bool:
    """Returns whether a record differs from its line; ids, times and creator count only if it is the same record."""
    apart = () if existing["id"] == line["id"] else ("id", "createdAt", "updatedAt", "createdBy")
    return any(existing[name] != line[name] for name in existing if name not in apart)


def _name_of(line: Mapping[str, Any]) -> str:
    names = (line.get(key) for key in ("slug", "name", "id", "documentId"))
    name = next((name for name in names if name and isinstance(name, str)), "")
    return f"{line.get('type', 'line')} {name}".strip()[:100]


def _to_json(record: Line) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
