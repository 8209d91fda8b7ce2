"""Odd parameters at every endpoint: each is answered, none with a bug, and nothing is sent to another's address."""

from typing import Any
from urllib.parse import parse_qsl, quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http.bad_input import TEXTS, VALUES, encodable, tried
from tests.make import Token
from tests.oauth.flow import ISSUER, REDIRECT, Flow

pytestmark = pytest.mark.needs_mongod

ADDRESSES = (
    "http://127.0.0.1:99999999/cb",
    "http://localhost:1/c.json",
    "https://a.b:port/c",
    "https://.../c",
    REDIRECT,
)
ODD = TEXTS | st.sampled_from((*ADDRESSES, "code", "S256", "read", "a" * 43, "no", f"{ISSUER}/mcp"))
ASKED = ("response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method", "state", "scope")
SENT = ("client_id", "resource", "code", "redirect_uri", "code_verifier", "token", "scope")


def some(names: tuple[str, ...], **most: Any) -> st.SearchStrategy[dict[str, str]]:
    return st.dictionaries(st.sampled_from(names), ODD, **most)


def encoded(pairs: list[tuple[str, str]]) -> str:
    return "&".join(f"{name}={quote(value.encode('utf-8', 'surrogatepass'))}" for name, value in pairs)


@given(
    some((*ASKED, "resource"), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(ASKED), ODD), max_size=1),
    some(("scopes", "agent", "writesPerHour", "days", "answer")) | st.none(),
    st.sampled_from(("/oauth/authorize", "/console/connect")),
)
@tried
def test_what_a_client_asks(
    flow: Flow, editor: Token, asked: dict[str, str], repeated: list[Any], form: dict[str, str] | None, path: str
) -> None:
    flow.person.sign_in(editor)
    query = encoded([*(dict(parse_qsl(flow.asked())) | asked).items(), *repeated])
    if form is None:
        response = flow.person.get(f"{path}?{query}")
    else:
        sent = {"answer": "yes", **{name: encodable(value) for name, value in form.items()}, "_csrf": flow.person.csrf}
        response = flow.person.client.post(f"/console/connect?{query}", data=sent)
    assert response.status_code < 500
    assert response.headers.get("Location", REDIRECT).startswith(REDIRECT)


@given(
    st.sampled_from(("authorization_code", "refresh_token", "")),
    ODD | ODD.map("cwr_{}".format),
    some(SENT),
    st.sampled_from(("/oauth/token", "/oauth/revoke")),
)
@tried
def test_what_a_client_exchanges(flow: Flow, kind: str, token: str, more: dict[str, str], path: str) -> None:
    sent = {"grant_type": kind, "refresh_token": token, "client_id": flow.client_id, **more}
    response = flow.http.post(path, data=encoded([*sent.items()]), content_type="application/x-www-form-urlencoded")
    assert response.status_code in (200, 400, 413)


@given(st.dictionaries(st.sampled_from(("redirect_uris", "client_name", "client_uri", "scope")), VALUES))
@tried
def test_what_a_client_registers(flow: Flow, metadata: dict[str, Any]) -> None:
    assert flow.http.post("/oauth/register", json=metadata).status_code in (201, 400, 413, 429)
