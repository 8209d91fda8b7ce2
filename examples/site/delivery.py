"""The two APIs that the site is built from, called with the standard library alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

FETCHED = 100
"""How many documents or redirects one query lists, the most that the API allows."""
TEXTS_FETCHED = 15
"""How many texts one query fetches: a query may have so many aliases."""
WAIT_SECONDS = 25
"""How long the feed of events is asked to wait for one."""
POLL_SECONDS = 1.0
"""How long to wait between two requests, where the feed of events answers at once."""

UNREACHABLE = (URLError, ConnectionError, TimeoutError)
"""The exceptions of a service that can't be reached, or that refuses: `HTTPError` is a `URLError`."""
SERVER_ERRORS = 500
"""The lowest status of a service, or a proxy before it, that is about to work again."""

SHOWN = "title subtitle slug excerpt metaTitle metaDescription coverImage { url }"
ARTICLES = """
query Articles($limit: Int, $offset: Int, $drafts: Boolean!) {
  documentsPage(limit: $limit, offset: $offset, includeDrafts: $drafts) {
    hasNextPage
    documents {
      id isPublished publishedAt updatedAt wordCount SHOWN
      author { id name }
      disclosure { value models reviewedAt responsible }
      sources { number title url publisher publishedOn }
      category { slug name }
      related(limit: 3) { id }
      preview @include(if: $drafts) { version updatedAt SHOWN }
    }
  }
}
""".replace("SHOWN", SHOWN)
TOPICS = "{ categories { slug name description parent { slug name } } }"
REDIRECTS = "query Redirects($limit: Int, $offset: Int) { redirects(limit: $limit, offset: $offset) { from to } }"


def may_pass(error: Exception) -> bool:
    """Returns whether the same request may succeed soon, as when the service restarts."""
    return isinstance(error, UNREACHABLE) and not (isinstance(error, HTTPError) and error.code < SERVER_ERRORS)


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

    def articles(self, *, drafts: bool) -> Iterator[dict[str, Any]]:
        """Yields every document without its text, those published last first."""
        has_next, offset = True, 0
        while has_next:
            page = self.query(ARTICLES, limit=FETCHED, offset=offset, drafts=drafts)["documentsPage"]
            yield from page["documents"]
            has_next, offset = page["hasNextPage"], offset + FETCHED

    def texts(self, ids: list[str], *, drafts: bool) -> dict[str, Any]:
        """Returns `html` of documents by id, and with `drafts` the `preview` that has the present one."""
        found: dict[str, Any] = {}
        for start in range(0, len(ids), TEXTS_FETCHED):
            part = ids[start : start + TEXTS_FETCHED]
            try:
                found |= self._texts(part, drafts)
            except ApiError as error:
                if error.code != "RESPONSE_TOO_LARGE" or len(part) == 1:
                    raise
                for one in part:
                    found |= self._texts([one], drafts)
        return found

    def _texts(self, ids: list[str], drafts: bool) -> dict[str, Any]:
        html = "html preview { html }" if drafts else "html"
        fields = " ".join(f'd{number}: document(id: "{one}") {{ {html} }}' for number, one in enumerate(ids))
        data = self.query(f"{{ {fields} }}")
        return {one: data[f"d{number}"] for number, one in enumerate(ids)}

    def topics(self) -> list[dict[str, Any]]:
        """Returns the categories by name."""
        topics: list[dict[str, Any]] = self.query(TOPICS)["categories"]
        return topics

    def redirects(self) -> Iterator[dict[str, str]]:
        """Yields the slugs that documents were published under before, each with the present one."""
        offset = 0
        while page := self.query(REDIRECTS, limit=FETCHED, offset=offset)["redirects"]:
            yield from page
            offset += FETCHED

    def state(self) -> str:
        """Returns what changes whenever something is published or unpublished: the ETag of any query in an address."""
        with _open(f"{self.url}/graphql?query={{__typename}}", self.token) as answer:
            tag: str = answer.headers["ETag"]
        return tag

    def feed(self, name: str) -> str | None:
        """Returns the feed or the sitemap; None for a project that has no `siteUrl` yet."""
        try:
            return _send(f"{self.url}/delivery/{name}.xml", self.token).decode()
        except HTTPError as refused:
            if refused.code == 422:
                return None
            raise

    def query(self, query: str, **variables: Any) -> Any:
        """Returns the data of a query."""
        try:
            answer = json.loads(_send(f"{self.url}/graphql", self.token, {"query": query, "variables": variables}))
        except HTTPError as refused:
            if may_pass(refused):
                raise
            answer = json.loads(refused.read())
        if errors := answer.get("errors"):
            raise ApiError("; ".join(error["message"] for error in errors), errors[0]["extensions"]["code"])
        return answer["data"]


class Events:
    """The feed of events, read with a management token that has the scope `read`, from now on."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._cursor: str | None = None
        while self._page(wait=0):
            pass

    def wait(self) -> None:
        """Returns when something happened; a service that restarts is asked again."""
        while True:
            began = time.monotonic()
            try:
                if self._page(wait=WAIT_SECONDS):
                    return
            except UNREACHABLE as error:
                if not may_pass(error):
                    raise
            time.sleep(max(0.0, POLL_SECONDS - (time.monotonic() - began)))

    def _page(self, *, wait: int) -> bool:
        """Reads on, and returns whether there was something to read."""
        asked = {"limit": 1_000, "wait": wait} | ({"after": self._cursor} if self._cursor else {})
        page = json.loads(_send(f"{self._url}/events?{urlencode(asked)}", self._token))
        self._cursor = page["cursor"]
        return bool(page["events"])


def _send(url: str, token: str, body: Any = None) -> bytes:
    with _open(url, token, body) as answer:
        content: bytes = answer.read()
    return content


def _open(url: str, token: str, body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(url, data, headers), timeout=60)
