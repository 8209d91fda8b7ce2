"""Builds a static site from the delivery API: an index, a page an article, a page a category, a feed and a sitemap.

    DELIVERY_TOKEN=cwd_… python build.py --api http://127.0.0.1:8000 --out site

It needs jinja2 and httpx, and nothing of the service but its address and a delivery token. With `--preview` and a token
that has the drafts permission, documents that are not published are in it too, each marked as one.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from jinja2 import Environment, FileSystemLoader

HERE = Path(__file__).parent
PAGE = 20

CATEGORIES = "{ categories { id name slug description category { id } } }"
DOCUMENTS = """
query Documents($limit: Int, $offset: Int, $drafts: Boolean) {
  documents(limit: $limit, offset: $offset, includeDrafts: $drafts) {
    id title subtitle slug excerpt html publishedAt isPublished metaTitle metaDescription
    coverImage { url }
    category { id name slug category { name slug } }
  }
}
"""


SELF = re.compile(rb'<link rel="self"[^>]*/>\n')
"""Where the feed was fetched: nothing that the site's readers should see."""


class ApiError(Exception):
    """The API refused, and said why."""


@dataclass(frozen=True)
class Api:
    """The delivery API, asked with one token."""

    client: httpx.Client

    def query(self, query: str, **variables: Any) -> Any:
        """Returns what a query gives."""
        answer = self.client.post("/graphql", json={"query": query, "variables": variables}).json()
        if errors := answer.get("errors"):
            raise ApiError("; ".join(f"{error['message']} ({error['extensions']['code']})" for error in errors))
        return answer["data"]

    def documents(self, drafts: bool) -> Iterator[dict[str, Any]]:
        """Yields every document, a page at a time: one that is shorter than asked for is the last."""
        offset = 0
        while True:
            page = self.query(DOCUMENTS, limit=PAGE, offset=offset, drafts=drafts)["documents"]
            yield from page
            if len(page) < PAGE:
                return
            offset += PAGE

    def feed(self, name: str) -> bytes | None:
        """Returns the feed or the sitemap; None for a project that has no `siteUrl` yet."""
        answer = self.client.get(f"/delivery/{name}.xml")
        if answer.status_code == 422:
            return None
        return SELF.sub(b"", answer.raise_for_status().content)


def build(api: Api, out: Path, *, title: str, preview: bool = False) -> int:
    """Writes the site into a folder, in place of what was there, and returns how many articles it has."""
    documents = list(api.documents(preview))
    categories = api.query(CATEGORIES)["categories"]
    feeds = {name: api.feed(name) for name in ("feed", "sitemap")}
    shutil.rmtree(out, ignore_errors=True)
    write = Writer(out, title=title, preview=preview, has_feed=feeds["feed"] is not None)
    write("index.html", "index.html", documents=documents, categories=_used(categories, documents))
    for document in documents:
        write(f"articles/{document['slug']}.html", "article.html", document=document)
    for category in categories:
        own = [one for one in documents if one["category"] and one["category"]["id"] == category["id"]]
        below = [one for one in categories if one["category"] and one["category"]["id"] == category["id"]]
        write(f"categories/{category['slug']}.html", "category.html", category=category, documents=own, below=below)
    shutil.copy(HERE / "style.css", out)
    for name, content in feeds.items():
        if content is not None:
            (out / f"{name}.xml").write_bytes(content)
    return len(documents)


class Writer:
    """Writes pages from templates; whatever is not html already is escaped."""

    def __init__(self, out: Path, **shared: Any) -> None:
        self._out = out
        self._shared = shared
        self._templates = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, trim_blocks=True)

    def __call__(self, path: str, template: str, **values: Any) -> None:
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * path.count("/")
        file.write_text(self._templates.get_template(template).render(root=root, **self._shared, **values))


def _used(categories: list[dict[str, Any]], documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    used = {document["category"]["id"] for document in documents if document["category"]}
    return [category for category in categories if category["id"] in used]


def main() -> None:
    """Reads the command line and builds the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the service's address")
    parser.add_argument("--out", type=Path, default=Path("site"), help="the folder to write")
    parser.add_argument("--title", default="The Crust", help="the site's name")
    parser.add_argument("--preview", action="store_true", help="with drafts; the token needs the permission")
    given = parser.parse_args()
    token = os.environ.get("DELIVERY_TOKEN", "")
    if not token:
        raise SystemExit("Set DELIVERY_TOKEN to a delivery token of the project: cwd_…")
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=given.api, headers=headers, timeout=60) as client:
        try:
            count = build(Api(client), given.out, title=given.title, preview=given.preview)
        except ApiError as error:
            raise SystemExit(f"The delivery API refused: {error}") from error
        except httpx.HTTPError as error:
            raise SystemExit(f"The delivery API at {given.api} can't be reached: {error}") from error
    print(f"{count} articles in {given.out}/")


if __name__ == "__main__":
    main()
