"""Somebody who uses the console without JavaScript: cookies, forms, and what a page says."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from tests.make import OPERATIONS, Project, Token


class Visitor:
    """A browser without scripts."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.client = app.test_client()
        self.csrf = ""

    def sign_in(self, token: Token) -> TestResponse:
        """Signs in with a token, and notes what forms have to bring."""
        response = self.client.post("/console/sign-in", data={"token": token.secret})
        found = re.search(r'name="csrf-token" content="(\w+)"', self.get("/console/nowhere").text)
        self.csrf = found[1] if found else ""
        return response

    def get(self, path: str, **options: Any) -> TestResponse:
        """Opens a page."""
        return self.client.get(path, **options)

    def post(self, path: str, **fields: str) -> TestResponse:
        """Sends a form of a page, and opens the page that it leads to."""
        form = {"_csrf": self.csrf, **fields}
        return self.client.post(path, data=form, content_type="multipart/form-data", follow_redirects=True)


def now(project: Project, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document as it is now."""
    record: dict[str, Any] = OPERATIONS["get_document"](project.context(), document["id"]).body
    return record
