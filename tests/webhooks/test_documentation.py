"""The receivers in docs/webhooks.md do what the page says, run as a reader pastes them."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from standardwebhooks import Webhook

from app.webhooks.operations import new_secret

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"
BODY = '{"type":"document.published","data":{"id":"6650f0a1b2c3d4e5f6a7b8d0","title":"Wäter"}}'


def snippet(language: str) -> str:
    """Returns the page's one block of a language."""
    [block] = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return str(block)


def signed(secret: str, at: datetime | None = None) -> dict[str, str]:
    """Returns the headers of a message."""
    at = at or datetime.now(UTC)
    signature = Webhook(secret).sign("msg", at, BODY)
    return {"webhook-id": "msg", "webhook-timestamp": str(int(at.timestamp())), "webhook-signature": signature}


SECRET, OTHER_SECRET = new_secret(), new_secret()
REFUSED: dict[str, dict[str, str]] = {
    "no headers": {},
    "another secret": signed(OTHER_SECRET),
    "an old message": signed(SECRET, datetime.now(UTC) - timedelta(hours=1)),
    "a signature without a version": signed(SECRET) | {"webhook-signature": "forged"},
    "a signature that is not base64": signed(SECRET) | {"webhook-signature": "v1,a"},
    "a timestamp that is not a number": signed(SECRET) | {"webhook-timestamp": "now"},
}


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> tuple[FlaskClient, Any]:
    """The receiver in Python, and its queue of messages."""
    monkeypatch.setenv("WEBHOOK_SECRET", SECRET)
    names: dict[str, Any] = {"__name__": "receiver"}
    exec(compile(snippet("python"), PAGE, "exec"), names)
    return names["app"].test_client(), names["messages"]


def test_the_receiver_in_python_takes_a_signed_message(receiver: tuple[FlaskClient, Any]) -> None:
    client, messages = receiver

    response = client.post("/content", data=BODY.encode(), headers=signed(SECRET))

    assert response.status_code == 204
    assert messages.get_nowait()["data"]["title"] == "Wäter"


@pytest.mark.parametrize("why", REFUSED)
def test_the_receiver_in_python_answers_401_to_a_bad_signature(receiver: tuple[FlaskClient, Any], why: str) -> None:
    client, messages = receiver

    response = client.post("/content", data=BODY.encode(), headers=REFUSED[why])

    assert response.status_code == 401
    assert messages.empty()


def test_the_receiver_in_python_answers_401_to_a_body_that_is_not_text(receiver: tuple[FlaskClient, Any]) -> None:
    client, _ = receiver

    assert client.post("/content", data=b"\xff", headers=signed(SECRET)).status_code == 401
