"""Odd parameters at every endpoint: each is answered, none with a bug, and nothing is sent to another's address."""

import random
from typing import Any
from urllib.parse import quote

import pytest

from tests.make import Token
from tests.oauth.flow import ISSUER, REDIRECT, Flow

pytestmark = pytest.mark.needs_mongod

ODD = (
    *("", " ", "\0", "ü", '"', "\\", "\ud800", "\u202e", "x" * 7_000, "\r\n", "%", "None", "-1", "1e9", "0" * 24),
    *("https://[", "https://[::1", "http://127.0.0.1:99999999/cb", "https://exa mple.com", "https://a.b:port/c"),
    *("http://localhost:1/c.json", "https://xn--/c", "https://.../c", "javascript:x", "code", "S256", "read", "a" * 43),
)
NAMES = (*("response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "state"), "scope")


def encoded(pairs: list[tuple[str, str]]) -> str:
    return "&".join(f"{name}={quote(value.encode('utf-8', 'surrogatepass'))}" for name, value in pairs)


def test_what_a_client_asks(flow: Flow, editor: Token) -> None:
    chance = random.Random(16)
    flow.person.sign_in(editor)
    usual = dict(pair.split("=") for pair in flow.asked().split("&")) | {"redirect_uri": REDIRECT}
    for _ in range(300):
        changes = {name: chance.choice(ODD) for name in chance.sample((*NAMES, "resource"), chance.randint(1, 3))}
        repeated = [(chance.choice(NAMES), chance.choice(ODD))] if chance.random() < 0.2 else []
        query = encoded([*(usual | changes).items(), *repeated])
        form = {name: chance.choice(ODD[:14]) for name in ("scopes", "agent", "writesPerHour", "days")}
        form |= {"_csrf": flow.person.csrf, "answer": chance.choice(("yes", "no", ""))}
        path = chance.choice(("/oauth/authorize", "/console/connect"))
        response = (
            flow.person.client.post(f"/console/connect?{query}", data=_sendable(form))
            if chance.random() < 0.5
            else flow.person.get(f"{path}?{query}")
        )
        assert response.status_code < 500, query
        assert response.headers.get("Location", REDIRECT).startswith(REDIRECT), query


def test_what_a_client_exchanges(flow: Flow) -> None:
    chance = random.Random(17)
    for _ in range(300):
        form = {
            "grant_type": chance.choice(("authorization_code", "refresh_token", *ODD[:8])),
            "refresh_token": "cwr_" * chance.randint(0, 1) + chance.choice(ODD),
            "client_id": chance.choice((flow.client_id, *ODD[:8])),
            "resource": chance.choice((f"{ISSUER}/mcp", *ODD[:4])),
            **{name: chance.choice(ODD) for name in ("code", "redirect_uri", "code_verifier", "token", "scope")},
        }
        kept = [(name, value) for name, value in form.items() if chance.random() < 0.7]
        path = chance.choice(("/oauth/token", "/oauth/revoke"))
        response = flow.http.post(path, data=encoded(kept), content_type="application/x-www-form-urlencoded")
        assert response.status_code in (200, 400), kept


def test_what_a_client_registers(flow: Flow) -> None:
    chance = random.Random(18)
    values: tuple[Any, ...] = (*ODD[:6], None, 1, True, [], {}, [None], [["x"]], {"a": 1}, [REDIRECT], REDIRECT)
    for _ in range(150):
        metadata = {name: chance.choice(values) for name in ("redirect_uris", "client_name", "client_uri", "scope")}
        assert flow.http.post("/oauth/register", json=metadata).status_code in (201, 400, 429), metadata


def _sendable(form: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in form.items() if value != "\ud800"}
