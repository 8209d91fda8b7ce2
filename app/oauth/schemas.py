"""Schemas of the metadata of clients that connect by OAuth, and of a user's consent (decisions, section 16)."""

import re

import marshmallow as ma

from app.core.schemas.fields import EnumString, List, Schema, StrictInteger, StrictString
from app.core.schemas.validation import http_url, not_blank
from app.core.vocabulary import Scope
from app.guards.schemas import MOST

MAX_DAYS = 365
MAX_URL = 2_000

LOOPBACK = re.compile(r"(https?://(?:127(?:\.[0-9]{1,3}){3}|localhost|\[::1\]))(?::[0-9]{1,5})?(?=[/?]|$)")
"""The beginning of a loopback address; the first group ends before its port."""
_HTTPS = re.compile(r"https://(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?(?=[/?]|$)")
_PRIVATE = re.compile(r"[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:(?=.)")
_CHARACTERS = re.compile(r"[!$-;=?-\[\]_a-z~]*")
"""The characters of a redirect address: printable ASCII that no browser rewrites, and no fragment."""


def is_redirect(address: str) -> bool:
    """Returns whether clients may have a redirect address: https, loopback, or a private scheme with a dot in it."""
    begins = LOOPBACK.match(address) or _HTTPS.match(address) or _PRIVATE.match(address)
    return begins is not None and _CHARACTERS.fullmatch(address) is not None


def redirect_address(value: str) -> None:
    """Checks for a redirect address."""
    if not is_redirect(value):
        raise ma.ValidationError(
            "Must be an https address, an http one on loopback, or one of a private scheme with a dot in it; "
            "without a user name and a fragment."
        )


class ClientMetadata(Schema):
    """Metadata that a client states about itself (RFC 7591)."""

    redirect_uris = List(
        StrictString(MAX_URL, validate=[redirect_address], allow_none=False), 20, min_items=1, required=True
    )
    client_name = StrictString(200)
    client_uri = StrictString(MAX_URL, validate=[http_url])


class ConsentFields(Schema):
    """Fields of a user's consent to a client."""

    scopes = List(EnumString(Scope, allow_none=False), len(Scope), required=True)
    agent = StrictString(100, not_blank, required=True)
    writesPerHour = StrictInteger(1, MOST, required=True)
    days = StrictInteger(1, MAX_DAYS, required=True)
