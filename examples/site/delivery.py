"""The delivery API, called with the standard library alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

FETCHED = 100
"""How many documents or redirects one query lists, the most that the API allows."""
UNREACHABLE = (URLError, ConnectionError, TimeoutError)
"""The exceptions of a service that can't be reached, or that refuses: `HTTPError` is a `URLError`."""
NOT_MODIFIED, UNAUTHORIZED, NOT_FOUND, NO_SITE_URL = 304, 401, 404, 422

SHOWN = """title subtitle slug excerpt metaTitle metaDescription html
  coverImage { url alt } category { id } sources { number title url publisher publishedOn }"""
AUTHOR = "id slug name bio imageUrl"
DOCUMENT = f"""id isPublished publishedAt updatedAt wordCount clusterId {SHOWN}
  disclosure {{ value models reviewedAt responsible }}"""
CHANGES = f"""query Changes($after: String, $limit: Int) {{
  changes(after: $after, limit: $limit) {{
    cursor hasMore categoriesChanged authorsChanged removed {{ id }} documents {{ {DOCUMENT} author {{ id }} }}
  }}
}}"""
DRAFTS = f"""query Drafts($after: String, $limit: Int) {{
  documentsPage(after: $after, limit: $limit, includeDrafts: true) {{
    endCursor hasNextPage documents {{ {DOCUMENT} author {{ {AUTHOR} }} preview {{ {SHOWN} }} }}
  }}
}}"""
TOPICS = "{ categories { id slug name description parent { id } } }"
AUTHORS = f"{{ authors {{ {AUTHOR} }} }}"
REDIRECTS = "query Redirects($limit: Int, $offset: Int) { redirects(limit: $limit, offset: $offset) { from to } }"


class ApiError(Exception):
    """The API refused a request; the message says why."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(f"{message} ({code})")
        self.code = code


@dataclass(frozen=True)
class Delivery:
    """The delivery API, called with a delivery token."""

    url: str
    token: str

    def changes(self, after: str | None, tag: str | None) -> tuple[dict[str, Any], str] | None:
        """Returns what changed since a cursor, and the ETag of this response; None where the ETag is still `tag`.

        Refuses with `ApiError` a cursor that is too old, or of another project.
        """
        page, new = self._page(CHANGES, after, tag)
        return None if page is None else (page["changes"], new)

    def drafts(self) -> Iterator[dict[str, Any]]:
        """Yields every document with its `preview`, those published last first, then those that are not published."""
        has_next, after = True, None
        while has_next:
            page = self._page(DRAFTS, after)[0]["documentsPage"]
            yield from page["documents"]
            has_next, after = page["hasNextPage"], page["endCursor"]

    def topics(self) -> list[dict[str, Any]]:
        """Returns the categories by name."""
        topics: list[dict[str, Any]] = self._query(TOPICS)[0]["categories"]
        return topics

    def authors(self) -> list[dict[str, Any]]:
        """Returns the authors of published documents by name."""
        authors: list[dict[str, Any]] = self._query(AUTHORS)[0]["authors"]
        return authors

    def redirects(self) -> Iterator[dict[str, str]]:
        """Yields the slugs that documents were published under before, each with the present one."""
        offset = 0
        while page := self._query(REDIRECTS, limit=FETCHED, offset=offset)[0]["redirects"]:
            yield from page
            offset += FETCHED

    def file(self, name: str) -> str | None:
        """Returns a feed, the sitemap or the table of contents; None for a project that has no `siteUrl` yet."""
        return self._text(name)

    def markdown(self, slug: str) -> str | None:
        """Returns a document as markdown with front matter; None where it is not published any more."""
        return self._text(f"documents/{quote(slug, safe='')}", Accept="text/markdown")

    def _text(self, name: str, **headers: str) -> str | None:
        try:
            with self._open(f"/delivery/{name}", **headers) as answer:
                text: str = answer.read().decode()
        except HTTPError as refused:
            if refused.code in (NOT_FOUND, NO_SITE_URL):
                return None
            raise
        return text

    def _page(self, query: str, after: str | None, tag: str | None = None) -> Any:
        """Returns what `_query` does, of fewer documents where those of a whole page have over 16 MB."""
        limit = FETCHED
        while True:
            try:
                return self._query(query, tag, after=after, limit=limit)
            except ApiError as error:
                if error.code != "RESPONSE_TOO_LARGE" or limit == 1:
                    raise
                limit = -(-limit // 4)

    def _query(self, query: str, tag: str | None = None, **variables: Any) -> Any:
        """Returns the data of a query and its ETag; no data where the ETag is still the given one."""
        sent = urlencode({"query": query, "variables": json.dumps(variables)})
        known = {"If-None-Match": tag} if tag else {}
        try:
            with self._open(f"/graphql?{sent}", Accept="application/json", **known) as response:
                answer, new = json.loads(response.read()), response.headers["ETag"]
        except HTTPError as refused:
            if refused.code != NOT_MODIFIED:
                raise
            return None, tag
        if errors := answer.get("errors"):
            raise ApiError("; ".join(error["message"] for error in errors), errors[0]["extensions"]["code"])
        return answer["data"], new

    def _open(self, path: str, **headers: str) -> Any:
        headers["Authorization"] = f"Bearer {self.token}"
        return urlopen(Request(self.url + path, headers=headers), timeout=60)
