"""What a request sends, read strictly: ids in its path, its query, its JSON body, and headers that operations know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson
from flask import request

from app.errors import HttpApiDecodeError, Issue, NotFound, UnsupportedMediaType
from app.fields.keys import VISIBLE_ASCII, WRONG_FORM
from app.fields.queries import from_query
from app.fields.stages import load_shape
from app.http import bodies
from app.operations.operation import Operation
from app.rules.etags import EntityTag, read_tags
from app.vocabulary import Kind

ID = re.compile(r"[0-9a-fA-F]{24}")
FORMS = {"version": re.compile(r"[1-9][0-9]{0,8}")}
"""The forms of path parameters that are no ids."""

READING = ("GET", "HEAD")


def check_path(parameters: Mapping[str, str]) -> None:
    """Refuses with `NotFound` when a parameter in the path has the wrong form."""
    if not all(FORMS.get(name, ID).fullmatch(value) for name, value in parameters.items()):
        raise NotFound


def fields_of(operation: Operation, kind: Kind | None) -> dict[str, Any]:
    """Returns the fields that an operation takes, from query and body; a body that it does not take is ignored."""
    fields: dict[str, Any] = {"kind": kind} if kind else {}
    if operation.query is not None and kind is None:
        fields |= load_shape(operation.query, from_query(operation.query, request.args))
    if operation.body is not None:
        fields |= load_shape(operation.body, _json())
    else:
        bodies.ignore()
    return fields


def idempotency_key() -> str | None:
    """Returns the key under which a write happens once; `GET` needs none."""
    key = None if request.method in READING else request.headers.get("Idempotency-Key")
    if key is not None and not VISIBLE_ASCII.fullmatch(key):
        raise HttpApiDecodeError(issues=[Issue(path="Idempotency-Key", message=WRONG_FORM)])
    return key


def if_match() -> tuple[EntityTag, ...] | None:
    """Returns the entity tags that the caller holds for the record; None for no condition."""
    header = None if request.method in READING else request.headers.get("If-Match")
    return None if header is None else read_tags(header)


def takes_any_state() -> bool:
    """Tells whether the caller says that any state of the record will do: `If-Match: *`."""
    return request.headers.get("If-Match", "").strip() == "*"


def _json() -> Mapping[str, Any]:
    """Returns the body's object; no body is an empty one. orjson refuses what MongoDB could not keep."""
    raw = bodies.read()
    if not raw.strip():
        return {}
    if not request.is_json:
        raise UnsupportedMediaType
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body as it is, without `Content-Encoding`.")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise _malformed(f"Is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise _malformed("Must be a JSON object.")
    return body


def _malformed(message: str) -> HttpApiDecodeError:
    return HttpApiDecodeError(issues=[Issue(path="", message=message)])
