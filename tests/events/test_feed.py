"""Events and a document's activity through the management API."""

from datetime import timedelta
from typing import Any
from unittest.mock import Mock

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.documents.purging import purge_trash
from app.events.rules import cursor_of
from app.events.store import Events
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, made
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def relayed(project: Project) -> None:
    project.store[Outboxes].publish_all(project.id)


@pytest.mark.contract("decided-events.fields", "decided-events.one-each")
def test_an_event_says_what_happened_to_what_when_and_by_whom_without_a_text(rest: Rest, project: Project) -> None:
    document = a_ready_brief(project.context(rest.token), markdown="# Flour\n\nand water", title="Flour")
    rest.post(f"/documents/{document['id']}/brief/claim")
    relayed(project)

    events = rest.get("/events").json["events"]

    claimed = events[-1]
    assert list(claimed) == ["id", "sequence", "type", "at", "by", "data"]
    assert claimed["type"] == "brief.claimed"
    assert claimed["by"] == {"type": "token", "id": rest.token.id, "name": "A script", "agent": ""}
    assert claimed["data"] == {
        "documentId": document["id"],
        "status": "drafting",
        "version": 1,
        "slug": "flour",
        "briefState": "claimed",
    }
    assert "water" not in str(events)


def test_events_name_the_slug_that_the_website_no_longer_has_the_document_under(rest: Rest, project: Project) -> None:
    """`slug` is the present one, under which the document may not have been delivered yet."""
    path = f"/documents/{a_document(project.context(), slug='a', markdown='Text.')['id']}"
    rest.post(f"{path}/publish")
    rest.patch(path, {"slug": "b"})
    rest.post(f"{path}/publish")
    rest.post(f"{path}/publish")
    rest.patch(path, {"slug": "c"})
    rest.post(f"{path}/unpublish")
    rest.call("DELETE", path)
    rest.post(f"{path}/restore")
    rest.post(f"{path}/publish")
    rest.patch(path, {"slug": "d"})
    rest.call("DELETE", path)
    rest.post(f"{path}/restore")

    moves = [(one["type"][9:], one["details"].get("previousSlug")) for one in rest.get(f"{path}/activity").json[::-1]]

    assert [move for move in moves if move[0] not in ("created", "updated")] == [
        ("published", None),
        ("published", "a"),
        ("published", None),
        ("unpublished", "b"),
        ("deleted", None),
        ("restored", None),
        ("published", None),
        ("deleted", "c"),
        ("restored", None),
    ]


@pytest.mark.contract("decided-events.drafts-none")
def test_a_confirm_is_a_document_created_with_its_intent_and_drafts_make_no_event(rest: Rest, project: Project) -> None:
    draft = rest.post("/document-intents", {"title": "Flour"}).json
    rest.patch(f"/document-intents/{draft['id']}", {"slug": "flour"})
    rest.post(f"/document-intents/{draft['id']}/confirm")
    relayed(project)

    mine = [event for event in rest.get("/events").json["events"] if event["by"]["id"] == rest.token.id]

    assert [event["type"] for event in mine] == ["document.created"]
    assert mine[0]["data"]["intentId"] == draft["id"]


@pytest.mark.contract("decided-events.none-for-nothing")
@pytest.mark.parametrize("body", [{"keyword": ""}, {"outline": "", "internalLinks": []}, {"audience": None}])
def test_what_empties_unset_fields_of_a_brief_changes_nothing(rest: Rest, project: Project, body: Any) -> None:
    document = f"/documents/{a_document(project.context(), brief={'notes': 'Plainly.'})['id']}"
    before = rest.get(document)

    assert rest.patch(f"{document}/brief", body).json == before.json

    assert [event["type"] for event in rest.get(f"{document}/activity").json] == ["document.created"]
    assert rest.get(document).headers["ETag"] == before.headers["ETag"]


@pytest.mark.contract("decided-events.none-for-nothing")
@pytest.mark.parametrize(
    "body",
    [{"guidelines": ""}, {"fourEyes": False, "checks": {}}, {"siteUrl": None}, {"siteUrl": "", "categoryUrl": ""}],
)
def test_what_sets_the_project_to_its_defaults_changes_nothing(rest: Rest, body: Any) -> None:
    before = rest.get("/project")

    assert rest.patch("/project", body).json == before.json

    assert rest.get("/project").headers["ETag"] == before.headers["ETag"]


@pytest.mark.contract("decided-events.none-for-nothing")
@pytest.mark.parametrize("settings", [{}, {"siteUrl": "https://crust.example", "claimLeaseSeconds": 60}])
def test_the_project_as_it_was_read_can_be_sent_back(rest: Rest, settings: Any) -> None:
    rest.patch("/project", settings)
    before = rest.get("/project")

    after = rest.patch("/project", before.json)

    assert (after.status_code, after.json, after.headers["ETag"]) == (200, before.json, before.headers["ETag"])
    assert rest.patch("/project", {"siteUrl": ""}).json["siteUrl"] == ""


