"""Briefs through the management API: written, offered, claimed, given back (contract: Briefs)."""

import re

import pytest

from tests.make import EMPTY_BRIEF, a_document, a_project, a_ready_brief, made

NO_ID = "0123456789abcdef01234567"
WHOLE = {
    "audience": "bakers",
    "intent": "navigational",
    "keyword": "rye",
    "notes": "n",
    "outline": "one\ntwo",
    "referenceUrls": ["https://a.example/", "http://b.example"],
    "wordCount": "about 1200",
}


def tag(response) -> tuple[int, str]:
    return response.status_code, response.json["_tag"]


def errors(response) -> list[str]:
    assert tag(response) == (422, "BadRequest")
    return [error["field"] for error in response.json["errors"]]


@pytest.fixture
def ctx(project, api):
    return project.context(api.token)


def in_state(api, ctx, state: str) -> str:
    """Makes a document whose brief is in a state and returns its path."""
    document = a_document(ctx, markdown="# Rye", brief={"keyword": "old"})
    path = f"/documents/{document['id']}"
    steps = {
        "none": (),
        "ready": ("brief/ready",),
        "claimed": ("brief/ready", "brief/claim"),
        "drafted": ("brief/ready", "brief/claim", "submit", "request-changes"),
    }
    for step in steps[state]:
        assert api.post(f"{path}/{step}").status_code == 200
    return path


def closed(api, ctx, status: str, *, state: str = "ready") -> str:
    """Makes a document past drafting whose brief is in a state, and returns its path."""
    path = in_state(api, ctx, state)
    steps = {"review": "submit", "approved": "submit approve", "scheduled": "schedule", "published": "publish"}
    body = {"publishAt": "2099-01-31T09:00:00Z"} if status == "scheduled" else {}
    for step in steps[status].split():
        answer = api.post(f"{path}/{step}", body)
    assert (answer.status_code, answer.json["status"]) == (200, status)
    return path


@pytest.mark.contract(
    "endpoints-briefs.get",
    "brief-detail.id-title",
    "brief-detail.brief",
    "brief-detail.status",
    "brief-detail.dueDate",
    "brief-detail.version",
    "brief-detail.category",
    "brief-detail.clusterId",
    "brief-detail.internalLinks",
    "intent-category.description",
    "versioning.brief",
)
def test_the_detail_has_what_a_writer_needs(api, ctx) -> None:
    category = made(ctx, "category", name="Bread", slug="bread", description="All of it")
    cluster = made(ctx, "cluster", name="Rye")
    first, second = a_document(ctx, title="Flour"), a_document(ctx, title="Water")
    links = [second["id"], first["id"]]
    document = a_document(
        ctx,
        title="Rye bread",
        status="planned",
        dueDate="2027-02-14",
        categoryId=category["id"],
        clusterId=cluster["id"],
        brief={**WHOLE, "internalLinks": links},
    )

    detail = api.get(f"/documents/{document['id']}/brief")

    assert detail.status_code == 200
    assert detail.json == {
        "id": document["id"],
        "title": "Rye bread",
        "brief": {**EMPTY_BRIEF, **WHOLE, "internalLinks": links},
        "status": "planned",
        "dueDate": "2027-02-14",
        "version": 1,
        "category": {"id": category["id"], "name": "Bread", "description": "All of it"},
        "clusterId": cluster["id"],
        "internalLinks": [{"id": one["id"], "slug": one["slug"], "title": one["title"]} for one in (second, first)],
    }


@pytest.mark.contract("decided-briefs.having", "brief-detail.brief", "brief.unset")
def test_a_document_without_a_brief_is_in_state_none_and_its_detail_is_null(api, ctx) -> None:
    path = f"/documents/{a_document(ctx)['id']}"

    assert api.get(f"{path}/brief").json["brief"] is None
    assert api.get(path).json["brief"] == EMPTY_BRIEF
    assert api.get("/briefs?state=none,ready,claimed,drafted").json == []

    assert api.post(f"{path}/brief/ready").json["brief"] == {**EMPTY_BRIEF, "state": "ready"}
    assert api.post(f"{path}/brief/withdraw").json["brief"] == EMPTY_BRIEF
    assert api.get(f"{path}/brief").json["brief"] == EMPTY_BRIEF
    assert len(api.get("/briefs?state=none").json) == 1


