"""Delivery queries, made of the schema and then changed, as POST and as GET."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from graphql import GraphQLArgument, GraphQLField, build_schema, get_named_type, is_leaf_type, is_required_argument

from app.core.store.store import Store
from graphql_app.errors import INTERNAL
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import TEXTS, json_bytes, mutated_bytes, mutated_text, mutated_value, wrong_value
from tests.bad_input.requests import Request, Response, mutated, send
from tests.bad_input.scene import a_scene

SDL = Path(__file__).parents[1] / "surface" / "schema.graphql"
VARIABLES = {"x": "$x: Int = 1", "id": "$id: ID!", "yes": "$yes: Boolean!"}
STATUSES = {200, 304, 400, 401, 404, 405, 406, 413, 415}
TOKENS = (
    *("{", "}", "(", ")", "[", "]", ":", "!", "|", "&", "=", "@", "$", "...", '"', '"""', "#", ",", "\ufeff", "\0"),
    *("\\u", "query", "mutation", "subscription", "fragment", "on", "null", "true", "1", "-1", "1.5", "1e999"),
    *("9" * 300, "id", "@skip(if: true)", "@include(if: $x)", "@unknown", "@skip", "@deprecated", "@defer", "@stream"),
    *("__typename", "__schema { types { fields { type { fields { name } } } } }", '__type(name: "Document") { name }'),
    *("...F", "... on Query", "fragment F on Document { ...F }"),
    *("fragment F on Query { ...G } fragment G on Query { ...F }", "type X { a: Int }", "(id: 1, id: 2)", "{ " * 300),
    *("[" * 300, "a: id " * 50, "$x: [Int!]! = [1]", '"\\u{110000}"', '"\\ud800"', "# x\r"),
)
"""Pieces that mean something to the parser or the validation."""