@pytest.mark.contract("decided-events.cursor", "decided-events.follow")
def test_the_cursor_leads_on_and_is_there_when_the_page_is_empty(rest: Rest, project: Project) -> None:
    relayed(project)
    end = rest.get("/events").json["cursor"]
    assert rest.get(f"/events?after={end}").json == {"events": [], "cursor": end}

    for title in ("Flour", "Water", "Salt"):
        a_document(project.context(rest.token), title=title)
    relayed(project)

    first = rest.get(f"/events?after={end}&limit=2").json
    second = rest.get(f"/events?after={first['cursor']}&limit=2").json
    assert [event["data"]["slug"] for event in first["events"] + second["events"]] == ["flour", "water", "salt"]
    assert rest.get(f"/events?after={second['cursor']}").json["events"] == []


def test_a_feed_without_any_event_yet_has_a_cursor_too(rest: Rest) -> None:
    empty = rest.get("/events").json

    assert empty["events"] == []
    assert rest.get(f"/events?after={empty['cursor']}").status_code == 200


def test_the_latest_place_leads_to_what_happens_from_now_on(rest: Rest, project: Project) -> None:
    a_document(project.context(rest.token), title="Flour")
    relayed(project)

    latest = rest.get("/events?after=latest").json

    assert latest == {"events": [], "cursor": rest.get("/events").json["cursor"]}
    a_document(project.context(rest.token), title="Water")
    relayed(project)
    [created] = rest.get(f"/events?after={latest['cursor']}").json["events"]
    assert created["data"]["slug"] == "water"


def test_events_of_some_types_are_paged_like_all_and_the_cursor_passes_the_others(rest: Rest, project: Project) -> None:
    for title in ("Flour", "Water", "Salt"):
        a_ready_brief(project.context(rest.token), title=title)
    relayed(project)

    first = rest.get("/events?type=brief.ready,brief.claimed&limit=2").json
    second = rest.get(f"/events?type=brief.ready,brief.claimed&limit=2&after={first['cursor']}").json

    assert [event["type"] for event in first["events"]] == ["brief.ready"] * 2
    assert [event["data"]["slug"] for event in first["events"] + second["events"]] == ["flour", "water", "salt"]
    assert rest.get("/events?type=brief.claimed").json == {"events": [], "cursor": second["cursor"]}
    assert rest.get(f"/events?after={second['cursor']}").json["events"] == []