def test_links_to_documents_that_are_gone_are_left_out_of_the_detail(api, ctx) -> None:
    linked, other = a_document(ctx)["id"], a_document(ctx)["id"]
    document = a_document(ctx, brief={"internalLinks": [linked, other]})
    assert api.delete(f"/documents/{linked}").status_code == 200

    detail = api.get(f"/documents/{document['id']}/brief").json

    assert [link["id"] for link in detail["internalLinks"]] == [other]


@pytest.mark.contract("endpoints-briefs.replace", "brief-moves.write", "brief.state", "brief-states.none")
@pytest.mark.parametrize("state", ["none", "ready", "claimed", "drafted"])
def test_replacing_writes_the_brief_whole_and_leaves_its_state(api, ctx, state) -> None:
    path = in_state(api, ctx, state)
    before = api.get(path).json

    after = api.put(f"{path}/brief", {"audience": "bakers", "state": "none", "claimedBy": None})

    assert after.status_code == 200
    kept = {name: before["brief"][name] for name in ("state", "rounds", "claimedAt", "claimedBy", "claimExpiresAt")}
    assert after.json["brief"] == {**EMPTY_BRIEF, "audience": "bakers", **kept}
    assert after.json["brief"]["state"] == state
    assert {**after.json, "brief": 0, "updatedAt": 0} == {**before, "brief": 0, "updatedAt": 0}
    assert api.get(path).json == after.json


@pytest.mark.contract("endpoints-briefs.update", "brief-moves.write", "brief.state")
@pytest.mark.parametrize("state", ["none", "ready", "claimed", "drafted"])
def test_updating_changes_what_is_sent_clears_null_and_leaves_the_state(api, ctx, state) -> None:
    path = in_state(api, ctx, state)
    before = api.put(f"{path}/brief", WHOLE).json

    after = api.patch(f"{path}/brief", {"keyword": None, "referenceUrls": None, "outline": "one", "unknown": 1})

    assert after.status_code == 200
    assert after.json["brief"] == {**before["brief"], "keyword": "", "referenceUrls": [], "outline": "one"}
    assert after.json["brief"]["state"] == state
    assert after.json["version"] == before["version"]


def test_a_brief_written_without_a_change_is_not_changed(api, ctx) -> None:
    path = in_state(api, ctx, "ready")
    before = api.put(f"{path}/brief", WHOLE)

    for after in (
        api.put(f"{path}/brief", WHOLE),
        api.patch(f"{path}/brief", {"keyword": "rye"}),
        api.patch(f"{path}/brief", {}),
    ):
        assert (after.json, after.headers["ETag"]) == (before.json, before.headers["ETag"])


@pytest.mark.contract("decided-briefs.having")
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_writing_nothing_writes_an_empty_brief_where_there_was_none(api, ctx, method) -> None:
    path = f"/documents/{a_document(ctx)['id']}/brief"

    assert api.call(method, path, {}).json["brief"] == EMPTY_BRIEF
    assert api.get(path).json["brief"] == EMPTY_BRIEF


def test_a_replacement_without_a_body_clears_nothing(api, ctx) -> None:
    path = f"/documents/{a_document(ctx, brief={'keyword': 'rye'})['id']}/brief"

    refused = api.put(path)

    assert tag(refused) == (400, "HttpApiDecodeError")
    assert refused.json["issues"] == [{"path": "", "message": "There is no body: send a JSON object."}]
    assert api.get(path).json["brief"]["keyword"] == "rye"


@pytest.mark.contract(
    "endpoints-briefs.rules", "decided-briefs.write-errors", "errors.BadRequest", "brief.internalLinks"
)
@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_every_rule_that_a_brief_breaks_is_reported_at_once_and_nothing_is_written(api, ctx, store, method) -> None:
    path = in_state(api, ctx, "ready")
    theirs = a_document(a_project(store).context())["id"]
    trashed = a_document(ctx)["id"]
    api.delete(f"/documents/{trashed}")
    ours = a_document(ctx)["id"]
    body = {
        "keyword": "new",
        "intent": "curious",
        "internalLinks": [ours, NO_ID, theirs, "x", trashed],
        "referenceUrls": ["https://a.example", "http://", "ftp://a.example"],
    }
    before = api.get(path).json

    refused = api.call(method, f"{path}/brief", body)

    links = [f"internalLinks[{place}]" for place in (1, 2, 3, 4)]
    assert errors(refused) == ["intent", *links, "referenceUrls[1]", "referenceUrls[2]"]
    assert len({error["message"] for error in refused.json["errors"][1:5]}) == 1
    assert api.get(path).json == before