class GraphqlTarget:
    """The delivery API."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._schema = build_schema(SDL.read_text("utf-8"))

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self._scene = a_scene(store)

    def make(self, chance: random.Random) -> Request:
        """Returns a request that is near to a right one."""
        assert self._schema.query_type
        query = self._selection(chance, self._schema.query_type.fields, chance.choice((1, 2, 3, 5)))
        used = [declared for name, declared in VARIABLES.items() if f"${name}" in query]
        query = f"query Q({', '.join(used)}) {query}" if used else query
        if chance.random() < 0.05:
            query = chance.choice((f"query A {{ __typename }} {query}", f"{query} {query}", f"query {query}"))
        for _ in range(chance.choice((0, 0, 0, 1, 3))):
            place = chance.randrange(len(query) + 1)
            token = f" {chance.choice(TOKENS)} "
            query = query[:place] + token + query[place:] if chance.random() < 0.7 else mutated_text(chance, query)
        body: dict[str, Any] = {"query": query}
        if chance.random() < 0.9:
            body["variables"] = {"x": 1, "id": chance.choice(self._scene.all_ids), "yes": True}
        if chance.random() < 0.1:
            body["operationName"] = chance.choice((None, "Q", "", "missing"))
        if chance.random() < 0.03:
            body["extensions"] = {"persistedQuery": {"version": 1, "sha256Hash": "0" * 64}}
        for _ in range(chance.choice((0, 0, 0, 0, 1, 2))):
            body = mutated_value(chance, body)
        request = self._request(chance, body)
        return mutated(chance, request) if chance.random() < 0.15 else request

    def _request(self, chance: random.Random, body: Any) -> Request:
        secret = f"Bearer {self._scene.delivery.secret}"
        accept = chance.choice(("application/json", "application/graphql-response+json", "*/*"))
        request = Request("POST", "/graphql", headers=(("Authorization", secret), ("Accept", accept)))
        if isinstance(body, dict) and chance.random() < 0.3:
            pairs = [(name, value if isinstance(value, str) else json.dumps(value)) for name, value in body.items()]
            encoded = [(name.encode("utf-8", "replace"), value.encode("utf-8", "replace")) for name, value in pairs]
            return replace(request, method="GET", query=urlencode(encoded)[:60_000])
        sent = json_bytes(chance, body)
        sent = mutated_bytes(chance, sent) if chance.random() < 0.1 else sent
        return replace(request, body=sent).with_header("Content-Type", "application/json")

    def _selection(self, chance: random.Random, fields: dict[str, GraphQLField], depth: int) -> str:
        chosen = chance.sample(sorted(fields), k=min(len(fields), chance.choice((1, 1, 2, 3, 3))))
        return "{ " + " ".join(self._field(chance, name, fields[name], depth) for name in chosen) + " }"

    def _field(self, chance: random.Random, name: str, field: GraphQLField, depth: int) -> str:
        alias = chance.choice(("a: ", "b: ", f"{name}: ")) if chance.random() < 0.1 else ""
        given = [
            f"{one}: {self._value(chance, argument)}"
            for one, argument in field.args.items()
            if is_required_argument(argument) or chance.random() < 0.4
        ]
        directive = chance.choice((" @skip(if: $yes)", " @include(if: true)")) if chance.random() < 0.05 else ""
        shown = f"{alias}{name}{'(' + ', '.join(given) + ')' if given else ''}{directive}"
        kind = get_named_type(field.type)
        if is_leaf_type(kind):
            return shown
        if depth == 0:
            return f"{shown} {{ __typename }}"
        inner = self._selection(chance, kind.fields, depth - 1)  # type: ignore[union-attr]
        if chance.random() < 0.1:
            inner = "{ ... on " + kind.name + " " + inner + " }"
        return f"{shown} {inner}"

    def _value(self, chance: random.Random, argument: GraphQLArgument) -> str:
        if chance.random() < 0.1:
            return chance.choice(
                ("$x", "$id", "$yes", "null", "enum", "[1]", "{a: 1}", json.dumps(chance.choice(TEXTS)))
            )
        if chance.random() < 0.05:
            return json.dumps(wrong_value(chance))
        match get_named_type(argument.type).name:
            case "Int":
                return chance.choice(
                    (
                        *("1", "2", "3", "5", "10", "10") * 3,
                        "0",
                        "100",
                        "101",
                        "-1",
                        "100000",
                        "100001",
                        "2147483648",
                        "1.0",
                    )
                )
            case "Boolean":
                return chance.choice(("true", "false"))
            case "ID":
                return json.dumps(chance.choice(self._scene.all_ids))
        return json.dumps(chance.choice(("bread", "rye-publish-document", "rye", *TEXTS)))

    def end(self) -> str | None:
        """Needs nothing: nothing is written."""
        return None

    def run(self, given: Request) -> Outcome:
        """Sends a request."""
        response = send(self._app, given)
        body = response.json
        is_refused = response.status >= 400 or (isinstance(body, dict) and "errors" in body)
        return Outcome(is_refused, self.problem(given, response))

    def problem(self, request: Request, response: Response) -> str | None:
        """Returns what of an answer is not GraphQL's."""
        shown = f"{response.status} {response.body[:500]!r}"
        if request.path != "/graphql" or request.method not in ("GET", "HEAD", "POST"):
            return shown if response.status >= 500 else None
        if response.status not in STATUSES:
            return f"It was answered with {shown}"
        if request.method == "HEAD" or response.status == 304 or response.media_type == "text/html":
            return None
        body = response.json
        if not isinstance(body, dict) or not {"data", "errors"} & set(body):
            return f"The answer is not GraphQL's: {shown}"
        for error in body.get("errors", ()):
            if not (isinstance(error.get("message"), str) and error["message"]):
                return f"An error has no message: {shown}"
            if error.get("extensions", {}).get("code") in (None, INTERNAL):
                return f"An error is a bug, or has no code: {shown}"
        return None
