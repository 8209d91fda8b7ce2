"""Briefs through the management API."""

from tests.make import a_ready_brief
from tests.rest.client import Rest


def test_a_claim_makes_the_document_drafting_and_names_the_calling_token(rest: Rest, project) -> None:
    document = a_ready_brief(project.context(rest.token))

    claimed = rest.post(f"/documents/{document['id']}/brief/claim")

    assert claimed.status_code == 200
    assert claimed.json["status"] == "drafting"
    assert claimed.json["brief"]["state"] == "claimed"
    assert claimed.json["brief"]["claimedBy"]["id"] == rest.token.id