@pytest.mark.contract("decided-briefs.no-self-link")
def test_a_document_may_not_link_to_itself_however_its_id_is_written(api, ctx) -> None:
    document_id = a_document(ctx)["id"]

    for path in (document_id, document_id.upper()):
        for link in (document_id, document_id.upper()):
            refused = api.patch(f"/documents/{path}/brief", {"internalLinks": [link]})
            assert errors(refused) == ["internalLinks[0]"]
            assert "itself" in refused.json["errors"][0]["message"]


@pytest.mark.contract("brief-moves.none-ready", "endpoints-briefs.ready", "brief-states.ready")
@pytest.mark.parametrize("status", ["idea", "planned", "drafting"])
def test_a_brief_that_is_marked_ready_is_listed_and_the_document_keeps_its_status(api, ctx, status) -> None:
    document = a_document(ctx, status=status, brief={})

    ready = api.post(f"/documents/{document['id']}/brief/ready")

    assert (ready.status_code, ready.json["brief"]["state"], ready.json["status"]) == (200, "ready", status)
    assert [item["id"] for item in api.get("/briefs").json] == [document["id"]]


@pytest.mark.contract("brief-moves.drafted-ready")
def test_a_brief_that_was_drafted_can_be_marked_ready_again(api, ctx) -> None:
    path = in_state(api, ctx, "drafted")

    assert api.post(f"{path}/brief/ready").json["brief"] == {
        **EMPTY_BRIEF,
        "keyword": "old",
        "state": "ready",
        "rounds": 1,
    }


@pytest.mark.contract("decided-briefs.ready-order", "endpoints-briefs.ready", "errors.BriefClaimed")
def test_a_ready_brief_is_left_as_it_is_and_a_claimed_one_has_to_be_withdrawn_first(api, ctx) -> None:
    path = in_state(api, ctx, "ready")
    before = api.get(path)

    again = api.post(f"{path}/brief/ready")
    assert (again.status_code, again.json, again.headers["ETag"]) == (200, before.json, before.headers["ETag"])

    api.post(f"{path}/brief/claim")
    refused = api.post(f"{path}/brief/ready")
    assert tag(refused) == (409, "BriefClaimed")
    assert "withdraw" in refused.json["message"]


@pytest.mark.contract("errors.BriefClosed", "decided-briefs.closed", "decided-briefs.claim-order", "brief-rules.4")
@pytest.mark.parametrize("status", ["review", "approved", "scheduled", "published"])
@pytest.mark.parametrize("state", ["none", "ready"])
def test_the_brief_of_a_document_past_drafting_is_closed_and_not_listed(api, ctx, status, state) -> None:
    path = closed(api, ctx, status, state=state)

    offered = api.post(f"{path}/brief/ready")
    assert tag(offered) == (409, "BriefClosed")
    assert "once it is back in drafting" in offered.json["message"]
    assert tag(api.post(f"{path}/brief/claim")) == (409, "BriefClosed")
    assert tag(api.post("/briefs/claim")) == (404, "NoBriefReady")
    assert api.get("/briefs").json == []
    assert len(api.get("/briefs?state=none").json) == (state == "none")


@pytest.mark.contract(
    "brief-moves.claim",
    "endpoints-briefs.claim",
    "statuses",
    "brief-states.claimed",
    "brief.claimedAt",
    "brief.claimedBy",
    "decided-projects.actors",
    "decided-briefs.no-lease",
)
@pytest.mark.parametrize("status", ["idea", "planned", "drafting"])
def test_a_claim_makes_the_document_drafting_and_names_the_calling_token_and_the_time(
    api, project, ctx, status
) -> None:
    document = a_ready_brief(ctx, status=status)
    agent = api.by(project.token("Night writer", agent="writer-1"))

    claimed = agent.post(f"/documents/{document['id']}/brief/claim")

    assert claimed.status_code == 200
    assert (claimed.json["status"], claimed.json["version"]) == ("drafting", 1)
    brief = claimed.json["brief"]
    by = {"type": "token", "id": agent.token.id, "name": "Night writer", "agent": "writer-1"}
    assert (brief["state"], brief["claimedBy"], brief["claimExpiresAt"]) == ("claimed", by, None)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", brief["claimedAt"])
    assert brief["claimedAt"] == claimed.json["updatedAt"]
    assert api.get("/briefs").json == []
    assert [item["state"] for item in api.get("/briefs?state=claimed").json] == ["claimed"]


