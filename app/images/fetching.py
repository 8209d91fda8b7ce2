"""Fetches a picture from an address that a caller names, as webhooks are sent: to public addresses alone."""

from urllib.parse import urlsplit

import h11

from app.core.concurrency import ConcurrencyLimit
from app.core.context import Context
from app.core.store.request_time import standing_still
from app.core.vocabulary import Channel
from app.outbound.ip_addresses import wrong_url
from app.outbound.requests import OutboundClient

SECONDS = 10.0
MAX_BYTES = 20 * 1024 * 1024
MAX_HEADERS = 16 * 1024
HEADERS = {"Accept": "image/*", "User-Agent": "content-workflow"}
NOT_FETCHED = (
    "Can't be fetched: it must answer within 10 seconds with status 200 and at most 20 MB, without a redirect."
)
FETCHES = ConcurrencyLimit(8, each=4, busy="Too many pictures are fetched right now: try again in a few seconds.")


class NotFetched(Exception):
    """An address from which no picture comes; the message says why."""


def fetch(ctx: Context, url: str, hosts: list[str]) -> bytes:
    """Returns the file at an address. Raises `NotFetched`; refuses with `ServiceUnavailable` while many are fetched."""
    allow_local = ctx.server.webhooks_allow_local
    if problem := _problem(ctx, url, hosts, allow_local):
        raise NotFetched(problem)
    client = OutboundClient(allow_local=allow_local, seconds=SECONDS, max_bytes=MAX_BYTES + MAX_HEADERS)
    with FETCHES.holding(ctx.project_id), standing_still():
        try:
            response, body = client.exchange("GET", url, HEADERS)
        except (OSError, ValueError, h11.ProtocolError):
            raise NotFetched(NOT_FETCHED) from None
    if response.status_code != 200 or not body or len(body) > MAX_BYTES:
        raise NotFetched(NOT_FETCHED)
    return body


def _problem(ctx: Context, url: str, hosts: list[str], allow_local: bool) -> str | None:
    """Returns why a caller may not have an address fetched."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".").lower()
        problem = (
            "Must be an https URL." if not url.startswith(("https://", "http://")) else wrong_url(url, allow_local)
        )
    except ValueError:
        return "Must be an https URL."
    is_agent = bool(ctx.caller.agent) or ctx.channel == Channel.MCP
    if not problem and is_agent and host not in hosts:
        return "Is not on one of the hosts in the project's setting `imageHosts`, from which agents may fetch pictures."
    return problem
