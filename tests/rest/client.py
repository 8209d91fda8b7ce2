"""The management API as a script calls it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.make import Token


@dataclass(frozen=True)
class Rest:
    """Calls with one token."""

    client: FlaskClient
    token: Token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> TestResponse:
        """Sends a request; a header `If_Match` is `If-Match`."""
        sent = {"Authorization": f"Bearer {self.token.secret}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = None if body is None else json.dumps(body)  # Flask's client would sort the keys
        kind = data and "application/json"
        # Buffered, so that the file of a long answer is closed where a test looks at its headers alone.
        return self.client.open(path, method=method, data=data, content_type=kind, headers=sent, buffered=True)

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.call("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("PUT", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> TestResponse:
        return self.call("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> TestResponse:
        return self.call("DELETE", path, **headers)

    def by(self, token: Token) -> Rest:
        """The same API, called with another token."""
        return Rest(self.client, token)
