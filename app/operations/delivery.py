"""What a website reads: published documents and categories, and with the permission drafts (decisions, section 7).

A query is read as a whole: its entries say what they ask for, so that the reads are as few for a hundred documents as
for one, long texts are read where they are asked for alone, and all of them are refused together, before one is read,
where they would be too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

from app.errors import Forbidden, Refusal, ResponseTooLarge, ServiceUnavailable
from app.fields.loading import load
from app.fields.queries import DeliveryPage
from app.operations.context import Context
from app.operations.revision_cache import RevisionCache
from app.operations.single_flight import SingleFlight
from app.records.delivery import Categories, DeliveredDocument, delivered_categories, delivered_document
from app.rules.text import first_paragraph

MAX_BODIES = 16 * 1024 * 1024
"""The most bytes of html and markdown in one answer."""

READ_AGAIN = 3
"""How often records are read whose texts were replaced before they could be read."""

CATEGORIES_KEPT = 100_000
LOOKED_AT = 20_000
"""How many characters of a draft its excerpt is looked for in."""

BATCH = 1_000
"""How many documents a feed reads at once."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Site:
    """What feeds say of a project as a whole, and what they change with."""

    name: str
    url: str
    rev: int
    revision: int
    created_at: datetime


@dataclass(frozen=True)
class Entry:
    """One entry of a query: its name in the schema, its arguments, and what it asks for of each document."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    html: int = 0
    """How many times html is in the answer for each document."""
    markdown: int = 0
    excerpt: bool = False
    category: bool = False


class DeliveryReader:
    """Reads what queries ask for; remembers the categories of projects while their delivery does not change."""

    def __init__(self) -> None:
        self._categories: RevisionCache[Categories] = RevisionCache(
            CATEGORIES_KEPT, size_of=lambda categories: len(categories) + 1
        )
        self._revisions: SingleFlight[int] = SingleFlight()

    def revision(self, ctx: Context) -> int:
        """Returns a number that changes whenever what the project delivers does: one small read."""

        def read() -> int:
            with ctx.store.deadline():
                return ctx.store.projects.delivery_revision(ctx.project_id)

        return self._revisions.read(ctx.project_id, read)

    def site(self, ctx: Context) -> Site:
        """Returns what feeds say of a project as a whole."""
        with ctx.store.deadline():
            revision = ctx.store.projects.delivery_revision(ctx.project_id)
            project = ctx.store.projects.settings(ctx.project_id)
        return Site(project["name"], project.get("siteUrl") or "", project["rev"], revision, project["createdAt"])

    def last_published_at(self, ctx: Context) -> datetime | None:
        """Returns when something was last published, for the first time or again."""
        with ctx.store.deadline():
            document = ctx.store.delivery.last_published(ctx.project_id)
        return document["snapshot"]["updatedAt"] if document else None

    def every(self, ctx: Context, limit: int, *, bare: bool = False) -> Iterator[dict[str, Any]]:
        """Yields published documents, the newest first, a batch a read, so that they are never all in memory."""
        last: dict[str, Any] | None = None
        while limit > 0:
            with ctx.store.deadline():
                size = min(limit, BATCH)
                rows = ctx.store.delivery.following(ctx.project_id, last, limit=size, bare=bare)
            yield from rows
            if len(rows) < size:
                return
            last, limit = rows[-1], limit - size

    def categories(self, ctx: Context, revision: int) -> Categories:
        """Returns the project's categories by id."""
        with ctx.store.deadline():
            return self._all_categories(ctx, revision)

    def read(self, ctx: Context, entries: Mapping[str, Entry], revision: int) -> dict[str, Any]:
        """Returns what each entry finds, or the refusal it meets.

        Refusals: `HttpApiDecodeError` for a page out of range, `Forbidden` for drafts without the permission,
        `ResponseTooLarge` for every entry that asks for long texts when these are too long together.
        """
        with ctx.store.deadline():
            categories = self._known_categories(ctx, entries, revision)
            for _ in range(READ_AGAIN):
                found = {key: _rows(ctx, entry) for key, entry in entries.items()}
                if _bodies_size(entries, found) > MAX_BODIES:
                    found |= {key: ResponseTooLarge() for key, entry in entries.items() if entry.html or entry.markdown}
                texts = _texts(ctx, entries, found)
                if texts is not None:
                    beginnings = _beginnings(ctx, entries, found)
                    return {
                        key: _presented(entry, found[key], categories, texts, beginnings)
                        for key, entry in entries.items()
                    }
        raise ServiceUnavailable("What you asked for is being published over and over: try again in a moment.")

    def _known_categories(self, ctx: Context, entries: Mapping[str, Entry], revision: int) -> Categories:
        if not any(entry.category or entry.name in OF_CATEGORIES for entry in entries.values()):
            return {}
        return self._all_categories(ctx, revision)

    def _all_categories(self, ctx: Context, revision: int) -> Categories:
        known = self._categories.get(ctx.project_id, revision)
        if known is None:
            known = delivered_categories(ctx.store.delivery.categories(ctx.project_id))
            self._categories.put(ctx.project_id, revision, known)
        return known


def shows_drafts(ctx: Context, entries: Mapping[str, Entry]) -> bool:
    """Tells whether an answer may hold what is not published, so that nobody may keep it."""
    return ctx.caller.drafts and any(
        entry.name in ("document", "documentBySlug") or entry.arguments.get("includeDrafts")
        for entry in entries.values()
    )


