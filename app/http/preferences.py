"""The preferences of a request (RFC 7240), and names in it that its route does not know (decisions, section 11).

These are listed in a response header, or refused where the client prefers that. A route calls, in this order,
`note_unknown_query` before its view, `note_unknown_body` when the body is parsed, `refuse_unknown_if_strict` when all
is loaded or refused, and `response_headers` for a success.
"""

import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import quote

import marshmallow as ma
from flask import g, request
from http_sf import ser
from http_sf.types import ItemType, ListType
from werkzeug.http import parse_list_header, parse_options_header

from app.core.errors import MAX_ISSUES, HttpApiDecodeError
from app.core.schemas.loading import cached_schema, load
from app.core.schemas.queries import LONG_NAME, Unknown, from_query, unknown_names
from app.documents.responses import MINIMAL

STRICT = "handling=strict"
RETURN_MINIMAL = f"return={MINIMAL}"

LISTED = 20
"""Maximum number of names in `Ignored-Fields`."""
LISTED_LENGTH = 2_500
"""Maximum characters of `Ignored-Fields`: 20 names in ASCII of any length fit, and all headers into a proxy's 4 KB."""
SHOWN = string.punctuation.replace("%", "") + " "
"""The characters that `Ignored-Fields` shows as they are, besides letters and digits."""


@dataclass
class UnknownNames:
    """The unknown names of a request: at most as many as an error lists, and how many more there are."""

    query_schema: ma.Schema
    body_schema: ma.Schema | None
    query: Sequence[Unknown] = ()
    body: Sequence[Unknown] = ()
    more: int = 0

    def first_of(self, found: Iterator[Unknown]) -> list[Unknown]:
        """Returns as many names as an error lists, and counts the rest."""
        first = list(islice(found, MAX_ISSUES))
        self.more += sum(1 for _ in found)
        return first


def note_unknown_query(schema: ma.Schema, body: ma.Schema | None = None) -> None:
    """Notes the unknown parameters of the request's query, before anything else is noted."""
    g.unknown_names = names = UnknownNames(schema, body)
    if request.query_string:
        names.query = names.first_of(unknown_names(schema, request.args, elsewhere=body))


def note_unknown_body(schema: ma.Schema, body: Mapping[str, Any]) -> None:
    """Notes the unknown fields of the request's body."""
    names = noted()
    names.body = names.first_of(unknown_names(schema, body, elsewhere=names.query_schema))


def noted() -> UnknownNames:
    """Returns the unknown names of the request, with the schemas of its query and its body."""
    names: UnknownNames = g.unknown_names
    return names


def refuse_unknown_if_strict(beside: HttpApiDecodeError | None = None) -> None:
    """Raises `HttpApiDecodeError` when the client prefers strict handling and the request has unknown names.

    The error also lists `beside`, the other issues of the request.
    """
    names = noted()
    if not (names.body or names.query) or not prefers(STRICT):
        return
    known = beside.extra if beside else {"issues": []}
    listed = {issue["path"] for issue in known["issues"]}
    found = [one.issue("field") for one in names.body] + [one.issue("query parameter") for one in names.query]
    issues = [*known["issues"], *(issue for issue in found if issue["path"] not in listed)]
    refusal = HttpApiDecodeError(issues=issues, more=names.more + known.get("more", 0))
    refusal.headers.update(applied(STRICT))
    raise refusal


def query_parameters(schema: type[ma.Schema]) -> dict[str, Any]:
    """Returns the parameters of a request that has nothing else; unknown ones as the client prefers.

    Raises `HttpApiDecodeError` with everything that is wrong.
    """
    note_unknown_query(cached_schema(schema))
    try:
        parameters = load(schema, from_query(cached_schema(schema), request.args))
    except HttpApiDecodeError as refusal:
        refuse_unknown_if_strict(refusal)
        raise
    refuse_unknown_if_strict()
    return parameters


def response_headers(*honored: str) -> Mapping[str, str]:
    """Returns the headers of a success that tell which names were ignored, or that there were none to refuse.

    `honored` are the other preferences of the request that were honored.
    """
    if prefers(STRICT):
        return applied(STRICT, *honored)
    names = noted()
    if not names.query and not names.body:
        return applied(*honored)
    found = [(one.path, one) for one in names.body] + [(f"?{one.path}", one) for one in names.query]
    listed: ListType = [_item(path, one.near) for path, one in found[:LISTED]]
    while len(header := ser(listed)) > LISTED_LENGTH:
        listed.pop()
    return {"Ignored-Fields": header, **applied(*honored)}


def _item(path: str, near: str | None) -> ItemType:
    return quote(path[:LONG_NAME], safe=SHOWN), {"did-you-mean": near} if near else {}


def prefers(preference: str) -> bool:
    """Returns whether the client prefers this, like `handling=strict`; of several values of one name the first counts.

    Names and values are compared without case.
    """
    header = request.environ.get("HTTP_PREFER")
    name, _, wanted = preference.partition("=")
    for one in parse_list_header(header) if header else ():
        sent, _, value = parse_options_header(one)[0].partition("=")
        if sent.strip().lower() == name:
            return value.strip(' "').lower() == wanted
    return False


def applied(*preferences: str) -> dict[str, str]:
    """Returns the header that says which preferences were honored; none where there are none."""
    return {"Preference-Applied": ", ".join(preferences)} if preferences else {}
