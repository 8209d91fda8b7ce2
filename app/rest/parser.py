"""Reads what a request sends, strictly: the ids in its path, its query, its headers and its JSON body."""

import re
from collections.abc import Mapping
from typing import Any, NoReturn

import marshmallow as ma
from flask import Request, request
from marshmallow import fields
from webargs.flaskparser import FlaskParser

from app.errors import NotFound
from app.http import bodies, json
from app.http.tables import CSV, loads_plan, name_lines
from app.http.unknown import note_unknown_body, refuse_unknown_if_strict, request_schemas
from app.schemas.checks import HEX_ID, WRONG_ID
from app.schemas.documents import BASE_REQUIRED, GuardedWrite
from app.schemas.keys import idempotency_key
from app.schemas.loading import decode_error
from app.schemas.plans import PlanFields
from app.schemas.queries import NUMBERS, from_query
from app.schemas.types import Schema

NUMBER = re.compile("0|[1-9][0-9]{0,8}")
WRONG_NUMBER = "There is no record with this number: it is an integer, as the lists show it."


class WriteHeaders(Schema):
    """The headers of every write."""

    idempotency_key = idempotency_key(data_key="Idempotency-Key")


class ConditionalWriteHeaders(WriteHeaders):
    """The headers of a write of one record."""

    if_match = fields.String(
        data_key="If-Match",
        metadata={"description": "an ETag: the write is refused when the record changed since"},
    )


class Parser(FlaskParser):
    """webargs' parser for Flask with this API's rules and errors."""

    DEFAULT_VALIDATION_STATUS = 400  # which flask-smorest documents

    def load_json(self, req: Request, schema: ma.Schema) -> Mapping[str, Any]:
        """Returns the body's object; an empty body is an empty object. A plan may be a table instead."""
        is_table = req.mimetype == CSV and isinstance(schema, PlanFields)
        body = (loads_plan if is_table else json.loads_object)(bodies.read(), req)
        note_unknown_body(schema, body)
        return body

    def load_querystring(self, req: Request, schema: ma.Schema) -> Mapping[str, Any]:
        """Returns the query's parameters, each sent several times as one list: clients send `a=1&a=2` for `a=1,2`."""
        return from_query(schema, {name: ",".join(values) for name, values in req.args.lists()})

    def load_headers(self, req: Request, schema: ma.Schema) -> Mapping[str, Any]:
        """Returns the headers that the schema names; webargs would wrap all of them, at each request."""
        names = [field.data_key or name for name, field in schema.fields.items()]
        return {name: req.headers[name] for name in names if name in req.headers}

    def handle_error(
        self, error: ma.ValidationError, req: Request, schema: ma.Schema, *args: Any, **kwargs: Any
    ) -> NoReturn:
        """Raises `HttpApiDecodeError` with everything that is wrong in the headers, the query and the body.

        webargs names the part that it was parsing; it parses the parts in that order, and none after a wrong one.
        """
        [(part, messages)] = error.messages_dict.items()
        sent: Any = error.data
        query, body = request_schemas()
        if part == "headers":
            messages |= query.validate(self.load_querystring(req, query))
        if part != "json" and body is not None:
            sent = self.load_json(req, body)
            messages |= body.validate(sent)
        if isinstance(body, GuardedWrite) and "baseVersion" not in sent and "If-Match" not in req.headers:
            messages["baseVersion"] = [BASE_REQUIRED]  # which the operation refuses when all else is right
        refusal = decode_error(messages)
        name_lines(refusal)
        refuse_unknown_if_strict(refusal)
        raise refusal from None


def check_path(parameters: Mapping[str, str], *, unless_wrong: ma.Schema | None = None) -> None:
    """Raises `NotFound` when a parameter in the path has the wrong form.

    A converter of Werkzeug would answer 404 before the token is checked. Where the request's query is wrong by the
    schema `unless_wrong`, that is refused instead, when the query is parsed.
    """
    for name, value in parameters.items():
        form = NUMBER if name in NUMBERS else HEX_ID
        if not form.fullmatch(value) or (name in NUMBERS and int(value) < NUMBERS[name][0]):
            if unless_wrong and unless_wrong.validate(Parser().load_querystring(request, unless_wrong)):
                return
            raise NotFound(WRONG_NUMBER if name in NUMBERS else WRONG_ID)
