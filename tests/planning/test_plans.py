"""Planning in bulk through the management API: each piece by the rules of confirming and of PATCH.

(decisions, section 14)
"""

import time
from collections import Counter
from typing import Any

import pytest
from bson import ObjectId

from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.store import Store
from tests.documents.steps import (
    NOBODY,
    a_category,
    a_cluster,
    a_document_in,
    claimed,
    events_of,
    ok,
    path_of,
    refused,
    types_of,
)
from tests.live import slowdown
from tests.make import Project, a_project, made
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

MOST_SECONDS = 5.0


def plan(rest: Rest, *pieces: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
    """Sends a plan and returns the outcome of each piece."""
    outcomes: list[dict[str, Any]] = ok(rest.post("/plan", {"pieces": list(pieces), **fields}))["pieces"]
    return outcomes


def planned(rest: Rest, key: str = "rye", **fields: Any) -> dict[str, Any]:
    """Plans a piece and returns its document."""
    [outcome] = plan(rest, {"key": key, "title": "Rye", **fields})
    assert outcome["errors"] == []
    document: dict[str, Any] = ok(rest.get(f"/documents/{outcome['id']}"))
    return document


def wrong(outcome: dict[str, Any]) -> list[str]:
    """Returns the fields for which a piece was refused."""
    assert outcome["outcome"] == "refused"
    return [error["field"] for error in outcome["errors"]]


@pytest.fixture
def filed(api) -> dict[str, str]:
    """Returns the ids of a category, a cluster and a member."""
    member = ok(api.post("/members", {"name": "Ada Lovelace", "email": "Ada@Example.org"}), 201)
    return {
        "categoryId": a_category(api, "Bread", slug="loaves")["id"],
        "clusterId": a_cluster(api, "Sourdough")["id"],
        "assigneeId": member["id"],
    }


class TestNewKeys:
    @pytest.mark.contract("decided-plans.new", "decided-plans.outcomes", "decided-plans.record")
    def test_a_new_key_makes_the_document_that_confirming_would(self, api, store, filed) -> None:
        fields = {"title": "Rye", "brief": {"keyword": "rye"}, "dueDate": "2027-02-14", "markdown": "Rye is dark."}
        draft = ok(api.post("/document-intents", {**fields, **filed, "slug": "confirmed"}), 201)
        confirmed = ok(api.post(f"/document-intents/{draft['id']}/confirm"), 201)["document"]

        [outcome] = plan(api, {"key": "my rye/1", **fields, **filed, "slug": "planned"})

        document = ok(api.get(f"/documents/{outcome['id']}"))
        assert outcome == {"key": "my rye/1", "id": document["id"], "outcome": "created", "errors": []}
        same = document.keys() - {"id", "slug", "key", "createdAt", "updatedAt", "contentUpdatedAt"}
        assert {name: document[name] for name in same} == {name: confirmed[name] for name in same}
        assert (document["key"], confirmed["key"]) == ("my rye/1", None)
        [event] = events_of(store, document)
        assert (event["type"], "intentId" in event["data"]) == ("document.created", False)
        assert ok(api.get(f"/documents/{document['id']}/revisions/1"))["markdown"] == "Rye is dark."

    @pytest.mark.contract("decided-plans.new")
    def test_each_piece_lists_what_confirming_would_find_wrong_and_stops_no_other(self, api, filed) -> None:
        a_document_in(api, "idea", slug="taken")
        bad = {
            "blank": ({"title": " "}, ["title"]),
            "none": ({}, ["title"]),
            "null": ({"title": None}, ["title"]),
            "status": ({"title": "Rye", "status": "published"}, ["status"]),
            "date": ({"title": "Rye", "dueDate": "soon", "slug": "a b"}, ["dueDate", "slug"]),
            "taken": ({"title": "Rye", "slug": "taken"}, ["slug"]),
            "ids": (dict.fromkeys(("categoryId", "clusterId", "assigneeId"), NOBODY) | {"title": "Rye"}, None),
            "brief": (
                {"title": "Rye", "brief": {"intent": "x", "internalLinks": [NOBODY], "referenceUrls": ["ftp://a"]}},
                ["brief.intent", "brief.internalLinks[0]", "brief.referenceUrls[0]"],
            ),
        }

        outcomes = plan(
            api, *({"key": key, **fields} for key, (fields, _) in bad.items()), {"key": "good", "title": "Rye"}
        )

        for outcome, (key, (_, fields)) in zip(outcomes, bad.items(), strict=False):
            assert (outcome["key"], outcome["id"]) == (key, None)
            assert wrong(outcome) == (fields or ["assigneeId", "categoryId", "clusterId"])
        assert outcomes[-1]["outcome"] == "created"
        assert len(ok(api.get("/documents"))) == 2

    def test_a_slug_of_dots_takes_nothing_from_pieces_without_one(self, api) -> None:
        pieces = plan(api, {"key": "1", "title": "Rye", "slug": "..."}, {"key": "2", "title": "Oats"})

        assert [one["outcome"] for one in pieces] == ["created", "created"]

    def test_slugs_are_made_from_titles_and_those_that_pieces_send_are_left_to_them(self, api) -> None:
        a_document_in(api, "idea", title="Spelt")
        pieces = [
            {"key": "1", "title": "Rye"},
            {"key": "2", "title": "Rye"},
            {"key": "3", "title": "Oats", "slug": "rye"},
            {"key": "4", "title": "Spelt", "slug": "rye"},
            {"key": "5", "title": "Spelt"},
        ]

        outcomes = plan(api, *pieces)

        slugs = [outcome["id"] and ok(api.get(f"/documents/{outcome['id']}"))["slug"] for outcome in outcomes]
        assert slugs == ["rye-2", "rye-3", "rye", None, "spelt-2"]
        assert wrong(outcomes[3]) == ["slug"]

    @pytest.mark.contract("decided-plans.drafts")
    def test_no_draft_is_made_and_their_cap_does_not_count(self, api) -> None:
        for _ in range(100):
            ok(api.post("/cluster-intents", {}), 201)

        outcomes = plan(api, *({"key": str(number), "title": "Rye"} for number in range(101)))

        assert Counter(one["outcome"] for one in outcomes) == {"created": 101}
        assert ok(api.get("/document-intents")) == []


class TestKeys:
    @pytest.mark.contract("decided-plans.key")
    @pytest.mark.parametrize("key", ["a,b", "a\nb", "\t", "a\x7f", "\u0085"])
    def test_a_key_has_no_commas_and_control_characters(self, api, key) -> None:
        bad, good = plan(api, {"key": key, "title": "Rye"}, {"key": "good", "title": "Rye"})

        assert (bad["id"], wrong(bad), good["outcome"]) == (None, ["key"], "created")

    @pytest.mark.contract("decided-plans.key")
    def test_keys_are_compared_exactly_and_by_project(self, api, store, app) -> None:
        keys = ["rye", "Rye", " rye", "rye ", "re\u0301", "x" * 200]

        outcomes = plan(api, *({"key": key, "title": "Rye"} for key in keys))
        other = Rest(app.test_client(), a_project(store).token())

        assert [(one["key"], one["outcome"]) for one in outcomes] == [(key, "created") for key in keys]
        assert [one["outcome"] for one in plan(api, {"key": "r\u00e9", "title": "Rye"})] == ["unchanged"]
        assert [one["outcome"] for one in plan(other, {"key": "rye", "title": "Rye"})] == ["created"]

    @pytest.mark.contract("decided-plans.repeated")
    def test_a_repeated_key_is_refused_at_each_later_place(self, api) -> None:
        known = planned(api, "known")
        new = {"key": "new", "title": " "}

        outcomes = plan(api, new, {**new, "title": "Rye"}, {"key": "known"}, {"key": "known"}, new)

        assert [one["outcome"] for one in outcomes] == ["refused", "refused", "unchanged", "refused", "refused"]
        assert [wrong(outcomes[place]) for place in (0, 1, 3, 4)] == [["title"], ["key"], ["key"], ["key"]]
        assert [one["id"] for one in outcomes] == [None, None, known["id"], known["id"], None]

    @pytest.mark.contract("decided-plans.trash")
    def test_the_key_of_a_document_in_the_trash_is_refused_until_it_is_restored(self, api) -> None:
        document = planned(api)
        ok(api.delete(path_of(document)))

        [trashed] = plan(api, {"key": "rye", "title": "Oats"})
        ok(api.post(f"{path_of(document)}/restore"))
        [restored] = plan(api, {"key": "rye", "title": "Oats"})

        assert (trashed["id"], wrong(trashed)) == (document["id"], ["key"])
        assert "trash" in trashed["errors"][0]["message"]
        assert (restored["id"], restored["outcome"]) == (document["id"], "updated")


class TestNames:
    @pytest.mark.contract("decided-plans.names")
    @pytest.mark.parametrize(
        ("field", "names"),
        [
            ("category", ("Bread", "bREAD", " bread ", "loaves", "LOAVES")),
            ("cluster", ("Sourdough", "sourDOUGH")),
            ("assignee", ("ada lovelace", "Ada Lovelace", "ada@example.org", "ADA@EXAMPLE.ORG")),
        ],
    )
    def test_a_name_stands_for_an_id(self, api, filed, field, names) -> None:
        pieces = [{"key": name, "title": "Rye", field: name} for name in names]

        created, again = plan(api, *pieces), plan(api, *pieces)

        assert {ok(api.get(f"/documents/{one['id']}"))[f"{field}Id"] for one in created} == {filed[f"{field}Id"]}
        assert {one["outcome"] for one in again} == {"unchanged"}

    @pytest.mark.contract("decided-plans.names")
    def test_a_name_that_has_spaces_around_it_stands_for_an_id(self, api, project) -> None:
        member = ok(api.post("/members", {"name": "Ada Lovelace "}), 201)
        category = made(project.context(), "category", name=" Bread", slug="loaves")

        document = planned(api, assignee="ada lovelace", category="Bread")

        assert (document["assigneeId"], document["categoryId"]) == (member["id"], category["id"])

    @pytest.mark.contract("decided-plans.names")
    def test_a_name_whose_accents_are_characters_of_their_own_stands_for_an_id(self, api, project) -> None:
        ids = {
            "assigneeId": ok(api.post("/members", {"name": "Caf\u00e9"}), 201)["id"],
            "categoryId": a_category(api, "Caf\u00e9", slug="coffee")["id"],
            "clusterId": made(project.context(), "cluster", name="Caf\u00e9")["id"],
        }

        document = planned(api, assignee="Cafe\u0301", category="Cafe\u0301", cluster="Cafe\u0301")

        assert {field: document[field] for field in ids} == ids

    @pytest.mark.contract("decided-plans.names")
    def test_an_unknown_or_ambiguous_name_or_one_beside_the_id_is_a_problem(self, api, filed) -> None:
        a_category(api, "bread", slug="bread-2")
        ok(api.post("/members", {"name": "Ada Lovelace"}), 201)
        bad = [
            *({field: "Nobody"} for field in ("category", "cluster", "assignee")),
            {"category": "", "assignee": ""},
            {"category": "Bread"},
            {"assignee": "ada lovelace"},
            {"category": "loaves", "categoryId": filed["categoryId"]},
            {"assignee": "ada@example.org", "assigneeId": None},
        ]

        outcomes = plan(api, *({"key": str(place), "title": "Rye", **fields} for place, fields in enumerate(bad)))

        of_id = {"categoryId", "assigneeId"}
        assert [wrong(one) for one in outcomes] == [sorted(fields.keys() - of_id) for fields in bad]
        assert filed["categoryId"] in outcomes[4]["errors"][0]["message"]

    def test_a_deleted_record_is_not_found_by_its_name(self, api, filed) -> None:
        ok(api.delete(f"/members/{filed['assigneeId']}"))
        ok(api.delete(f"/categories/{filed['categoryId']}"))

        [outcome] = plan(api, {"key": "rye", "title": "Rye", "category": "bread", "assignee": "ada@example.org"})

        assert wrong(outcome) == ["assignee", "category"]

    def test_null_in_place_of_a_name_clears(self, api, filed) -> None:
        document = planned(api, category="Bread", assignee="Ada Lovelace", cluster="Sourdough")

        [outcome] = plan(api, {"key": "rye", "category": None, "assigneeId": None, "cluster": None, "clusterId": None})

        assert outcome["outcome"] == "updated"
        cleared = ok(api.get(path_of(document)))
        assert [cleared[name] for name in ("categoryId", "assigneeId", "clusterId")] == [None] * 3


class TestKnownKeys:
    @pytest.mark.contract("decided-plans.known", "decided-plans.again")
    def test_a_known_key_changes_the_fields_that_are_sent_and_differ(self, api, store, filed) -> None:
        document = planned(api, brief={"keyword": "rye", "notes": "Dark."}, dueDate="2027-02-14", category="Bread")
        sent = {"key": "rye", "title": "Rye bread", "dueDate": "2027-02-14", "brief": {"notes": None, "intent": None}}

        first, again = plan(api, sent), plan(api, sent)

        changed = ok(api.get(path_of(document)))
        assert [first[0]["outcome"], again[0]["outcome"]] == ["updated", "unchanged"]
        expected = {"title": "Rye bread", "version": 2, "brief": {**document["brief"], "notes": ""}}
        moved = {"updatedAt", "contentUpdatedAt"}
        assert {name: value for name, value in changed.items() if name not in moved} == {
            name: value for name, value in {**document, **expected}.items() if name not in moved
        }
        assert types_of(store, document) == ["document.created", "document.updated", "brief.updated"]
        updated = events_of(store, document)[1]["data"]
        assert (updated["fields"], updated["version"]) == (["title"], 2)
        assert [one["version"] for one in ok(api.get(f"{path_of(document)}/revisions"))] == [2, 1]
        assert ok(api.get("/documents?q=bread"))[0]["id"] == document["id"]

    @pytest.mark.contract("decided-plans.known")
    def test_markdown_status_and_slug_of_a_known_key_are_left_alone(self, api) -> None:
        document = planned(api, markdown="Rye is dark.")

        [outcome] = plan(
            api, {"key": "rye", "title": "Rye", "markdown": "Rye is light.", "status": "published", "slug": "a b"}
        )

        assert outcome["outcome"] == "unchanged"
        assert ok(api.get(path_of(document))) == document

    @pytest.mark.contract("decided-plans.known")
    def test_a_known_key_lists_what_patch_would_find_wrong(self, api) -> None:
        document = planned(api, brief={"keyword": "rye"})
        links = [document["id"], NOBODY]

        outcomes = plan(
            api,
            {
                "key": "rye",
                "title": " ",
                "dueDate": "soon",
                "categoryId": NOBODY,
                "brief": {"intent": "x", "internalLinks": links},
            },
        )
        [null] = plan(api, {"key": "rye", "title": None})

        assert wrong(outcomes[0]) == [
            *("brief.intent", "brief.internalLinks[0]", "brief.internalLinks[1]", "categoryId", "dueDate", "title")
        ]
        assert wrong(null) == ["title"]
        assert ok(api.get(path_of(document))) == document

    def test_a_brief_is_written_to_a_document_without_one_and_none_is_no_change(self, api, store) -> None:
        document = planned(api)

        outcomes = [plan(api, {"key": "rye", "brief": brief})[0]["outcome"] for brief in (None, {}, {}, {"notes": ""})]

        assert outcomes == ["unchanged", "updated", "unchanged", "unchanged"]
        assert types_of(store, document) == ["document.created", "brief.updated"]

    @pytest.mark.contract("decided-plans.refusals")
    @pytest.mark.parametrize("status", ["approved", "scheduled"])
    def test_what_was_approved_stays_and_the_refusal_is_stored_under_the_key(self, api, project, status) -> None:
        document = a_document_in(api, status)
        project.store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": {"key": "rye"}})

        title, due = plan(api, {"key": "rye", "title": "New"}), plan(api, {"key": "rye", "dueDate": "2027-02-14"})

        refusal = refused(api.patch(path_of(document), {"title": "New"}), "InvalidTransition")
        assert title[0]["errors"] == [{"field": "key", "message": refusal["message"]}]
        assert due[0]["outcome"] == "updated"

    @pytest.mark.contract("decided-plans.refusals")
    def test_a_claim_protects_its_document_from_other_agents(self, api, project: Project) -> None:
        holder = api.by(project.token("Holder", agent="writer-1"))
        other = api.by(project.token("Other", agent="writer-2"))
        document = planned(api, brief={"keyword": "rye"})
        claimed(api, document, holder)
        changes: list[dict[str, Any]] = [{"title": "New"}, {"brief": {"notes": "New"}}, {"ready": True}, {}]

        outcomes = [plan(other, {"key": "rye", **change})[0] for change in changes]

        refusal = refused(other.patch(path_of(document), {"title": "New"}), "BriefClaimed")
        assert [one["outcome"] for one in outcomes] == ["refused", "refused", "unchanged", "unchanged"]
        assert outcomes[0]["errors"] == outcomes[1]["errors"] == [{"field": "key", "message": refusal["message"]}]
        assert plan(holder, {"key": "rye", "title": "Mine"})[0]["outcome"] == "updated"
        assert plan(api, {"key": "rye", "title": "A script's"})[0]["outcome"] == "updated"


class TestReady:
    @pytest.mark.contract("decided-plans.ready")
    def test_ready_offers_the_brief_of_a_new_piece(self, api, store) -> None:
        offered = planned(api, "1", brief={"keyword": "rye"}, ready=True)
        empty = planned(api, "2", ready=True)
        kept = planned(api, "3", brief={"keyword": "rye"}, ready=False)

        assert [one["brief"]["state"] for one in (offered, empty, kept)] == ["ready", "ready", "none"]
        assert {one["id"] for one in ok(api.get("/briefs"))} == {offered["id"], empty["id"]}
        events = events_of(store, offered)
        assert [(one["type"], one["data"]["briefState"]) for one in events] == [
            ("document.created", "none"),
            ("brief.ready", "ready"),
        ]
        assert plan(api, {"key": "1", "ready": True}, {"key": "2", "ready": False})[1]["outcome"] == "unchanged"

    @pytest.mark.contract("decided-plans.ready")
    @pytest.mark.parametrize("status", ["idea", "planned", "drafting", "review", "approved", "scheduled", "published"])
    def test_ready_offers_a_brief_in_state_none_in_an_open_status_alone(self, api, project, status) -> None:
        document = a_document_in(api, status)
        project.store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": {"key": "rye"}})

        [outcome] = plan(api, {"key": "rye", "ready": True})

        opened = status in ("idea", "planned", "drafting")
        assert outcome["outcome"] == ("updated" if opened else "unchanged")
        assert ok(api.get(path_of(document)))["brief"]["state"] == ("ready" if opened else "none")

    @pytest.mark.contract("decided-plans.ready")
    def test_ready_changes_nothing_of_a_brief_that_is_ready_claimed_or_drafted(self, api, store) -> None:
        document = planned(api, markdown="Rye is dark.", ready=True)
        steps = ["", "brief/claim", "submit", "request-changes"]

        for step in steps:
            if step:
                ok(api.post(f"{path_of(document)}/{step}"))
            before = ok(api.get(path_of(document)))
            assert plan(api, {"key": "rye", "ready": True})[0]["outcome"] == "unchanged"
            assert ok(api.get(path_of(document))) == before
        assert before["brief"]["state"] == "drafted"


class TestWholePlans:
    @pytest.mark.contract("decided-plans.again")
    def test_the_same_plan_again_changes_nothing(self, api, store, filed) -> None:
        link = planned(api, "link")["id"]
        brief = {
            **{"audience": "", "intent": "informational", "keyword": "Rye", "notes": "a", "outline": "a\nb"},
            **{"internalLinks": [link.upper()], "referenceUrls": [], "wordCount": "800"},
        }
        piece = {
            **{
                "key": "rye",
                "title": " Rye ",
                "status": "planned",
                "slug": "Dark-Rye",
                "markdown": "Rye",
                "brief": brief,
            },
            **{"dueDate": "2027-02-14", "clusterId": filed["clusterId"].upper(), "category": "BREAD", "ready": True},
        }
        [first] = plan(api, piece)
        before = ok(api.get(f"/documents/{first['id']}"))

        again = plan(api, piece)

        assert again == [{"key": "rye", "id": first["id"], "outcome": "unchanged", "errors": []}]
        assert ok(api.get(f"/documents/{first['id']}")) == before
        assert types_of(store, before) == ["document.created", "brief.ready"]

    @pytest.mark.contract("decided-plans.atomic")
    def test_atomic_makes_all_or_none(self, api) -> None:
        known = planned(api, "known")
        good = [{"key": "known", "title": "New"}, {"key": "new", "title": "Rye", "ready": True}]
        bad = [{"key": "new", "title": "Rye"}, {"key": "a,b", "title": " ", "dueDate": "soon"}]

        body = refused(api.post("/plan", {"pieces": [*good, *bad], "atomic": True}), "IntentInvalid")

        assert [error["field"] for error in body["errors"]] == [
            *("pieces[2].key", "pieces[3].dueDate", "pieces[3].key", "pieces[3].title")
        ]
        assert ok(api.get("/documents")) == [
            {name: value for name, value in known.items() if name not in ("content", "publishedMarkdown")}
        ]
        assert [one["outcome"] for one in plan(api, *good, atomic=True)] == ["updated", "created"]

    @pytest.mark.contract("decided-plans.pieces")
    @pytest.mark.parametrize(
        ("body", "paths"),
        [
            ({}, ["pieces"]),
            ({"pieces": []}, ["pieces"]),
            ({"pieces": {}}, ["pieces"]),
            ({"pieces": None}, ["pieces"]),
            ({"pieces": [{"key": "x", "title": "Rye"}] * 501}, ["pieces"]),
            ({"pieces": [], "atomic": 1}, ["atomic", "pieces"]),
            (
                {
                    "pieces": [
                        {"key": "x", "title": "Rye"},
                        {"title": "x" * 301},
                        {"key": "", "ready": "yes", "brief": {"keyword": 1}},
                        {"key": "x" * 201, "category": 5},
                        {"key": None},
                        7,
                    ]
                },
                [
                    *("pieces[1].key", "pieces[1].title", "pieces[2].brief.keyword", "pieces[2].key"),
                    *("pieces[2].ready", "pieces[3].category", "pieces[3].key", "pieces[4].key", "pieces[5]"),
                ],
            ),
        ],
    )
    def test_types_lengths_and_a_missing_key_refuse_the_whole_request(self, api, body, paths) -> None:
        issues = refused(api.post("/plan", body), "HttpApiDecodeError")["issues"]

        assert [issue["path"] for issue in issues] == paths
        assert ok(api.get("/documents")) == []

    @pytest.mark.contract("decided-plans.speed")
    def test_500_pieces_take_at_most_5_seconds(self, rest, filed) -> None:
        seconds: dict[str, list[float]] = {"created": [], "unchanged": [], "updated": []}

        for attempt in range(3):  # others may use the machine
            for outcome, pieces in plans_of_500(f"attempt-{attempt}").items():
                started = time.monotonic()
                outcomes = plan(rest, *pieces)
                seconds[outcome].append((time.monotonic() - started) / slowdown())
                assert Counter(one["outcome"] for one in outcomes) == {outcome: 500}
            if max(min(each) for each in seconds.values()) < MOST_SECONDS:
                return
        raise AssertionError(seconds)

    @pytest.mark.contract("decided-plans.new")
    def test_a_replayed_plan_gives_the_first_answer(self, api) -> None:
        body = {"pieces": [{"key": "rye", "title": "Rye"}]}

        first, again = (api.post("/plan", body, Idempotency_Key="spring") for _ in range(2))

        assert (first.json, again.headers["Idempotency-Replayed"]) == (again.json, "true")
        assert first.json["pieces"][0]["outcome"] == "created"


def plans_of_500(prefix: str) -> dict[str, list[dict[str, Any]]]:
    """Returns plans of 500 pieces, to be sent in this order, by the outcome of each piece."""
    brief = {"keyword": "rye bread", "outline": "What it is\nHow to bake it", "notes": "Dark."}
    names = {"category": "Bread", "cluster": "sourdough", "assignee": "ada@example.org"}
    shared = {"title": "Rye", "brief": brief, "dueDate": "2027-02-14", "ready": True, **names}
    pieces = [{"key": f"{prefix}-{number}", **shared} for number in range(500)]
    changes = {"title": "Oats", "brief": {"notes": "Light."}, "dueDate": "2027-03-01"}
    return {"created": pieces, "unchanged": pieces, "updated": [piece | changes for piece in pieces]}


class TestListing:
    @pytest.mark.contract("decided-plans.list")
    def test_documents_are_found_by_their_keys(self, api) -> None:
        ids = {key: planned(api, key)["id"] for key in ("a", "b b", "c")}

        def found(query: str) -> set[str]:
            return {one["id"] for one in ok(api.get(f"/documents?{query}"))}

        assert found("key=a,b%20b,nothing") == {ids["a"], ids["b b"]}
        assert found("key=A") == set()
        assert found("key=a,c&status=drafting&sort=title") == {ids["a"], ids["c"]}
        assert found("key=a&status=idea") == set()
        ok(api.delete(f"/documents/{ids['a']}"))
        assert (found("key=a,c"), found("key=a,c&deleted=true")) == ({ids["c"]}, {ids["a"]})

    @pytest.mark.parametrize("query", ["", ",", "a,", "x" * 201, ",".join(map(str, range(101)))])
    def test_at_most_100_keys_of_1_to_200_characters(self, api, query) -> None:
        issues = refused(api.get(f"/documents?key={query}"), "HttpApiDecodeError")["issues"]

        assert [issue["path"] for issue in issues] == ["key"]
        assert ok(api.get(f"/documents?key={','.join(map(str, range(100)))}")) == []


def test_a_cluster_that_a_plan_changes_is_delivered_at_once(api, project: Project, store: Store, filed) -> None:
    document = planned(api, markdown="Rye is dark.")
    ok(api.post(f"{path_of(document)}/publish"))
    before = store[DeliveryRevisions].read(project.id)

    planned(api, clusterId=filed["clusterId"])

    assert store[DeliveryRevisions].read(project.id) > before


class TestTables:
    """A plan as `text/csv`, with the columns of the command line."""

    def test_a_table_plans_its_rows(self, api: Rest) -> None:
        header = "key;title;brief.keyword;brief.referenceUrls;ready\n"
        rye = 'rye;Rye;"rye; dark";https://a.example|https://b.example;yes\n'

        first = ok(self._post(api, header + rye))["pieces"]
        again = ok(self._post(api, f"{header}{rye}\noat;;;;", "; charset=utf-8"))["pieces"]

        assert [one["outcome"] for one in (*first, *again)] == ["created", "unchanged", "refused"]
        brief = ok(api.get(f"/documents/{first[0]['id']}"))["brief"]
        assert (brief["keyword"], brief["state"]) == ("rye; dark", "ready")
        assert brief["referenceUrls"] == ["https://a.example", "https://b.example"]

    @pytest.mark.contract("decided-plans.csv", "decided-provenance.generation")
    def test_a_table_says_what_its_texts_used(self, api: Rest) -> None:
        table = (
            "key,title,markdown,generation.model,generation.inputTokens\nrye,Rye,Dark.,example-4,900\noat,Oat,Pale.,,\n"
        )

        rye, oat = ok(self._post(api, table))["pieces"]

        used = ok(api.get(f"/documents/{rye['id']}/revisions/1"))["generation"]
        assert (used["model"], used["inputTokens"]) == ("example-4", 900)
        assert ok(api.get(f"/documents/{oat['id']}/revisions/1"))["generation"] is None
        wrong = self._post(api, table.replace("900", "9" * 5_000))
        assert [one["path"] for one in wrong.json["issues"]] == ["pieces[0].generation.inputTokens"]

    @pytest.mark.parametrize(
        ("table", "issues"),
        [
            ("", [("", "line 1: there is no column `key`.")]),
            ("key,titel\nrye,Rye", [("", "line 1: `titel` is not a column; did you mean `title`?")]),
            ('key,title\nrye,"Rye', [("", "line 2: its quotes don't match: unexpected end of data.")]),
            ("key,title\nrye,Rye,x", [("", "line 2: has 3 cells, and the header 2: quote a cell with commas.")]),
            ("key,title\n\n" + "k" * 201 + ",Rye", [("pieces[0].key", "line 3: Must be at most 200 characters.")]),
            ("key,title", [("pieces", "Must have at least 1 item.")]),
            ("key\n" + "rye\n" * 501, [("pieces", "Must have at most 500 items.")]),
            ("key\n" + "\n" * 100_001, [("", "Must have at most 100,000 cells.")]),
            ("key" + "," * 100_001, [("", "Must have at most 100,000 cells.")]),
        ],
    )
    def test_what_is_wrong_with_a_table_is_said_with_its_line(
        self, api: Rest, table: str, issues: list[tuple[str, str]]
    ) -> None:
        refused = self._post(api, table)

        assert refused.status_code == 400
        assert [(one["path"], one["message"]) for one in refused.json["issues"]] == issues

    def test_a_table_is_planned_whole_or_not_at_all_with_atomic_in_the_query(self, api: Rest) -> None:
        table = "key,title,category\nrye,Rye,\noat,Oat,nowhere\n"

        refused = self._post(api, table, path="/plan?atomic=true")
        planned = ok(self._post(api, table, path="/plan?atomic=false"))["pieces"]

        assert (refused.status_code, refused.json["_tag"]) == (422, "IntentInvalid")
        assert [one["field"] for one in refused.json["errors"]] == ["pieces[1].category"]
        assert [one["outcome"] for one in planned] == ["created", "refused"]

    @pytest.mark.contract("decided-http.UnsupportedMediaType")
    def test_no_other_route_takes_a_table(self, api: Rest) -> None:
        assert self._post(api, "title\nRye\n", path="/document-intents").status_code == 415

    @staticmethod
    def _post(api: Rest, table: str, charset: str = "", path: str = "/plan") -> Any:
        headers = {"Authorization": f"Bearer {api.token.secret}"}
        return api.client.post(path, data=table.encode(), content_type=f"text/csv{charset}", headers=headers)
