"""Holds what the management API answers to what its OpenAPI document says of it: every key, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry
from werkzeug.test import TestResponse

from tests.make import Token
from tests.rest.client import Rest


class Documented:
    """The OpenAPI document, asked what an answer has to look like."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = _closed(deepcopy(document))
        self._of_schema = validators_of(self._document)
        self._paths = [
            (re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))), path)
            for path in sorted(document["paths"], key=lambda path: path.count("{"))
        ]
        self._validator = cache(self._make_validator)

    def check(self, method: str, path: str, response: TestResponse) -> None:
        """Fails when the response has a status, a key or a value that the document does not name."""
        template = next(known for pattern, known in self._paths if pattern.fullmatch(path.partition("?")[0]))
        validator = self._validator(method.lower(), template, str(response.status_code))
        if validator is None:
            assert response.data == b""
            return
        problems = [f"{error.instance_path}: {error.message}" for error in validator.iter_errors(response.json)]
        assert problems == [], f"{method} {path} {response.status_code}: {problems}"

    def _make_validator(self, method: str, template: str, status: str) -> Draft202012Validator | None:
        answers = self._document["paths"][template][method]["responses"]
        assert status in answers, f"{method} {template} does not document {status}"
        answer = answers[status]
        if "$ref" in answer:
            answer = self._document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
        if "content" not in answer:
            return None
        return self._of_schema(answer["content"]["application/json"]["schema"])


@dataclass(frozen=True)
class DocumentedRest(Rest):
    """The management API, each answer of which is held to the document."""

    documented: Documented

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        response = super().call(method, path, body, **headers)
        self.documented.check(method, path, response)
        return response

    def by(self, token: Token) -> DocumentedRest:
        return DocumentedRest(self.client, token, self.documented)


def validators_of(document: dict[str, Any]) -> Callable[[Any], Draft202012Validator]:
    """Returns what makes the validator of a schema in an OpenAPI document, whose components it reads once."""
    components = Registry([("urn:openapi", {"components": document["components"]})])

    def validator_of(schema: Any) -> Draft202012Validator:
        absolute = json.loads(json.dumps(schema).replace('"#/', '"urn:openapi#/'))
        return Draft202012Validator(absolute, registry=components)

    return validator_of


def _closed(part: Any) -> Any:
    """Returns a schema in which no object has a key that is not named."""
    if isinstance(part, list):
        return [_closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    closed = {key: _closed(value) for key, value in part.items()}
    if part.get("type") in ("object", ["object", "null"]) and isinstance(part.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed
