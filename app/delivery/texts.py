"""The long texts of a response: html and markdown, all read at once when it is known which ones it has.

While a query is executed, each text is a placeholder (`Text`). So their total size is known before one is read, and
one read is enough for all. (decisions, section 7)
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from threading import Condition
from typing import Any

from cachetools import LRUCache, cached

from app.core.context import Context
from app.core.errors import ResponseTooLarge, ServiceUnavailable, WriteConflict
from app.core.store.bodies import Bodies
from app.core.store.caches import SharedCache
from app.core.text.html import first_paragraph
from app.documents.rendering import completed, render_content
from app.publications.rules import Rendered

MAX_BODIES = 16 * 1024 * 1024
"""Maximum number of bytes of html and markdown in one response."""
EXCERPT_CACHE_CHARACTERS = 8_000_000
RENDERED_CACHE_BYTES = 32 * 1024 * 1024
ENTRY_BYTES = 400
"""The bytes that a cached text takes in addition to its characters."""
DRAFT_BEGINNING = 20_000
"""How many characters of a draft its excerpt is taken from."""
RENDERING_SECONDS = 5.0
"""How long drafts are rendered for one response before the next one is refused."""
TOO_SLOW = "Rendering these previews takes too long: ask for the html of fewer at once."

_excerpts: SharedCache[str] = SharedCache(EXCERPT_CACHE_CHARACTERS, lambda text: len(text) + ENTRY_BYTES)
"""The excerpts that are generated from the contents of drafts, by the store and the content's id."""


class Text(str):
    """The placeholder of a text in a response: the id of its body, and after `Texts.read` its content."""

    content: str | None = None
    document: Mapping[str, Any] | None = None
    """The document whose html is rendered from the body; the content is None if that is too long to be published."""


class Texts:
    """The texts of one response."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._places: list[Text] = []
        self._sizes: dict[str, int] = {}
        """The bytes of bodies, as far as records tell them."""

    def stored(self, body_id: str, size: int | None = None) -> Text:
        """Returns the placeholder of a stored text."""
        text = Text(body_id)
        self._places.append(text)
        if size is not None:
            self._sizes[body_id] = size
        return text

    def rendered(self, document: Mapping[str, Any]) -> Text:
        """Returns the placeholder of html that is rendered from the present content of a document."""
        text = self.stored(document["contentId"])
        text.document = document
        return text

    def read(self, hold: Callable[[int], None]) -> None:
        """Reads the texts of all placeholders. Raises `WriteConflict` where one was replaced meanwhile.

        Calls `hold`, which may refuse, with their size in bytes before they are read. Refuses with `ResponseTooLarge`
        texts that are too long in total, and with `ServiceUnavailable` drafts that take too long to render.
        """
        times = Counter(self._places)
        unknown = times.keys() - self._sizes.keys()
        self._sizes |= self._ctx.store[Bodies].get_sizes(self._ctx.project_id, unknown)
        size = sum(count * self._sizes.get(one, 0) for one, count in times.items())
        if size > MAX_BODIES:
            raise ResponseTooLarge
        hold(size)
        bodies = self._ctx.store[Bodies].get_texts(self._ctx.project_id, times)
        if len(bodies) < len(times):
            raise WriteConflict
        ends, length = time.monotonic() + RENDERING_SECONDS, 0
        for text in self._places:
            if text.document and time.monotonic() > ends:
                raise ServiceUnavailable(TOO_SLOW)
            text.content = self._preview(text.document, bodies[text]) if text.document else bodies[text]
            length += len(text.content or "")
            if length > MAX_BODIES:  # html can be hundreds of times as long as its markdown
                raise ResponseTooLarge
        whole = [text for text in self._places if text.content]
        delivered = self._ctx.features.deliver_texts(self._ctx, [text.content or "" for text in whole])
        for text, content in zip(whole, delivered, strict=True):
            text.content = content

    def _preview(self, document: Mapping[str, Any], markdown: str) -> str | None:
        """Returns the html of a draft as publishing would make it; None where it is too long to be published."""
        to_render = self._ctx.features.to_render(self._ctx, document, markdown)
        rendered = _rendered(self._ctx, document["contentId"], markdown, to_render)
        text = completed(self._ctx, rendered) if rendered else None
        return text.html if text else None

    def excerpts(self, body_ids: Iterable[str]) -> Mapping[str, str]:
        """Returns the excerpts that are generated from the contents of drafts, by the content's id, in one read."""
        wanted = set(body_ids)
        scope = self._ctx.store.cache_scope
        excerpts = {one: known for one in wanted if (known := _excerpts.get((scope, one))) is not None}
        unknown = wanted - excerpts.keys()
        beginnings = self._ctx.store[Bodies].get_beginnings(self._ctx.project_id, unknown, DRAFT_BEGINNING)
        for body_id, beginning in beginnings.items():
            excerpts[body_id] = first_paragraph(beginning) or ""
            _excerpts.put((scope, body_id), excerpts[body_id])
        return excerpts


def _size_of_rendered(rendered: Rendered | None) -> int:
    return 2 * len(rendered.html if rendered else "") + ENTRY_BYTES


@cached(
    LRUCache(RENDERED_CACHE_BYTES, _size_of_rendered),
    lambda ctx, body_id, markdown, to_render: (ctx.store.cache_scope, body_id, hash(to_render)),
    condition=Condition(),
)
def _rendered(ctx: Context, body_id: str, markdown: str, to_render: str) -> Rendered | None:
    """Returns a draft's content, rendered; None where its html is too long to be published."""
    return render_content(ctx, body_id, markdown, to_render)
