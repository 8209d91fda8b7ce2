"""Writes a whole project as lines of JSON, and imports them into a project without content (decisions, section 10).

An export has settings, members, categories, clusters, pictures, and documents with trash, texts, versions, threads,
sources; no tokens, drafts, webhooks, review links and events. Ids stay the same where they are free, so that a project
that is imported into an empty database exports the same bytes again; an id that another record has is
replaced by a new one throughout. An import that was interrupted is begun again in an emptied or a new project.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from app.categories.rules import CLUSTERS_PER_PROJECT
from app.categories.store import Categories, Clusters
from app.core.batches import batches
from app.core.context import Context
from app.core.errors import BadRequest, Refusal, WriteConflict
from app.core.events import Event
from app.core.slugs import first_free, slug_of
from app.core.store.bodies import Bodies
from app.core.store.collection import new_id
from app.core.store.store import Store
from app.documents.record import document_event
from app.documents.store import Documents
from app.images.rules import IMAGES_PER_PROJECT
from app.images.store import Images
from app.projects.rules import merged_views
from app.projects.store import Members, Projects
from app.provenance.rules import dump_origins
from app.publications.store import Publications
from app.transfers.errors import ImportStopped
from app.transfers.lines import Checked, CompleteDocument, History, check_lines, complete_document, parse_line
from app.transfers.pictures import ImportedPictures, picture_lines
from app.transfers.rules import COLLECTIONS, FORMAT, line_of, parents_first, renamed
from app.transfers.store import Transfers

Record = dict[str, Any]
Records = defaultdict[str, list[Record]]
"""Records by type of line."""

HISTORY = ("body", "revision", "thread", "source")
"""The lines that belong to a document, and come before it."""
BATCH_LINES = 500
IMPORTED = {"imported": True}
PICTURES = "images"
"""The feature that has pictures; without it they are neither exported nor imported."""
ADDRESSED_KINDS = ("member", "body", "revision", "document")
"""The lines that name pictures by their addresses."""
BEFORE_PICTURES = ("export", "project", "member", "category", "cluster", "image")
"""The lines before the last picture."""
NEVER_NULL = ("name", "reviewRequired")
"""The settings that stay as they are where a line has none."""
NOT_EMPTY = (
    "The project has {}; an export is imported into a project without documents (also in the trash), categories, "
    "clusters and members: `content-workflow project create` makes one."
)
CONFLICT = "Others wrote to the project at the same time: import the export into a new project."


def export_lines(store: Store, project_id: str) -> Iterator[bytes]:
    """Yields a project as lines of JSON, as it is when the first is read; holds one document's history at a time.

    The last line says how many are before it: without it the export is not whole.
    """
    lines = 0
    for lines, line in enumerate(_exported(store, project_id), 1):  # noqa: B007
        yield line
    yield _to_json({"type": "end", "lines": lines})


def _exported(store: Store, project_id: str) -> Iterator[bytes]:
    with store[Transfers].snapshot(project_id) as snapshot:
        yield _to_json({"type": "export", "version": FORMAT})
        for kind in ("project", "member", "category", "cluster"):
            records = snapshot.records(COLLECTIONS[kind])
            for record in parents_first([*records]) if kind == "category" else records:
                yield _to_json(line_of(store.features, kind, _short(record) if kind == "member" else record))
        images = snapshot.records(COLLECTIONS["image"]) if PICTURES in store.features else ()
        yield from map(_to_json, picture_lines(store, images))
        for document, revisions, bodies, threads, sources in snapshot.documents():
            markdown = {revision["bodyId"] for revision in revisions}
            yield from (_to_json(line_of(store.features, "body", body)) for body in bodies if body["id"] in markdown)
            yield from (_to_json(line_of(store.features, "revision", revision)) for revision in revisions)
            yield from (_to_json(line_of(store.features, "thread", thread)) for thread in threads)
            yield from (_to_json(line_of(store.features, "source", source)) for source in sources)
            yield _to_json(line_of(store.features, "document", document))


def _to_json(record: dict[str, Any]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def check_import(ctx: Context, lines: Iterable[bytes]) -> Checked:
    """Returns what an import of the lines of an export would do; `settings` are those that it would replace.

    Refuses with `BadRequest` a project with content, and lines that are no export, or not the whole of one.
    """
    with ctx.store.deadline():
        _refuse_content(ctx.store, ctx.project_id)
        project = ctx.store[Projects].settings(ctx.project_id)
    checked = check_lines(ctx.store.features, lines)
    checked.settings = _changed_settings(project, checked.settings)
    return checked


def import_lines(ctx: Context, lines: Iterable[bytes]) -> None:
    """Imports the lines of an export of which `check_import` refuses none, a batch in each transaction.

    Refuses with `BadRequest` a project with content, and names that others took meanwhile; raises `ImportStopped`
    where some batches were written.
    """
    with ctx.store.deadline():
        ctx.store.in_transaction(lambda store: _begin(store, ctx.project_id))
    importing, written, documents = _Import(ctx), 0, 0
    for batch in batches(lines, BATCH_LINES, len):
        try:
            documents += importing.write(batch)
        except Refusal as why:
            if not written:
                raise
            raise ImportStopped(why.message, lines=written, documents=documents) from why
        written += len(batch)


def _begin(store: Store, project_id: str) -> None:
    _refuse_content(store, project_id)
    store[Transfers].delete_history(project_id)  # of an import that was interrupted


def _refuse_content(store: Store, project_id: str) -> None:
    if content := store[Transfers].content(project_id):
        raise BadRequest(NOT_EMPTY.format(", ".join(content)))


class _Import:
    """One import: the ids that it gave, and what belongs to the documents that are still to come."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._store, self._project = ctx.store, ctx.project_id
        self._ids: dict[tuple[str, str], str] = {}
        """The id in this project of each id in the lines, by collection."""
        self._histories = defaultdict[str, History](History)
        self._pictures = ImportedPictures(ctx)
        self._members: list[Record] = []
        """Members that wait until the addresses of all pictures are known."""

    def write(self, batch: Iterable[bytes]) -> int:
        """Writes the records of lines; documents with their texts, versions and threads, and what is delivered.

        Returns the number of documents.
        """
        with self._store.deadline():
            records = self._records_of(batch)
            lines = records["image"] if PICTURES in self._store.features else ()
            records["image"] = self._pictures.stored(lines)
            self._members += records["member"]
            records["member"] = []
            if records.keys() - set(BEFORE_PICTURES):
                records["member"], self._members = _with_slugs(self._members), []
            for kind in ADDRESSED_KINDS:
                records[kind] = [self._pictures.with_addresses(one) for one in records[kind]]
            texts, origins, documents = self._gather(records), dict[str, str](), []
        for line in records["document"]:
            history = self._histories.pop(line["id"])
            origins |= {body_id: dump_origins(one) for body_id, one in history.origins.items()}
            publish = self._pictures.publish_html
            documents.append(complete_document(line, history, texts, publish, self._project, html_id=new_id()))
        try:
            with self._store.deadline():
                self._store.in_transaction(lambda store: self._write(store, records, documents, origins))
        except WriteConflict:
            raise BadRequest(CONFLICT) from None
        return len(documents)

    def _records_of(self, batch: Iterable[bytes]) -> Records:
        """Returns the records of lines by type, with the ids that they have in this project."""
        rows = [parse_line(self._store.features, text) for text in batch if text.strip()]
        unknown: dict[str, set[str]] = defaultdict(set)

        def note(collection: str, old: str) -> str:
            if (collection, old) not in self._ids:
                unknown[collection].add(old)
            return old

        for kind, record in rows:
            renamed(kind, record, note)
        for collection, ids in unknown.items():
            taken = self._store[Transfers].taken_ids(collection, ids)
            self._ids |= {(collection, one): new_id() if one in taken else one for one in ids}
        records: Records = defaultdict(list)
        for kind, record in rows:
            records[kind].append(renamed(kind, record, lambda collection, old: self._ids[collection, old]))
        return records

    def _gather(self, records: Records) -> Mapping[str, str]:
        """Keeps what belongs to documents, and returns the texts that are delivered, of earlier batches too."""
        for kind in HISTORY:
            for record in records[kind]:
                self._histories[record["documentId"]].add(kind, record)
        texts = {body["id"]: body["text"] for body in records["body"]}
        delivered = {line["snapshot"]["markdownId"] for line in records["document"] if line["snapshot"]}
        return texts | self._store[Bodies].get_texts(self._project, delivered - texts.keys())

    def _write(
        self, store: Store, records: Records, documents: Sequence[CompleteDocument], origins: Mapping[str, str]
    ) -> None:
        if records["export"]:  # the first line: of two imports at once, one sees what the other wrote
            store[Projects].conflict_on(self._project, "imports")
            _refuse_content(store, self._project)
        store.change_delivery(self._project, "categories", "members")
        for line in records["project"]:
            project = store[Projects].settings(self._project)
            if settings := _changed_settings(project, line):
                store[Projects].update(self._project, project, settings, self._ctx.event("project.updated"))
        for kind, collection in (
            ("member", store[Members]),
            ("category", store[Categories]),
            ("cluster", store[Clusters]),
        ):
            created = [self._ctx.event(f"{kind}.created", IMPORTED)]
            collection.add_many(self._project, [(record, created) for record in records[kind]])
        if not store[Projects].count_up(self._project, "clusters", CLUSTERS_PER_PROJECT, len(records["cluster"])):
            raise WriteConflict
        if images := records["image"]:
            created = [self._ctx.event("image.created", IMPORTED)]
            store[Images].add_many(self._project, [(image, created) for image in images])
            if not store[Projects].count_up(self._project, "images", IMAGES_PER_PROJECT, len(images)):
                raise WriteConflict
        for kind in HISTORY:
            store[Transfers].add_many(self._project, COLLECTIONS[kind], records[kind])
        if not store[Bodies].set_origins(self._project, origins):
            raise WriteConflict
        store[Bodies].add_many(self._project, [html for one in documents for html in one.html])
        delivered = [one.publication for one in documents if one.publication and not one.record["deletedAt"]]
        store[Publications].add_many(self._project, delivered)
        store[Documents].add_many(self._project, [(one.record, self._events_of(one.record)) for one in documents])

    def _events_of(self, document: Mapping[str, Any]) -> Sequence[Event]:
        kinds = ("document.created", "document.deleted") if document["deletedAt"] else ("document.created",)
        return [document_event(kind, document, self._ctx.now, self._ctx.caller.actor, IMPORTED) for kind in kinds]


def _short(member: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a member without a slug that an import makes again."""
    return {**member, "slug": None} if member["slug"] == slug_of(member["name"]) else member


def _with_slugs(members: Sequence[Record]) -> list[Record]:
    """Returns all members of an export, each with a slug; those who left take none from others."""
    taken = {one["slug"] for one in members if not one["deletedAt"]}
    complete = []
    for member in members:
        slug = member["slug"] or first_free(slug_of(member["name"]), () if member["deletedAt"] else taken)
        taken |= set() if member["deletedAt"] else {slug}
        complete.append({**member, "slug": slug})
    return complete


def _changed_settings(project: Mapping[str, Any], line: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of a line that a project does not have, as they are stored."""
    line = {**line, **({"views": merged_views([], line["views"])} if line.get("views") else {})}
    given = {name: value for name, value in line.items() if value is not None or name not in NEVER_NULL}
    return {name: value for name, value in given.items() if project.get(name) != value}
