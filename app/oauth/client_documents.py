"""The metadata documents of clients, which are fetched from the address that is the client's id.

(decisions, section 16)
"""

import re
import threading
from urllib.parse import unquote

import h11
import orjson
from cachetools import TLRUCache
from werkzeug.datastructures import ResponseCacheControl
from werkzeug.http import parse_cache_control_header

from app.core.concurrency import ConcurrencyLimit
from app.core.errors import HttpApiDecodeError, RateLimited
from app.core.schemas.loading import load
from app.core.store.request_time import standing_still
from app.http.callers import client_address
from app.http.rate_limits import RateLimit
from app.oauth.rules import Client, client_of
from app.oauth.schemas import ClientMetadata, is_redirect
from app.outbound.requests import OutboundClient

HEADERS = {"Accept": "application/json"}
WITH_PATH = re.compile("https?://[^/?]+/[^?]")
DOTS = re.compile(r"/\.\.?(?:[/?]|$)")
SECONDS = 5.0
MAX_BYTES = 5 * 1024
MAX_HEADERS = 16 * 1024
LONGEST, USUAL = 3_600, 60
"""How many seconds a document is cached: at most, and without `Cache-Control`."""

PER_MINUTE = 30
FETCHES = ConcurrencyLimit(8, each=2, busy="Too many clients are looked up right now: try again in a moment.")
"""Anybody can have a document fetched, so few are fetched at the same time, in all and for one address."""


class ClientDocuments:
    """Fetches documents, and caches each as long as its headers say, but at most an hour."""

    def __init__(self, *, allow_local: bool) -> None:
        self._outbound = OutboundClient(allow_local=allow_local, seconds=SECONDS, max_bytes=MAX_BYTES + MAX_HEADERS)
        self._limit = RateLimit("client documents", PER_MINUTE)
        self._lock = threading.Lock()
        self._known: TLRUCache[str, tuple[Client, float]] = TLRUCache(1_000, lambda _, one, now: now + one[1])

    def get(self, address: str) -> Client | None:
        """Returns the client whose document is at an address; None if there is none.

        Refuses with `RateLimited` and `ServiceUnavailable` where too many are fetched.
        """
        if not (is_redirect(address) and WITH_PATH.match(address)) or DOTS.search(unquote(address)):
            return None
        with self._lock:
            if known := self._known.get(address):
                return known[0]
        asker = client_address()
        if not self._limit.hit(asker).allowed:
            raise RateLimited("Too many clients were looked up for this address: wait a minute, then try again.")
        with FETCHES.holding(asker), standing_still():
            try:
                response, body = self._outbound.exchange("GET", address, HEADERS)
            except (OSError, ValueError, h11.ProtocolError):
                return None
        client = _client(address, body or b"") if response.status_code == 200 else None
        if client is not None and (seconds := _seconds(response)) > 0:
            with self._lock:
                self._known[address] = client, seconds
        return client


def _client(address: str, body: bytes) -> Client | None:
    """Returns the client that a document describes; None if it describes no client at this address."""
    try:
        metadata = orjson.loads(body)
        if len(body) > MAX_BYTES or not isinstance(metadata, dict) or metadata.get("client_id") != address:
            return None
        return client_of(address, load(ClientMetadata, metadata))
    except (orjson.JSONDecodeError, HttpApiDecodeError):
        return None


def _seconds(response: h11.Response) -> float:
    """Returns how many seconds a document may be cached."""
    values = [value.decode("latin-1") for name, value in response.headers if name == b"cache-control"]
    stated = parse_cache_control_header(", ".join(values), cls=ResponseCacheControl)
    if stated.no_store or stated.no_cache:
        return 0
    return USUAL if stated.max_age is None else min(stated.max_age, LONGEST)
