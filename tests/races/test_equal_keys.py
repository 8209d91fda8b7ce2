"""Equal idempotency keys at once: one request is done, once (decisions, section 3)."""

from collections.abc import Sequence

import pytest
from bson import ObjectId
from werkzeug.test import TestResponse

from tests.make import OPERATIONS, a_ready_brief
from tests.races.crowd import at_once, outcomes, succeeded

pytestmark = pytest.mark.race


def one_was_done(responses: Sequence[TestResponse], status: str) -> dict:
    """Holds the responses to the rule and returns the one answer that they gave."""
    assert outcomes(responses).keys() <= {status, "IdempotencyConflict"}
    done = succeeded(responses)
    assert sum("Idempotency-Replayed" not in response.headers for response in done) == 1
    first = done[0].json
    assert all(response.json == first for response in done)
    return first


@pytest.mark.contract("decided-http.IdempotencyConflict", "decided-http.idempotency")
def test_equal_keys_at_once_confirm_a_draft_once(crowd, project) -> None:
    token = project.token()
    draft = OPERATIONS["create_document_intent"](
        project.context(token), fields={"title": "Rye", "markdown": "Rye."}
    ).body

    responses = at_once(
        [
            lambda c=c: c.post(f"/document-intents/{draft['id']}/confirm", Idempotency_Key="rye-1")
            for c in crowd(30, [token])
        ]
    )

    made = one_was_done(responses, "201")
    rows = project.store.database.documents.find({"projectId": ObjectId(project.id)})
    assert [str(row["_id"]) for row in rows] == [made["document"]["id"]]
    assert made["document"]["content"] == "Rye."


def test_equal_keys_at_once_begin_one_draft(crowd, project) -> None:
    token = project.token()

    responses = at_once(
        [lambda c=c: c.post("/cluster-intents", {"name": "Rye"}, Idempotency_Key="rye-1") for c in crowd(30, [token])]
    )

    made = one_was_done(responses, "201")
    assert [draft["id"] for draft in crowd(1, [token])[0].get("/cluster-intents").json] == [made["id"]]


def test_equal_keys_at_once_claim_one_brief(crowd, project) -> None:
    token, ctx = project.token(), project.context()
    for number in range(3):
        a_ready_brief(ctx, title=f"Loaf {number}")

    responses = at_once([lambda c=c: c.post("/briefs/claim", Idempotency_Key="next") for c in crowd(30, [token])])

    one_was_done(responses, "200")
    assert len(crowd(1, [token])[0].get("/briefs?state=claimed").json) == 1


def test_equal_keys_of_different_tokens_are_different_keys(crowd, project) -> None:
    ctx = project.context()
    for number in range(5):
        a_ready_brief(ctx, title=f"Loaf {number}")

    responses = at_once([lambda c=c: c.post("/briefs/claim", Idempotency_Key="next") for c in crowd(5)])

    assert outcomes(responses) == {"200": 5}
    assert len({response.json["id"] for response in responses}) == 5
