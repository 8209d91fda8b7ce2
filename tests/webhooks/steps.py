"""Steps of the tests of webhooks."""

from typing import Any

from tests.rest.client import Rest

URL = "https://hooks.example.org/content"


def a_webhook(rest: Rest, **fields: Any) -> dict[str, Any]:
    """Makes a webhook."""
    made = rest.post("/webhooks", {"url": URL, **fields})
    assert made.status_code == 201, made.json
    record: dict[str, Any] = made.json
    return record
