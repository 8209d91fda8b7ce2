"""Builds a static site from the delivery API: an index, a page per article and category, a feed and a sitemap.

Install Jinja first, and give the script a delivery token in DELIVERY_TOKEN:

    python -m pip install -r examples/site/requirements.txt
    python examples/site/build.py --api http://127.0.0.1:8000 --out site

It uses nothing of the service but its address and the token. With `--preview` and a token that has the drafts
permission, documents that are not published are in it too, each marked as a draft.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

try:
    from jinja2 import Environment, FileSystemLoader
except ModuleNotFoundError:
    raise SystemExit("Jinja is missing. Install it: python -m pip install -r examples/site/requirements.txt") from None

HERE = Path(__file__).parent
PAGE = 20
MAX_NAME_BYTES = 200
"""File systems allow 255 bytes; a slug of 200 characters can have 800."""

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
    """The API refused a request; the message says why."""


@dataclass(frozen=True)
class Api:
    """The delivery API, called with one token."""

    url: str
    token: str

    def query(self, query: str, **variables: Any) -> Any:
        """Returns the data of a query."""
        try:
            answer = json.loads(self._send("/graphql", json.dumps({"query": query, "variables": variables}).encode()))
        except HTTPError as refused:
            answer = json.loads(refused.read())
        if "_tag" in answer:
            raise ApiError(f"{answer['message']} ({answer['_tag']})")
        if errors := answer.get("errors"):
            raise ApiError("; ".join(f"{error['message']} ({error['extensions']['code']})" for error in errors))
        return answer["data"]

    def documents(self, drafts: bool) -> Iterator[dict[str, Any]]:
        """Yields every document, a page at a time; a page that is not full is the last."""
        offset = 0
        while True:
            page = self.query(DOCUMENTS, limit=PAGE, offset=offset, drafts=drafts)["documents"]
            yield from page
            if len(page) < PAGE:
                return
            offset += PAGE

    def feed(self, name: str) -> bytes | None:
        """Returns the feed or the sitemap; None for a project that has no `siteUrl` yet."""
        try:
            return SELF.sub(b"", self._send(f"/delivery/{name}.xml"))
        except HTTPError as refused:
            if refused.code == 422:
                return None
            raise

    def _send(self, path: str, body: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        with urlopen(Request(self.url.rstrip("/") + path, body, headers), timeout=60) as answer:
            content: bytes = answer.read()
        return content


def build(api: Api, out: Path, *, title: str, preview: bool = False) -> int:
    """Writes the site into a folder, in place of what was there, and returns how many articles it has.

    The folder keeps its content until the new site is complete.
    """
    documents = list(api.documents(preview))
    categories = api.query(CATEGORIES)["categories"]
    feeds = {name: api.feed(name) for name in ("feed", "sitemap")}
    out = out.resolve()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as folder:
        new, old = Path(folder, "new"), Path(folder, "old")
        new.mkdir()
        write = Writer(new, title=title, preview=preview, has_feed=feeds["feed"] is not None)
        write("index.html", "index.html", documents=documents, categories=_used(categories, documents))
        for document in documents:
            write(f"articles/{page_name(document['slug'])}", "article.html", document=document)
        for category in categories:
            own = [one for one in documents if one["category"] and one["category"]["id"] == category["id"]]
            below = [one for one in categories if one["category"] and one["category"]["id"] == category["id"]]
            page = f"categories/{page_name(category['slug'])}"
            write(page, "category.html", category=category, documents=own, below=below)
        shutil.copy(HERE / "style.css", new)
        for name, content in feeds.items():
            if content is not None:
                (new / f"{name}.xml").write_bytes(content)
        if out.exists():
            out.rename(old)
        new.rename(out)
    return len(documents)


def page_name(slug: str) -> str:
    """Returns the name of a page's file: the slug, or its beginning and a hash where it is too long for a file."""
    name = slug.encode()
    if len(name) > MAX_NAME_BYTES:
        slug = f"{name[: MAX_NAME_BYTES - 17].decode(errors='ignore')}-{hashlib.sha256(name).hexdigest()[:16]}"
    return f"{slug}.html"


class Writer:
    """Writes pages from templates; everything that is not html already is escaped."""

    def __init__(self, out: Path, **shared: Any) -> None:
        self._out = out
        self._shared = shared
        self._templates = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, trim_blocks=True)
        self._templates.filters["page"] = page_name

    def __call__(self, path: str, template: str, **values: Any) -> None:
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        root = "../" * path.count("/")
        file.write_text(self._templates.get_template(template).render(root=root, **self._shared, **values), "utf-8")


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
    try:
        count = build(Api(given.api, token), given.out, title=given.title, preview=given.preview)
    except ApiError as error:
        raise SystemExit(f"The delivery API refused: {error}") from error
    except HTTPError as error:
        raise SystemExit(f"The delivery API refused: {error.code} {error.reason}") from error
    except (URLError, TimeoutError) as error:
        raise SystemExit(f"The delivery API at {given.api} can't be reached: {error}") from error
    print(f"{count} articles in {given.out}/")


if __name__ == "__main__":
    main()
