"""What a website reads: published documents and categories, and with the permission drafts (decisions, section 7).

A query is read as a whole: it says beforehand what it selects, so that the reads are as few for a hundred documents as
for one, long texts are read only where they are selected, and all of them are refused together, before one is read,
where they would be too long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
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
"""The most bytes of html and markdown in one answer, as JSON."""
LARGE_BODIES = 1024 * 1024
"""From how many bytes on texts are large: callers bound how many such reads run at once."""
MAX_ESCAPE = 6
"""How many bytes of JSON a byte of text can become: a control character is written like `\\u0001`."""
ESCAPED_SHORT = '"\\\b\f\n\r\t'
ESCAPED_LONG = [chr(code) for code in range(0x20) if chr(code) not in ESCAPED_SHORT]

READ_AGAIN = 3
"""How often records are read whose texts were replaced before they could be read."""

CATEGORY_CACHE_BYTES = 64 * 1024 * 1024
MAX_CATEGORIES = 5_000
"""The most categories of a project that are read. A project may have 2,000; it could have more before that cap."""

EXCERPT_CACHE_CHARACTERS = 8_000_000
NEVER_CHANGES = 0
"""The revision of what is made of a body, which is immutable."""
DRAFT_BEGINNING = 20_000
"""How many characters of a draft its excerpt is taken from."""

BATCH = 1_000
"""How many documents a feed reads at once."""

Rows = list[dict[str, Any]]
Found = dict[str, Rows | Refusal]
Selected = Mapping[str, "Selection"]


@dataclass(frozen=True)
class Site:
    """What feeds say of a project as a whole, and the versions that they change with."""

    name: str
    url: str
    rev: int
    revision: int
    created_at: datetime


@dataclass(frozen=True)
class Selection:
    """One field of `Query` in a query: its name, its arguments, and what is selected of each document."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    html: int = 0
    """How many times html is in the answer for each document."""
    markdown: int = 0
    excerpt: bool = False
    category: bool = False


class DeliveryReader:
    """Reads what queries select; caches the categories of projects by delivery revision."""

    def __init__(self) -> None:
        self._categories: RevisionCache[Categories] = RevisionCache(CATEGORY_CACHE_BYTES, size_of=_size_of_categories)
        self._excerpts: RevisionCache[str] = RevisionCache(
            EXCERPT_CACHE_CHARACTERS, size_of=lambda text: len(text) + 400
        )
        self._category_reads: SingleFlight[Categories] = SingleFlight()
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
        """Returns the project's categories by id, as they are at a delivery revision or later."""
        known = self._categories.get(ctx.project_id, revision)
        return (
            known if known is not None else self._category_reads.read(ctx.project_id, lambda: self._read(ctx, revision))
        )

    def _read(self, ctx: Context, revision: int) -> Categories:
        known = self._categories.get(ctx.project_id, revision)
        if known is None:
            with ctx.store.deadline():
                rows = ctx.store.delivery.categories(ctx.project_id, MAX_CATEGORIES + 1)
            known = delivered_categories(rows)
            self._categories.put(ctx.project_id, revision, known)
        return known

    def read(
        self, ctx: Context, selected: Selected, revision: int, before_large: Callable[[], object] = lambda: None
    ) -> dict[str, Any]:
        """Returns what each selection finds, or the refusal that it meets; calls `before_large` before large texts.

        Refusals: `HttpApiDecodeError` for a page out of range, `Forbidden` for drafts without the permission,
        `ResponseTooLarge` for every selection of long texts when these are too long together.
        """
        needed = any(one.category or one.name in CATEGORY_QUERIES for one in selected.values())
        categories = self.categories(ctx, revision) if needed else {}
        if len(categories) > MAX_CATEGORIES:
            raise ResponseTooLarge(
                f"The project has over {MAX_CATEGORIES:,} categories, too many to read: delete some."
            )
        with ctx.store.deadline():
            for _ in range(READ_AGAIN):
                found: Found = {key: _rows(ctx, selection) for key, selection in selected.items()}
                size = _bodies_size(selected, found)
                if size > MAX_BODIES:
                    _refuse_bodies(selected, found)
                elif size > LARGE_BODIES:
                    before_large()
                texts = _texts(ctx, selected, found)
                if texts is not None:
                    if _encoded_size(selected, found, texts) > MAX_BODIES:
                        _refuse_bodies(selected, found)
                    excerpts = self._draft_excerpts(ctx, selected, found)
                    return {
                        key: _presented(selection, found[key], categories, texts, excerpts)
                        for key, selection in selected.items()
                    }
        raise ServiceUnavailable("What the query selects is being published over and over: try again in a moment.")

    def _draft_excerpts(self, ctx: Context, selected: Selected, found: Found) -> Mapping[str, str]:
        """Returns the excerpts made of drafts by the id of their content, each made once; one read a selection."""
        excerpts: dict[str, str] = {}
        for key, selection in selected.items():
            wanted = _without_excerpt(selection, found[key]) - excerpts.keys()
            cached = {body_id: self._excerpts.get(body_id, NEVER_CHANGES) for body_id in wanted}
            excerpts |= {body_id: excerpt for body_id, excerpt in cached.items() if excerpt is not None}
            texts = ctx.store.bodies.get_beginnings(ctx.project_id, wanted - excerpts.keys(), DRAFT_BEGINNING)
            for body_id, text in texts.items():
                excerpts[body_id] = first_paragraph(text) or ""
                self._excerpts.put(body_id, NEVER_CHANGES, excerpts[body_id])
        return excerpts


def shows_drafts(ctx: Context, selected: Selected) -> bool:
    """Returns whether an answer may have documents that are not published, so that no cache may store it."""
    return ctx.caller.drafts and any(
        one.name in ("document", "documentBySlug") or one.arguments.get("includeDrafts") for one in selected.values()
    )


def page_of(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns `limit` and `offset` of a list. Raises `HttpApiDecodeError` for those out of range."""
    return load(DeliveryPage, {name: value for name, value in arguments.items() if value is not None})


def _size_of_categories(categories: Categories) -> int:
    return 500 + sum(500 + 2 * len(category.description or "") for category in categories.values())


def _rows(ctx: Context, selection: Selection) -> Rows | Refusal:
    if selection.name in CATEGORY_QUERIES:
        return []
    try:
        return ROWS[selection.name](ctx, selection.arguments)
    except ServiceUnavailable:
        raise
    except Refusal as refusal:
        return refusal


def _document(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    row = ctx.store.delivery.one(ctx.project_id, arguments["id"], drafts=ctx.caller.drafts)
    return [] if row is None else [row]


def _document_by_slug(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    row = ctx.store.delivery.one_by_slug(ctx.project_id, arguments["slug"], drafts=ctx.caller.drafts)
    return [] if row is None else [row]


def _documents(ctx: Context, arguments: Mapping[str, Any]) -> Rows:
    page = page_of(arguments)
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
    skipped = 0 if found else max(0, offset - delivery.count_published(project_id, category_id))
    return found + delivery.unpublished(project_id, category_id, limit=limit - len(found), offset=skipped)


ROWS: Mapping[str, Callable[[Context, Mapping[str, Any]], Rows]] = {
    "document": _document,
    "documentBySlug": _document_by_slug,
    "documents": _documents,
    "documentsInCategory": _documents,
}
CATEGORY_QUERIES = ("category", "categories")


def _snapshots(selected: Selected, found: Found) -> Iterator[tuple[Selection, Mapping[str, Any]]]:
    """Yields the snapshots whose html or markdown is selected, each with its selection."""
    for key, selection in selected.items():
        rows = found[key]
        if (selection.html or selection.markdown) and not isinstance(rows, Refusal):
            yield from ((selection, row["snapshot"]) for row in rows if row.get("snapshot"))


def _bodies_size(selected: Selected, found: Found) -> int:
    return sum(
        selection.html * snapshot["htmlBytes"] + selection.markdown * snapshot["markdownBytes"]
        for selection, snapshot in _snapshots(selected, found)
    )


def _encoded_size(selected: Selected, found: Found, texts: Mapping[str, str]) -> int:
    """Returns how long the bodies are as JSON; roughly, where they are short enough in any case."""
    size = _bodies_size(selected, found)
    if size * MAX_ESCAPE <= MAX_BODIES:
        return size
    escapes = {body_id: _escapes(text) for body_id, text in texts.items()}
    return size + sum(
        selection.html * escapes.get(snapshot["htmlId"], 0)
        + selection.markdown * escapes.get(snapshot["markdownId"], 0)
        for selection, snapshot in _snapshots(selected, found)
    )


def _escapes(text: str) -> int:
    """Returns how many bytes longer a text is as JSON than in UTF-8."""
    return 2 + sum(map(text.count, ESCAPED_SHORT)) + 5 * sum(map(text.count, ESCAPED_LONG))


def _refuse_bodies(selected: Selected, found: Found) -> None:
    found.update({key: ResponseTooLarge() for key, one in selected.items() if one.html or one.markdown})


def _body_ids(selection: Selection, snapshot: Mapping[str, Any]) -> Sequence[str]:
    names = ("htmlId",) * bool(selection.html) + ("markdownId",) * bool(selection.markdown)
    return [snapshot[name] for name in names]


def _texts(ctx: Context, selected: Selected, found: Found) -> Mapping[str, str] | None:
    """Returns the long texts selected, in one read; None where one was replaced since its record was read."""
    wanted = {
        body_id for selection, snapshot in _snapshots(selected, found) for body_id in _body_ids(selection, snapshot)
    }
    texts = ctx.store.bodies.get_texts(ctx.project_id, wanted)
    return texts if len(texts) == len(wanted) else None


def _without_excerpt(selection: Selection, rows: Rows | Refusal) -> set[str]:
    """Returns the ids of the contents of drafts whose excerpt is selected and was not written."""
    if not selection.excerpt or isinstance(rows, Refusal):
        return set()
    drafts = (row for row in rows if not row.get("snapshot") and not row.get("excerpt"))
    return {row["contentId"] for row in drafts if row.get("contentId")}


def _presented(
    selection: Selection,
    rows: Rows | Refusal,
    categories: Categories,
    texts: Mapping[str, str],
    excerpts: Mapping[str, str],
) -> Any:
    """Returns what a selection gives: a list, one record or None, or its refusal."""
    if isinstance(rows, Refusal):
        return rows
    if selection.name == "categories":
        return list(categories.values())
    if selection.name == "category":
        return categories.get(selection.arguments["id"].lower())
    documents = [_filled(selection, row, categories, texts, excerpts) for row in rows]
    if selection.name in ("document", "documentBySlug"):
        return documents[0] if documents else None
    return documents


def _filled(
    selection: Selection,
    row: Mapping[str, Any],
    categories: Categories,
    texts: Mapping[str, str],
    excerpts: Mapping[str, str],
) -> DeliveredDocument:
    document = delivered_document(row, categories)
    if snapshot := row.get("snapshot"):
        if selection.html:
            document.html = texts[snapshot["htmlId"]]
        if selection.markdown:
            document.markdown = texts[snapshot["markdownId"]]
    elif selection.excerpt and document.excerpt is None:
        document.excerpt = excerpts.get(row.get("contentId") or "") or None
    return document
