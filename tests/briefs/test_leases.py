"""Claims with a lease, which the worker ends when it has run out (decisions, section 6)."""

from datetime import datetime, timedelta

import pytest
from bson import ObjectId

from app.core.context import this_instant
from tests.documents.steps import path_of
from tests.make import OPERATIONS, Project, a_project, a_ready_brief, an_expired_claim, end_expired_claims


def tag(response) -> tuple[int, str]:
    return response.status_code, response.json["_tag"]


def seconds(record) -> float:
    """Returns how long after the last write a claim runs out."""
    ends, written = record["brief"]["claimExpiresAt"], record["updatedAt"]
    return (datetime.fromisoformat(ends) - datetime.fromisoformat(written)).total_seconds()


@pytest.fixture
def ctx(project, api):
    return project.context(api.token)


def events(project: Project, path: str) -> list[dict]:
    row = project.store.database.documents.find_one({"_id": ObjectId(path.rpartition("/")[2])})
    return row["outbox"]


@pytest.mark.contract("decided-briefs.lease")
@pytest.mark.parametrize("lease", [60.0, 60, 3_600, 86_400])
def test_a_claim_may_carry_a_lease(api, ctx, lease) -> None:
    document = a_ready_brief(ctx)
    by_id = api.post(f"/documents/{document['id']}/brief/claim", {"leaseSeconds": lease})
    a_ready_brief(ctx)
    following = api.post("/briefs/claim", {"leaseSeconds": lease})

    assert seconds(by_id.json) == seconds(following.json) == lease


@pytest.mark.contract("decided-briefs.lease", "decided-briefs.no-lease")
def test_a_project_may_set_the_lease_of_claims_that_name_none(api, store) -> None:
    project = a_project(store, claimLeaseSeconds=600)
    there, ctx = api.by(project.token()), project.context()
    for _ in range(4):
        a_ready_brief(ctx)
    [first, second, third, fourth] = [f"/documents/{item['id']}/brief/claim" for item in there.get("/briefs").json]

    assert seconds(there.post(first).json) == 600
    assert seconds(there.post("/briefs/claim").json) == 600
    assert seconds(there.post(third, {"leaseSeconds": 60}).json) == 60
    assert there.patch("/project", {"claimLeaseSeconds": None}).status_code == 200
    assert there.post(fourth).json["brief"]["claimExpiresAt"] is None
    assert tag(there.post(second)) == (409, "BriefClaimed")


@pytest.mark.contract("decided-briefs.until-ended")
def test_a_claim_whose_lease_has_run_out_is_claimed_for_everybody_until_the_worker_ends_it(api, project) -> None:
    path = path_of(an_expired_claim(project, api.token))
    record = api.get(path)

    assert record.json["brief"].items() >= {"state": "claimed"}.items()
    assert record.json["brief"]["claimedBy"]["id"] == api.token.id
    assert api.get(f"{path}/brief").json["brief"] == record.json["brief"]
    assert api.get("/briefs").json == []
    assert [item["id"] for item in api.get("/briefs?state=claimed").json] == [record.json["id"]]
    assert [one["id"] for one in api.get("/documents?briefState=claimed").json] == [record.json["id"]]
    assert api.get("/documents?briefState=ready").json == []
    other = api.by(project.token("Another"))
    assert tag(other.post(f"{path}/brief/claim")) == (409, "BriefClaimed")
    assert tag(other.post("/briefs/claim")) == (404, "NoBriefReady")
    assert [event["type"] for event in events(project, path)][-1] == "brief.claimed"


@pytest.mark.contract("decided-briefs.until-ended")
@pytest.mark.parametrize(("step", "state"), [("brief/renew", "claimed"), ("submit", "drafted")])
def test_until_the_worker_ends_it_the_holder_may_still_renew_or_submit(api, project, step, state) -> None:
    path = path_of(an_expired_claim(project, api.token, markdown="# Rye"))

    response = api.post(f"{path}/{step}")
    end_expired_claims(project.store)

    assert (response.status_code, response.json["brief"]["state"]) == (200, state)
    assert api.get(path).json == response.json


@pytest.mark.contract("decided-briefs.ended-by-worker", "decided-briefs.expired-event")
def test_the_worker_ends_a_claim_whose_lease_has_run_out_by_an_event_of_the_system(api, project) -> None:
    path = path_of(an_expired_claim(project, project.token("Lost")))
    before = api.get(path)

    end_expired_claims(project.store)

    after = api.get(path)
    unclaimed = {"state": "ready", "claimedBy": None, "claimedAt": None, "claimExpiresAt": None}
    assert after.json["brief"] == {**before.json["brief"], **unclaimed}
    assert after.headers["ETag"] != before.headers["ETag"]
    assert [item["id"] for item in api.get("/briefs").json] == [after.json["id"]]
    expired = events(project, path)[-1]
    assert (expired["type"], expired["by"]["type"], expired["data"]["briefState"]) == (
        "brief.expired",
        "system",
        "ready",
    )
    assert api.post(f"{path}/brief/claim").json["brief"]["claimedBy"]["id"] == api.token.id
    assert [event["type"] for event in events(project, path)][-2:] == ["brief.expired", "brief.claimed"]


@pytest.mark.contract("decided-briefs.renew")
def test_the_holder_renews_by_the_same_lease_or_another(api, project) -> None:
    past = project.context(api.token, now=this_instant() - timedelta(seconds=30))
    document = a_ready_brief(past)
    claimed = OPERATIONS["claim_brief"](past, document["id"], fields={"leaseSeconds": 600}).body
    path = f"/documents/{document['id']}/brief/renew"

    same, other = api.post(path), api.post(path, {"leaseSeconds": 3_600})

    assert (seconds(same.json), seconds(other.json)) == (600, 3_600)
    assert same.json["brief"]["claimExpiresAt"] > claimed["brief"]["claimExpiresAt"]
    assert {answer.json["brief"]["claimedAt"] for answer in (same, other)} == {claimed["brief"]["claimedAt"]}
    assert seconds(api.post(path).json) == 3_600


@pytest.mark.contract("decided-briefs.renew", "errors.BriefClaimed")
def test_only_the_holder_renews_a_claim_and_only_while_it_lasts(api, project, ctx) -> None:
    document = a_ready_brief(ctx)
    path = f"/documents/{document['id']}/brief"
    assert api.post(f"{path}/renew").json.items() >= {"_tag": "BriefClaimed", "claimedBy": None}.items()
    api.post(f"{path}/claim", {"leaseSeconds": 600})

    refused = api.by(project.token()).post(f"{path}/renew")

    assert tag(refused) == (409, "BriefClaimed")
    assert refused.json["claimedBy"]["id"] == api.token.id
    path = path_of(an_expired_claim(project, api.token))
    end_expired_claims(project.store)
    expired = api.post(f"{path}/brief/renew")
    assert tag(expired) == (409, "BriefClaimed")
    assert (expired.json["claimedBy"], expired.json["claimedAt"]) == (None, None)