def _rows(ctx: Context, entry: Entry) -> Rows | Refusal:
    if entry.name in OF_CATEGORIES:
        return []
    try:
        return ROWS[entry.name](ctx, entry.arguments)
    except Refusal as refused:
        if isinstance(refused, ServiceUnavailable):
            raise
        return refused


def _document(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    row = ctx.store.delivery.one(ctx.project_id, arguments["id"], drafts=ctx.caller.drafts)
    return [] if row is None else [row]


def _document_by_slug(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    row = ctx.store.delivery.one_by_slug(ctx.project_id, arguments["slug"], drafts=ctx.caller.drafts)
    return [] if row is None else [row]


def _documents(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    page = load(DeliveryPage, {name: value for name, value in arguments.items() if value is not None})
    drafts = bool(arguments.get("includeDrafts"))
    if drafts and not ctx.caller.drafts:
        raise Forbidden("`includeDrafts` needs a delivery token that was made with the drafts permission.")
    category_id = arguments["categoryId"].lower() if "categoryId" in arguments else None
    return _page(ctx, category_id, limit=page["limit"], offset=page["offset"], drafts=drafts)


def _page(ctx: Context, category_id: str | None, *, limit: int, offset: int, drafts: bool) -> Rows:
    """Returns one page: what is published, and with `drafts` after it what is not."""
    project_id, delivery = ctx.project_id, ctx.store.delivery
    found = delivery.published(project_id, category_id, limit=limit, offset=offset)
    if not drafts or len(found) == limit:
        return found
    passed = 0 if found else max(0, offset - delivery.count_published(project_id, category_id))
    return found + delivery.unpublished(project_id, category_id, limit=limit - len(found), offset=passed)


ROWS: Mapping[str, Callable[[Context, Mapping[str, Any]], Rows]] = {
    "document": _document,
    "documentBySlug": _document_by_slug,
    "documents": _documents,
    "documentsInCategory": _documents,
}
OF_CATEGORIES = ("category", "categories")


def _published(entries: Mapping[str, Entry], found: Mapping[str, Rows | Refusal]) -> Iterator[tuple[Entry, Any]]:
    """Yields the snapshots found, each with the entry that asked for it."""
    for key, entry in entries.items():
        rows = found[key]
        if (entry.html or entry.markdown) and not isinstance(rows, Refusal):
            yield from ((entry, row["snapshot"]) for row in rows if row.get("snapshot"))


def _bodies_size(entries: Mapping[str, Entry], found: Mapping[str, Rows | Refusal]) -> int:
    return sum(
        entry.html * snapshot["htmlBytes"] + entry.markdown * snapshot["markdownBytes"]
        for entry, snapshot in _published(entries, found)
    )


def _body_ids(entry: Entry, snapshot: Mapping[str, Any]) -> Sequence[str]:
    return [snapshot[name] for name, asked in (("htmlId", entry.html), ("markdownId", entry.markdown)) if asked]


def _texts(ctx: Context, entries: Mapping[str, Entry], found: Mapping[str, Rows | Refusal]) -> Mapping[str, str] | None:
    """Returns the long texts asked for, in one read; None where one was replaced since its record was read."""
    wanted = set(chain.from_iterable(_body_ids(entry, snapshot) for entry, snapshot in _published(entries, found)))
    texts = ctx.store.bodies.texts(ctx.project_id, wanted)
    return texts if len(texts) == len(wanted) else None


def _beginnings(ctx: Context, entries: Mapping[str, Entry], found: Mapping[str, Rows | Refusal]) -> Mapping[str, str]:
    """Returns how the contents of drafts begin whose excerpt is asked for and was not written, in one read."""
    wanted = {
        row["contentId"]
        for key, entry in entries.items()
        if entry.excerpt and not isinstance(rows := found[key], Refusal)
        for row in rows
        if not row.get("snapshot") and not row.get("excerpt") and row.get("contentId")
    }
    return ctx.store.bodies.beginnings(ctx.project_id, wanted, LOOKED_AT)


def _presented(
    entry: Entry,
    rows: Rows | Refusal,
    categories: Categories,
    texts: Mapping[str, str],
    beginnings: Mapping[str, str],
) -> Any:
    """Returns what an entry gives: a list, one record or None, or its refusal."""
    if isinstance(rows, Refusal):
        return rows
    if entry.name == "categories":
        return list(categories.values())
    if entry.name == "category":
        return categories.get(entry.arguments["id"].lower())
    documents = [_filled(entry, row, categories, texts, beginnings) for row in rows]
    if entry.name in ("document", "documentBySlug"):
        return documents[0] if documents else None
    return documents


def _filled(
    entry: Entry,
    row: Mapping[str, Any],
    categories: Categories,
    texts: Mapping[str, str],
    beginnings: Mapping[str, str],
) -> DeliveredDocument:
    document = delivered_document(row, categories)
    if snapshot := row.get("snapshot"):
        if entry.html:
            document.html = texts[snapshot["htmlId"]]
        if entry.markdown:
            document.markdown = texts[snapshot["markdownId"]]
    elif entry.excerpt and document.excerpt is None and (text := beginnings.get(row.get("contentId") or "")):
        document.excerpt = first_paragraph(text)
    return document