@pytest.mark.contract("brief-rules.2", "decided-briefs.claimed-names", "errors.BriefClaimed", "endpoints-briefs.claim")
def test_a_claimed_brief_can_not_be_claimed_again_even_by_its_holder(api, project, ctx) -> None:
    path = in_state(api, ctx, "claimed")
    brief = api.get(path).json["brief"]

    for caller in (api, api.by(project.token())):
        refused = caller.post(f"{path}/brief/claim")
        assert tag(refused) == (409, "BriefClaimed")
        assert refused.json.items() >= {"claimedBy": brief["claimedBy"], "claimedAt": brief["claimedAt"]}.items()
        assert brief["claimedBy"]["name"] in refused.json["message"]
        assert brief["claimedAt"] in refused.json["message"]
    assert api.get(path).json["brief"] == brief


@pytest.mark.contract("brief-moves.withdraw-ready", "brief-moves.withdraw-claimed", "endpoints-briefs.withdraw")
@pytest.mark.parametrize("state", ["ready", "claimed"])
def test_withdrawing_clears_the_claim_and_the_brief_can_be_offered_again(api, ctx, state) -> None:
    path = in_state(api, ctx, state)
    status = api.get(path).json["status"]

    withdrawn = api.post(f"{path}/brief/withdraw")

    assert withdrawn.status_code == 200
    assert withdrawn.json["brief"] == {**EMPTY_BRIEF, "keyword": "old"}
    assert withdrawn.json["status"] == status
    assert api.get("/briefs").json == []
    assert api.post(f"{path}/brief/ready").status_code == 200
    assert api.post(f"{path}/brief/claim").status_code == 200


@pytest.mark.contract("brief-rules.3")
def test_any_token_can_release_a_claim_over_the_rest_api(api, project, ctx) -> None:
    path = in_state(api, ctx, "claimed")

    assert api.by(project.token(agent="other")).post(f"{path}/brief/withdraw").json["brief"]["state"] == "none"


@pytest.mark.contract("brief-item", "endpoints-briefs.list", "decided-briefs.list")
def test_the_list_of_briefs_has_the_ready_ones_due_soonest_first(api, ctx) -> None:
    category = made(ctx, "category", name="Bread", slug="bread")
    days = [None, "2027-03-01", "2026-01-01", None, "2027-03-01", "2027-02-28"]
    ids = [a_ready_brief(ctx, title=f"Loaf {place}", dueDate=day)["id"] for place, day in enumerate(days)]
    planned = a_document(ctx, status="planned", brief={})["id"]
    last = a_ready_brief(
        ctx, title="Rye", status="planned", categoryId=category["id"], brief={"keyword": "rye", "intent": "commercial"}
    )

    listed = api.get("/briefs").json

    assert [item["id"] for item in listed] == [*(ids[place] for place in (2, 5, 1, 4, 0, 3)), last["id"]]
    assert planned not in {item["id"] for item in listed}
    assert listed[-1] == {
        "id": last["id"],
        "title": "Rye",
        "keyword": "rye",
        "intent": "commercial",
        "state": "ready",
        "status": "planned",
        "dueDate": None,
        "category": "Bread",
        "claimedBy": None,
        "claimExpiresAt": None,
    }
    assert listed[0].items() >= {"category": "", "intent": "", "dueDate": "2026-01-01"}.items()


@pytest.mark.contract("decided-briefs.list-claims")
@pytest.mark.parametrize("lease", [{}, {"leaseSeconds": 600}])
def test_an_agent_finds_its_claims_in_the_list_of_briefs(api, ctx, lease) -> None:
    document = a_ready_brief(ctx)
    brief = api.post(f"/documents/{document['id']}/brief/claim", lease).json["brief"]

    [listed] = api.get("/briefs?state=claimed").json

    assert listed["claimedBy"] == brief["claimedBy"]
    assert listed["claimedBy"]["id"] == api.token.id
    assert listed["claimExpiresAt"] == brief["claimExpiresAt"]
    assert (listed["claimExpiresAt"] is None) == (not lease)