def test_the_cursor_of_some_types_does_not_pass_what_is_still_being_moved(
    rest: Rest, project: Project, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    relayed(project)
    a_ready_brief(project.context(rest.token))
    before = rest.get("/events").json["cursor"]
    with monkeypatch.context() as patched:  # the worker is killed after its plan
        patched.setattr(Events, "add", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            relayed(project)

    assert rest.get(f"/events?type=brief.ready&after={before}").json == {"events": [], "cursor": before}
    relayed(project)
    assert len(rest.get(f"/events?type=brief.ready&after={before}").json["events"]) == 1


def test_an_unknown_type_of_event_is_refused_with_all_that_there_are(rest: Rest) -> None:
    [issue] = rest.get("/events?type=document.published,document.gone").json["issues"]

    assert issue["path"] == "type"
    assert "document.published" in issue["message"]


@pytest.mark.contract("decided-events.cursor", "decided-events.limit")
@pytest.mark.parametrize(
    "query", ["after=", "after=nonsense", "after=0", "after=%00", "limit=0", "limit=1001", "limit=all", "after=AAAA"]
)
def test_what_is_no_cursor_and_no_limit_is_refused_with_400(rest: Rest, query: str) -> None:
    refused = rest.get(f"/events?{query}")

    assert refused.status_code == 400
    assert refused.json["_tag"] == "HttpApiDecodeError"
    assert [issue["path"] for issue in refused.json["issues"]] == [query.partition("=")[0]]


def test_a_cursor_of_another_project_or_of_the_future_is_none(rest: Rest, project: Project, store: Store) -> None:
    relayed(project)

    for cursor in (cursor_of(a_project(store).id, 0), cursor_of(project.id, 1_000)):
        assert rest.get(f"/events?after={cursor}").status_code == 400


def aged(store: Store, project: Project, upto: int) -> None:
    """Makes a project's events old, up to one of them."""
    old = {"projectId": ObjectId(project.id), "sequence": {"$lte": upto}}
    store.database.events.update_many(old, {"$set": {"at": this_instant() - timedelta(days=40)}})


def trim(store: Store, project: Project) -> int:
    """Trims a project's feed as the worker does; returns how many events were removed."""
    month_ago, trimmed = this_instant() - timedelta(days=30), 0
    while events := store[Events].trim(project.id, month_ago):
        trimmed += events
    return trimmed


def test_old_events_leave_the_feed_and_their_cursors_expire(fresh_store: Store, rest: Rest) -> None:
    project = a_project(fresh_store)
    for title in ("Flour", "Water", "Salt"):
        a_document(project.context(), title=title)
    relayed(project)
    last = fresh_store[Events].last(project.id)
    aged(fresh_store, project, last - 2)

    assert trim(fresh_store, project) == last - 2

    page, reached = fresh_store[Events].page(project.id, None, 100)
    assert [event["sequence"] for event in page] == [last - 1, last]
    assert reached == last
    assert trim(fresh_store, project) == 0


@pytest.mark.contract("decided-events.kept", "decided-http.CursorExpired")
def test_a_cursor_before_the_oldest_event_is_410(rest: Rest, project: Project, store: Store) -> None:
    for title in ("Flour", "Water"):
        a_document(project.context(rest.token), title=title)
    relayed(project)
    first = rest.get("/events?limit=1").json["cursor"]
    last = rest.get("/events").json["cursor"]
    aged(store, project, store[Events].last(project.id))
    trim(store, project)

    expired = rest.get(f"/events?after={first}")

    assert expired.status_code == 410
    assert expired.json["_tag"] == "CursorExpired"
    assert rest.get("/events").json == {"events": [], "cursor": last}
    assert rest.get(f"/events?after={last}").json == {"events": [], "cursor": last}


def activity(rest: Rest, document: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rest.get(f"/documents/{document['id']}/activity{query}").json
    return found


@pytest.mark.contract("decided-events.activity", "decided-events.kept")
def test_activity_is_complete_newest_first_whatever_was_relayed_or_cut(
    rest: Rest, project: Project, store: Store
) -> None:
    document = a_ready_brief(project.context(rest.token))
    relayed(project)
    rest.post(f"/documents/{document['id']}/brief/claim")
    relayed(project)
    rest.post(f"/documents/{document['id']}/brief/withdraw")
    rest.post(f"/documents/{document['id']}/brief/ready")
    aged(store, project, store[Events].last(project.id) - 1)
    trim(store, project)

    told = activity(rest, document)

    types = ["brief.ready", "brief.withdrawn", "brief.claimed", "brief.ready", "document.created"]
    assert [item["type"] for item in told] == types
    assert list(told[0]) == ["id", "type", "at", "by", "details"]
    assert told[0]["details"]["briefState"] == "ready"
    paged = [item for offset in range(0, 6, 2) for item in activity(rest, document, f"?limit=2&offset={offset}")]
    assert paged == told


def test_an_event_is_in_the_activity_once_while_it_is_being_relayed(rest: Rest, project: Project, store: Store) -> None:
    document = a_ready_brief(project.context(rest.token))
    row = store.database.documents.find_one({"_id": ObjectId(document["id"])})
    relayed(project)
    store.database.documents.update_one({"_id": row["_id"]}, {"$set": {"outbox": row["outbox"]}})

    assert [item["type"] for item in activity(rest, document)] == ["brief.ready", "document.created"]


def test_the_activity_of_no_document_is_not_found(rest: Rest, project: Project, store: Store) -> None:
    other = a_document(a_project(store).context())
    category = made(project.context(rest.token), "category", name="Baking", slug="baking")

    for unknown in (other["id"], category["id"], "6650f0a1b2c3d4e5f6a7b8c9", "nonsense"):
        assert rest.get(f"/documents/{unknown}/activity").status_code == 404


def test_cut_events_are_deleted_unless_a_document_still_tells_of_them(store: Store, project: Project) -> None:
    document = a_document(project.context())
    relayed(project)
    aged(store, project, store[Events].last(project.id))

    trim(store, project)

    kept = list(store.database.events.find({"projectId": ObjectId(project.id)}))
    assert [str(event["data"]["documentId"]) for event in kept] == [document["id"]]


def test_a_purged_document_leaves_nothing_behind_the_feeds_cut_and_no_gap_before_it(fresh_store: Store) -> None:
    project = a_project(fresh_store)
    ctx = project.context()
    gone = a_document(ctx, title="Gone")
    relayed(project)
    aged(fresh_store, project, cut := fresh_store[Events].last(project.id))
    trim(fresh_store, project)
    OPERATIONS["delete_document"](ctx, gone["id"])
    relayed(project)

    assert purge_trash(fresh_store, this_instant() + timedelta(seconds=1)) == 1

    page, reached = fresh_store[Events].page(project.id, None, 100)
    assert [event["sequence"] for event in page] == list(range(cut + 1, reached + 1))
    assert page[-1]["type"] == "document.deleted"
    kept = fresh_store.database.events.find(
        {"projectId": ObjectId(project.id), "data.documentId": ObjectId(gone["id"])}
    )
    assert [event["type"] for event in kept] == ["document.deleted"]
