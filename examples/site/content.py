"""What the site shows: read from the delivery API, and kept between builds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from delivery import AUTHORS, CHANGES, TOPICS, ApiError, Delivery

READS = 10
"""How often is read what stands beside the documents, until nothing was published meanwhile."""
FILES = ("feed.xml", "sitemap.xml", "documents.md")
"""What the service makes of the whole project."""
BEGIN_ANEW = ("CURSOR_EXPIRED", "BAD_USER_INPUT")
"""The codes for a cursor that is too old, and for one of another project."""
QUERIES = [CHANGES, TOPICS, AUTHORS]
KEPT = ".kept.json"
"""The file with what the last build read."""

Article = dict[str, Any]
Place = tuple[str | None, str | None]


class SiteError(Exception):
    """The site can't be built as the project is set up; the message says what to change."""


@dataclass
class Content:
    """What the site shows, and how far it was read."""

    cursor: str | None = None
    tag: str | None = None
    """The ETag of the response to this cursor: while it is the same, nothing changed."""
    articles: dict[str, Article] = field(default_factory=dict)
    """The documents by id, each with its `markdown`, if it is published."""
    topics: list[dict[str, Any]] = field(default_factory=list)
    authors: list[dict[str, Any]] = field(default_factory=list)
    redirects: list[dict[str, str]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    """What the service made of `FILES`, without feeds where the project has no `siteUrl`."""

    @property
    def place(self) -> Place:
        """What is another one whenever the content is."""
        return self.cursor, self.tag

    def follow(self, api: Delivery) -> None:
        """Reads what changed since the last time: one request where nothing did.

        Goes on until nothing was published meanwhile, so that the pages show one moment.
        """
        reads = 0
        while (answer := self._changes(api)) is not None:
            page, tag = answer
            if self._apply(page):
                continue
            if reads == READS:
                raise SiteError(f"Something was published during each of {READS} reads: build again in a moment.")
            reads += 1
            self._read_others(api)
            self.tag = tag

    def _changes(self, api: Delivery) -> tuple[dict[str, Any], str] | None:
        try:
            return api.changes(self.cursor, self.tag)
        except ApiError as error:
            if error.code not in BEGIN_ANEW or self.cursor is None:
                raise
        self.cursor, self.tag, self.articles = None, None, {}
        return api.changes(None, None)

    def _apply(self, page: dict[str, Any]) -> bool:
        """Takes over one page of changes; returns False where it has none, so that all were read."""
        renamed = page["categoriesChanged"] or page["authorsChanged"]
        if not (page["documents"] or page["removed"] or page["hasMore"] or renamed):
            return False
        if renamed:
            self._forget_markdown()
        for one in page["removed"]:
            self.articles.pop(one["id"], None)
        self.articles |= {one["id"]: one for one in page["documents"]}
        self.cursor, self.tag = page["cursor"], None
        return True

    def _read_others(self, api: Delivery) -> None:
        """Reads what stands beside the documents, and the markdown of those that changed."""
        self.topics, self.authors, self.redirects = api.topics(), api.authors(), list(api.redirects())
        files = {name: text for name in FILES if (text := api.file(name)) is not None}
        if files.keys() != self.files.keys():  # `siteUrl` was set or cleared, which is in the markdown too
            self._forget_markdown()
        self.files = files
        for article in self.articles.values():
            if "markdown" not in article:
                article["markdown"] = api.markdown(article["slug"])

    def _forget_markdown(self) -> None:
        """Has all markdown read again: its front matter names authors, topics and addresses."""
        for article in self.articles.values():
            article.pop("markdown", None)

    def save(self, out: Path) -> None:
        """Keeps the content for the next build in the folder."""
        text = json.dumps({"queries": QUERIES, **asdict(self)}, ensure_ascii=False)
        new = out / f"{KEPT}.new"
        new.write_text(text, "utf-8")
        new.replace(out / KEPT)


def kept_content(out: Path) -> Content:
    """Returns what the last build in a folder kept; nothing where there was none, or it read other fields."""
    kept = json.loads((out / KEPT).read_text("utf-8")) if (out / KEPT).exists() else {}
    return Content(**kept) if kept.pop("queries", None) == QUERIES else Content()


def drafts(api: Delivery) -> Content:
    """Returns every document as it is now, published or not."""
    documents = list(api.drafts())
    authors = {one["author"]["id"]: one["author"] for one in documents if one["author"]}
    articles = {one["id"]: _as_it_is_now(one) for one in documents}
    return Content(articles=articles, topics=api.topics(), authors=list(authors.values()))


def _as_it_is_now(document: dict[str, Any]) -> Article:
    now = document["preview"] or {}
    edited = any(document[name] != value for name, value in now.items())
    return {**document, **now, "edited": edited}