@pytest.mark.contract("endpoints-briefs.list", "decided-briefs.state-checked")
def test_the_list_of_briefs_can_be_of_any_states(api, ctx) -> None:
    paths = {state: in_state(api, ctx, state) for state in ("none", "ready", "claimed", "drafted")}

    for states in ("none", "ready", "claimed", "drafted", "none,drafted", "claimed,none,ready,drafted", "ready,ready"):
        listed = api.get(f"/briefs?state={states}").json
        assert {item["state"] for item in listed} == set(states.split(","))
        assert sorted(f"/documents/{item['id']}" for item in listed) == sorted({paths[s] for s in states.split(",")})
    refused = api.get("/briefs?state=ready,open")
    assert tag(refused) == (400, "HttpApiDecodeError")
    assert [issue["path"] for issue in refused.json["issues"]] == ["state"]


@pytest.mark.contract("decided-briefs.claim-next", "decided-http.NoBriefReady")
def test_the_next_brief_is_the_one_due_soonest_until_none_is_left(api, ctx) -> None:
    days = [None, "2027-03-01", "2026-01-01", None]
    ids = [a_ready_brief(ctx, title=f"Loaf {place}", dueDate=day)["id"] for place, day in enumerate(days)]

    claimed = [api.post("/briefs/claim") for _ in range(4)]

    assert [answer.json["id"] for answer in claimed] == [ids[place] for place in (2, 1, 0, 3)]
    assert {answer.json["brief"]["state"] for answer in claimed} == {"claimed"}
    assert {answer.json["status"] for answer in claimed} == {"drafting"}
    assert tag(api.post("/briefs/claim")) == (404, "NoBriefReady")


@pytest.mark.contract("decided-briefs.claim-next", "decided-projects.invisible")
def test_the_next_brief_can_be_of_one_category_and_cluster(api, ctx, store) -> None:
    category, other = (made(ctx, "category", name=n, slug=n)["id"] for n in ("bread", "cake"))
    cluster = made(ctx, "cluster", name="Rye")["id"]
    there = a_project(store).context()
    theirs = made(there, "category", name="b", slug="b")["id"]
    a_ready_brief(there, categoryId=theirs)
    a_ready_brief(ctx, title="Nowhere", dueDate="2026-01-01")
    filed = a_ready_brief(ctx, title="Filed", categoryId=category)["id"]
    both = a_ready_brief(ctx, title="Both", categoryId=category, clusterId=cluster)["id"]

    for empty in ({"categoryId": other}, {"categoryId": theirs}, {"categoryId": NO_ID}, {"clusterId": category}):
        refused = api.post("/briefs/claim", empty)
        assert tag(refused) == (404, "NoBriefReady")
        assert "Id`: check the id" in refused.json["message"]
    for none in ("", "none", "x" * 24, "a" * 500):
        refused = api.post("/briefs/claim", {"categoryId": none})
        assert tag(refused) == (404, "NoBriefReady")
        assert refused.json["message"].startswith("`categoryId` is no id")
    assert tag(api.post("/briefs/claim", {"categoryId": None})) == (400, "HttpApiDecodeError")
    assert api.post("/briefs/claim", {"categoryId": category.upper(), "clusterId": cluster}).json["id"] == both
    assert api.post("/briefs/claim", {"categoryId": category}).json["id"] == filed


@pytest.mark.contract("endpoints-briefs.bulk", "endpoints.all")
@pytest.mark.parametrize("status", ["idea", "planned"])
def test_briefs_are_offered_by_creating_confirming_and_marking_ready(api, status) -> None:
    for title in ("Rye", "Spelt"):
        draft = api.post("/document-intents", {"title": title, "status": status, "brief": {"keyword": title}}).json
        document = api.post(f"/document-intents/{draft['id']}/confirm").json["document"]
        assert api.post(f"/documents/{document['id']}/brief/ready").status_code == 200

    assert [(item["title"], item["keyword"], item["status"]) for item in api.get("/briefs").json] == [
        ("Rye", "Rye", status),
        ("Spelt", "Spelt", status),
    ]
