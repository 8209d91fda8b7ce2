"""Requests to the management API, made of its OpenAPI document and then changed; answers are held to the document."""

import copy
import random
from dataclasses import replace
from functools import cache
from typing import Any
from urllib.parse import quote

from flask import Flask
from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from werkzeug.exceptions import HTTPException

from app.core import errors
from app.core.store.store import Store
from tests.bad_input.aftermath import unreadable
from tests.bad_input.campaign import Outcome
from tests.bad_input.mutations import NO_ID, from_schema, json_bytes, mutated_bytes, mutated_value
from tests.bad_input.requests import Request, Response, mutated, send
from tests.bad_input.scene import a_scene

METHODS = ("get", "post", "put", "patch", "delete")
STATUSES = {one.__name__: one.status for one in errors.Refusal.__subclasses__()}
PLURALS = {"document": "documents", "cluster": "clusters", "category": "categories"}
SAMPLED = 10
"""Of how many successes one is held to the document; schemathesis holds all of its own."""


class RestTarget:
    """The management API."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self.contract = Contract(app)
        self._answers = 0

    def begin(self, store: Store) -> None:
        """Makes a project with something of everything."""
        self.scene, self._seen = a_scene(store), {"If-Match": ['"1"'], "after": ["x"]}

    def make(self, chance: random.Random) -> Request:
        """Returns a request that is near to a right one."""
        path, method, operation = chance.choice(self.contract.operations)
        if method == "delete":  # half as often, so that there is something left
            path, method, operation = chance.choice(self.contract.operations)
        request = self._right(chance, path, method, operation)
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
            request = mutated(chance, request)
        return request

    def _right(self, chance: random.Random, path: str, method: str, operation: dict[str, Any]) -> Request:
        defs = self.contract.document["components"]["schemas"]
        ids = self.scene.ids.get(path.split("/")[1], [NO_ID])
        version = chance.choice(("1", "1", "2", "0"))
        filled = path.replace("{id}", chance.choice(ids)).replace("{version}", version).replace("{number}", version)
        filled = filled.replace("{deliveryId}", chance.choice(ids))
        pairs, headers = [], [("Authorization", f"Bearer {self.scene.token.secret}")]
        components = self.contract.document["components"]["parameters"]
        for ref in operation.get("parameters", ()):
            one = components[ref["$ref"].rpartition("/")[2]] if "$ref" in ref else ref
            if one["name"] != "wait" and chance.random() < 0.2:  # which may take longer than 2 s
                seen = self._seen.get(one["name"])
                value = chance.choice(seen) if seen else from_schema(one["schema"], chance, self.scene.all_ids, defs)
                text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
                if one["in"] == "query":
                    pairs.append(f"{one['name']}={quote(text.encode('utf-8', 'surrogatepass'), safe=',')}")
                elif one["in"] == "header":
                    headers.append((one["name"], text.encode("latin-1", "replace").decode("latin-1")))
        request = Request(method.upper(), filled, "&".join(pairs), tuple(headers))
        if content := operation.get("requestBody", {}).get("content", {}).get("application/json"):
            body = self._body(chance, content, defs)
            return replace(request, body=body).with_header("Content-Type", "application/json")
        return request

    def _body(self, chance: random.Random, content: dict[str, Any], defs: dict[str, Any]) -> bytes:
        made = chance.random() < 0.6 or "example" not in content
        value = from_schema(content["schema"], chance, self.scene.all_ids, defs) if made else content["example"]
        value = copy.deepcopy(value)  # changed in place
        for _ in range(chance.choice((0, 0, 1, 1, 3))):
            value = mutated_value(chance, value)
        body = json_bytes(chance, value)
        return mutated_bytes(chance, body) if chance.random() < 0.1 else body

    def end(self) -> str | None:
        """Returns what can't be read any more."""
        return unreadable(self._app, self.scene)

    def run(self, given: Request) -> Outcome:
        """Sends a request."""
        response = send(self._app, given)
        is_refused = response.status >= 400
        may_write = not is_refused and given.method not in ("GET", "HEAD", "OPTIONS")
        if not is_refused:
            self._learn(given, response)
        self._answers += 1
        is_sampled = is_refused or self._answers % SAMPLED == 0
        return Outcome(is_refused, self.problem(given, response) if is_sampled else None, may_write)

    def _learn(self, given: Request, response: Response) -> None:
        """Has later requests name the records, the ETags and the cursors of this answer."""
        if etag := response.headers.get("etag"):
            self._seen["If-Match"].append(etag)
        body = response.json
        if isinstance(body, dict) and "cursor" in body:
            self._seen["after"].append(body["cursor"])
        kind = given.path.split("/")[1].removesuffix("-intents")
        record = body.get(kind, body) if isinstance(body, dict) and given.path.endswith("/confirm") else body
        if response.status == 201 and isinstance(record, dict) and "id" in record:
            of = PLURALS.get(kind, kind) if record is not body else given.path.split("/")[1]
            self.scene.ids.setdefault(of, []).append(record["id"])

    def problem(self, given: Request, response: Response) -> str | None:
        """Returns what of an answer is not as documented."""
        return self.contract.problem(given, response)


class Contract:
    """What the OpenAPI document says of answers."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self.document: dict[str, Any] = app.test_client().get("/openapi.json").json
        self.operations = [
            (path, method, row[method])
            for path, row in self.document["paths"].items()
            for method in METHODS
            if method in row
        ]
        self._by_name = {operation["operationId"]: operation for _, _, operation in self.operations}
        self._validator = cache(self._make_validator)

    def problem(self, request: Request, response: Response) -> str | None:
        """Returns what of an answer is not as documented."""
        shown = f"{response.status} {response.body[:500]!r}"
        if response.status >= 500:
            return f"It was answered with {shown}"
        if request.method == "HEAD" or response.status in (204, 304):
            return f"There is a body: {shown}" if response.body else None
        if request.method == "OPTIONS" and response.status == 200:
            return None
        operation = self._operation(request)
        if response.status >= 400:
            return self._wrong_error(response, operation) and f"{self._wrong_error(response, operation)} {shown}"
        if operation is None or response.media_type != "application/json":
            return None
        return self._misfit(operation, response) and f"{self._misfit(operation, response)} {shown}"

    def _operation(self, request: Request) -> str | None:
        """Returns the name of the operation that a request reaches."""
        environ = request.environ()
        try:
            endpoint, _ = self._app.url_map.bind_to_environ(environ).match()
        except HTTPException:
            return None
        name = str(endpoint).rpartition(".")[2]
        return name if name in self._by_name else None

    def _wrong_error(self, response: Response, operation: str | None) -> str | None:
        error = response.json
        if response.media_type != "application/json" or not isinstance(error, dict):
            return "The error is not JSON:"
        if STATUSES.get(error.get("_tag")) != response.status:
            return "The `_tag` is not that of the status:"
        if not (isinstance(error.get("message"), str) and error["message"]):
            return "The error has no message:"
        return self._misfit(operation, response) if operation else None

    def _misfit(self, operation: str, response: Response) -> str | None:
        documented = self._by_name[operation]["responses"].get(str(response.status))
        if documented is None:
            return f"{operation} does not document this status:"
        validator = self._validator(operation, response.status)
        error = next(validator.iter_errors(response.json), None) if validator else None
        return error and f"{operation} documents another answer ({error.json_path}: {error.message[:200]}):"

    def _make_validator(self, operation: str, status: int) -> Validator | None:
        content = self._by_name[operation]["responses"][str(status)].get("content", {}).get("application/json")
        if content is None:
            return None
        return Draft202012Validator({**content["schema"], "components": self.document["components"]})
