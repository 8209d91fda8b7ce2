"""The delivery API as a website calls it, and what publishing for it takes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core.vocabulary import TokenKind
from tests.make import OPERATIONS, Project, Token, a_document


@dataclass(frozen=True)
class GraphQL:
    """Calls with one delivery token."""

    client: FlaskClient
    token: Token

    def post(self, query: str | None, variables: Any = None, *, headers: Any = None, **more: Any) -> TestResponse:
        """Sends a query in a body."""
        body = {"query": query, "variables": variables, **more}
        sent = {name: value for name, value in body.items() if value is not None}
        return self.client.post("/graphql", json=sent, headers=self._headers(headers))

    def get(self, query: str | None = None, variables: Any = None, *, headers: Any = None, **more: Any) -> TestResponse:
        """Sends a query in the address."""
        sent = {"query": query, **more} | ({} if variables is None else {"variables": json.dumps(variables)})
        parameters = {name: value for name, value in sent.items() if value is not None}
        return self.client.get("/graphql", query_string=parameters, headers=self._headers(headers))

    def raw(self, body: Any, headers: Any = None) -> TestResponse:
        """Sends a body as it is."""
        return self.client.post(
            "/graphql", data=body, headers=self._headers({"Content-Type": "application/json", **(headers or {})})
        )

    def data(self, query: str, variables: Any = None) -> Any:
        """Returns what a query gives; there is no error."""
        answer = self.post(query, variables)
        assert answer.status_code == 200, answer.text
        assert "errors" not in answer.json, answer.json["errors"]
        return answer.json["data"]

    def codes(self, query: str, variables: Any = None) -> list[str]:
        """Returns the codes of a query's errors."""
        return [error["extensions"]["code"] for error in self.post(query, variables).json["errors"]]

    def feed(self, name: str, headers: Any = None, **query: Any) -> TestResponse:
        """Asks for one of the feeds."""
        headers = self._headers(headers)
        return self.client.get(f"/delivery/{name}.xml", query_string=query, headers=headers, buffered=True)

    def by(self, token: Token) -> GraphQL:
        """The same API, called with another token."""
        return GraphQL(self.client, token)

    def through(self, app: Flask) -> GraphQL:
        """The same token, on another server."""
        return GraphQL(app.test_client(), self.token)

    def _headers(self, more: Any) -> dict[str, str]:
        headers = {"Authorization": f"Bearer {self.token.secret}", **(more or {})}
        return {name: value for name, value in headers.items() if value is not None}


def delivery_token(project: Project, **fields: Any) -> Token:
    """Makes a delivery token."""
    return project.token(kind=TokenKind.DELIVERY, **fields)


def publish(project: Project, document: dict[str, Any]) -> dict[str, Any]:
    """Publishes a document and returns its record."""
    record: dict[str, Any] = OPERATIONS["publish_document"](project.context(), document["id"], fields={}).body
    return record


def published(project: Project, **fields: Any) -> dict[str, Any]:
    """Makes a document and publishes it."""
    return publish(project, a_document(project.context(), **{"markdown": "Flour, *water*, time.", **fields}))


def run(project: Project, name: str, /, *ids: str, **fields: Any) -> Any:
    """Runs an operation of the management API and returns the body of its answer."""
    declared = OPERATIONS[name]
    body = declared.body or declared.query
    return declared(project.context(), *ids, **({"fields": fields} if body else {})).body


def republish(project: Project, document: dict[str, Any], **changes: Any) -> None:
    """Changes a document and publishes it again."""
    run(project, "update_document", document["id"], **changes)
    run(project, "publish_document", document["id"])
