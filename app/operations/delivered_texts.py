"""The long texts of a response: html, markdown and excerpts, bounded in total before any is read.

A text is stored, or it is the html of a draft, which is rendered when a preview shows it (decisions, section 7).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson

from app.errors import ServiceUnavailable
from app.operations.context import Context
from app.operations.rendering import render
from app.operations.revision_cache import RevisionCache
from app.operations.selections import DocumentSelection
from app.rules.documents import DeliveryRow
from app.rules.text import first_paragraph
from app.rules.words import PART

MAX_BODIES = 16 * 1024 * 1024
"""The most bytes of html and markdown in one response, as JSON."""

EXCERPT_CACHE_CHARACTERS = 8_000_000
RENDERED_CACHE_BYTES = 32 * 1024 * 1024
ENTRY_BYTES = 400
"""What a cached text takes beside its characters."""
NEVER_CHANGES = 0
"""The revision of texts that are generated from a body, which is immutable."""
DRAFT_BEGINNING = 20_000
"""How many characters of a draft its excerpt is taken from."""
RENDERING_SECONDS = 5.0
"""How long drafts are rendered for one response before the next one is refused."""


@dataclass
class ResponseDocument:
    """A document in a response: what is selected of it, its stored record, and the documents related to it."""

    selection: DocumentSelection
    row: DeliveryRow
    related: Mapping[str, list[ResponseDocument]] = field(default_factory=dict)

    def all(self) -> Iterable[ResponseDocument]:
        """Yields the document and those related to it, at any depth."""
        yield self
        for documents in self.related.values():
            for document in documents:
                yield from document.all()


class TextRef(NamedTuple):
    """Names a text of a response: a stored body, or the html that is rendered from one."""

    body_id: str
    is_rendered: bool = False


class TooLong(Exception):
    """The texts selected are over `MAX_BODIES` together."""


Texts = Mapping[TextRef, str | None]
"""Texts as they are delivered; None for html that is too long to be rendered."""


@dataclass(frozen=True)
class _Rendered:
    html: str | None


class TextReader:
    """Reads the texts of responses; caches those that are generated from drafts."""

    def __init__(self) -> None:
        self._excerpts: RevisionCache[str] = RevisionCache(
            EXCERPT_CACHE_CHARACTERS, size_of=lambda text: len(text) + ENTRY_BYTES
        )
        self._rendered: RevisionCache[_Rendered] = RevisionCache(
            RENDERED_CACHE_BYTES, size_of=lambda rendered: 2 * len(rendered.html or "") + ENTRY_BYTES
        )

    def read(
        self, ctx: Context, documents: Iterable[ResponseDocument], before_large: Callable[[int], object]
    ) -> Texts | None:
        """Returns the html and markdown that is selected, in one read; None where one was replaced meanwhile.

        Calls `before_large` with their size before it reads them. Raises `TooLong` before any is read, where that is
        known before, and `ServiceUnavailable` where rendering drafts takes too long.
        """
        times: Counter[TextRef] = Counter()
        sizes: dict[TextRef, int] = {}
        for document in documents:
            _note_texts(ctx, document, times, sizes)
        if not times:
            return {}
        rendered = {text: self._rendered.get(text.body_id, NEVER_CHANGES) for text in times if text.is_rendered}
        of_unknown_size = {text.body_id for text in times if text not in sizes}
        known = ctx.store.bodies.get_sizes(ctx.project_id, of_unknown_size)
        sizes |= {text: known.get(text.body_id, 0) for text in times if text not in sizes}
        size = sum(count * sizes[text] for text, count in times.items())
        if size > MAX_BODIES:
            raise TooLong
        before_large(size)
        stored = {text.body_id for text in times if not text.is_rendered or rendered[text] is None}
        bodies = ctx.store.bodies.get_texts(ctx.project_id, stored)
        if len(bodies) < len(stored):
            return None
        texts: dict[TextRef, str | None] = {text: bodies[text.body_id] for text in times if not text.is_rendered}
        ends = time.monotonic() + RENDERING_SECONDS
        for text, cached in rendered.items():
            texts[text] = (cached or self._render(ctx, text.body_id, bodies, ends)).html
        if sum(times[text] * _length_as_json(content) for text, content in texts.items() if content) > MAX_BODIES:
            raise TooLong
        return texts

    def _render(self, ctx: Context, body_id: str, bodies: Mapping[str, str], ends: float) -> _Rendered:
        if time.monotonic() > ends:
            raise ServiceUnavailable("Rendering these previews takes too long: ask for the html of fewer at once.")
        made = render(ctx, bodies[body_id])
        rendered = _Rendered(made.html if made else None)
        self._rendered.put(body_id, NEVER_CHANGES, rendered)
        return rendered

    def excerpts(self, ctx: Context, content_ids: Iterable[str]) -> Mapping[str, str]:
        """Returns the excerpts that are generated from the contents of drafts, by the content's id, in one read."""
        wanted = set(content_ids)
        cached = {body_id: self._excerpts.get(body_id, NEVER_CHANGES) for body_id in wanted}
        excerpts = {body_id: excerpt for body_id, excerpt in cached.items() if excerpt is not None}
        beginnings = ctx.store.bodies.get_beginnings(ctx.project_id, wanted - excerpts.keys(), DRAFT_BEGINNING)
        for body_id, text in beginnings.items():
            excerpts[body_id] = first_paragraph(text) or ""
            self._excerpts.put(body_id, NEVER_CHANGES, excerpts[body_id])
        return excerpts


def content_to_excerpt(row: DeliveryRow) -> str | None:
    """Returns the id of the content that a draft's excerpt is generated from; None if it needs none or has none."""
    return None if row.get("excerpt") else row.get("contentId")


def preview_html(row: DeliveryRow, content_id: str) -> TextRef:
    """Returns the html of a document's present content: the one that is delivered, where the content is the same."""
    snapshot = row.get("snapshot")
    if snapshot and snapshot["markdownId"] == content_id:
        return TextRef(snapshot["htmlId"])
    return TextRef(content_id, is_rendered=True)


def _note_texts(ctx: Context, document: ResponseDocument, times: Counter[TextRef], sizes: dict[TextRef, int]) -> None:
    """Counts how often each text is in the response for a document, and notes the sizes in its record."""
    selection, row, snapshot = document.selection, document.row, document.row.get("snapshot")
    if snapshot:
        html, markdown = TextRef(snapshot["htmlId"]), TextRef(snapshot["markdownId"])
        if selection.html:
            times[html] += selection.html
        if selection.markdown:
            times[markdown] += selection.markdown
        sizes[html], sizes[markdown] = snapshot["htmlBytes"], snapshot["markdownBytes"]
    if selection.preview and ctx.caller.drafts and (content_id := row.get("contentId")):
        if selection.preview.html:
            times[preview_html(row, content_id)] += selection.preview.html
        if selection.preview.markdown:
            times[TextRef(content_id)] += selection.preview.markdown


def _length_as_json(text: str) -> int:
    """Returns how many bytes a text takes as JSON; it is encoded in parts, between which other threads may go on."""
    parts = (text[start : start + PART] for start in range(0, len(text), PART))
    return 2 + sum(len(orjson.dumps(part)) - 2 for part in parts)
