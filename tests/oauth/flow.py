"""A client that connects by OAuth, and the person whom it asks, step by step, so that a test can go wrong at any."""

import base64
import hashlib
import html
import re
import secrets
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from flask import Flask
from werkzeug.test import TestResponse

from tests.console.visitor import Visitor
from tests.make import Token

ISSUER = "http://localhost"
REDIRECT = "https://client.example.com/callback"


class Flow:
    """One client, and one browser."""

    def __init__(self, app: Flask, redirect_uri: str = REDIRECT, client_id: str = "") -> None:
        self.http = app.test_client()
        self.person = Visitor(app)
        self.redirect_uri = redirect_uri
        self.client_id = client_id or self.register().get_json()["client_id"]
        self.verifier = secrets.token_urlsafe(48)
        digest = hashlib.sha256(self.verifier.encode()).digest()
        self.challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")

    def register(self, **metadata: Any) -> TestResponse:
        """Registers the client."""
        sent = {"redirect_uris": [self.redirect_uri], "client_name": "Assistant", **metadata}
        return self.http.post("/oauth/register", json=sent)

    def asked(self, **changes: Any) -> str:
        """The query with which it asks; None leaves a parameter out, a list repeats it."""
        usual = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "state": "st-1",
        }
        sent = {name: value for name, value in {**usual, **changes}.items() if value is not None}
        return urlencode(sent, doseq=True)

    def authorize(self, **changes: Any) -> TestResponse:
        """Sends the browser to the authorization endpoint."""
        return self.person.get(f"/oauth/authorize?{self.asked(**changes)}")

    def page(self, **changes: Any) -> TestResponse:
        """Opens the page that asks, as the authorization endpoint leads to it."""
        return self.person.get(onward(self.authorize(**changes)))

    def answer(self, form: dict[str, Any] | None = None, **changes: Any) -> TestResponse:
        """Sends the form of the page."""
        usual = {
            "_csrf": self.person.csrf,
            "scopes": ["read", "write"],
            "agent": "Assistant",
            "writesPerHour": "600",
            "days": "90",
            "answer": "yes",
        }
        return self.person.client.post(f"/console/connect?{self.asked(**changes)}", data={**usual, **(form or {})})

    def code(self, form: dict[str, Any] | None = None, **changes: Any) -> str:
        """Has the person agree, and returns the code."""
        response = self.answer(form, **changes)
        assert response.status_code == 303, response.text
        return sent_to(response)["code"]

    def token(self, code: str | None = None, **changes: Any) -> TestResponse:
        """Exchanges a code."""
        usual = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.redirect_uri,
            "client_id": self.client_id,
            "code_verifier": self.verifier,
        }
        return self.send("/oauth/token", usual | changes)

    def refresh(self, refresh_token: str, **changes: Any) -> TestResponse:
        """Exchanges a refresh token."""
        usual = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": self.client_id}
        return self.send("/oauth/token", usual | changes)

    def revoke(self, token: str, **changes: Any) -> TestResponse:
        """Revokes a token."""
        return self.send("/oauth/revoke", {"token": token, "client_id": self.client_id} | changes)

    def send(self, path: str, form: dict[str, Any]) -> TestResponse:
        """Posts a form as a client does."""
        return self.http.post(path, data={name: value for name, value in form.items() if value is not None})

    def connect(self, token: Token, form: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
        """Does it all, and returns the secrets."""
        self.person.sign_in(token)
        response = self.token(self.code(form, **changes))
        assert response.status_code == 200, response.text
        given: dict[str, Any] = response.get_json()
        return given

    def calls(self, secret: str, path: str = "/project") -> int:
        """The status of a call of REST with a token."""
        return self.http.get(path, headers={"Authorization": f"Bearer {secret}"}).status_code

    def mcp(self, secret: str, method: str, **params: Any) -> TestResponse:
        """Sends a message to MCP."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {"Accept": "application/json, text/event-stream"}
        headers |= {"Authorization": f"Bearer {secret}"} if secret else {}
        return self.http.post("/mcp", json=body, headers=headers)


def onward(response: TestResponse) -> str:
    """The address that a page leads on to by itself."""
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', response.text)
    assert found, response.text
    return html.unescape(found[1])


def sent_to(response: TestResponse) -> dict[str, str]:
    """What a redirect sends to the client."""
    return {name: values[0] for name, values in parse_qs(urlsplit(response.headers["Location"]).query).items()}
