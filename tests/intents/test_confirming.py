"""Confirming drafts through the management API: what they become, what is wrong with them (decisions, section 4)."""

import pytest
from bson import ObjectId

from app.categories.rules import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from tests.make import EMPTY_BRIEF, a_document, a_project, fill_with_categories, made

pytestmark = pytest.mark.needs_mongod

NO_ID = "0123456789abcdef01234567"
UNKNOWN_ID = "zzzzzzzzzzzzzzzzzzzzzzzz"


def confirmed(api, kind: str, **fields):
    """Begins a draft and confirms it."""
    draft = api.post(f"/{kind}-intents", fields).json
    return api.post(f"/{kind}-intents/{draft['id']}/confirm")


def wrong(response) -> list[str]:
    """Returns the fields that confirming found wrong."""
    assert (response.status_code, response.json["_tag"]) == (422, "IntentInvalid"), response.json
    return [error["field"] for error in response.json["errors"]]


@pytest.fixture
def member(api) -> str:
    return api.post("/members", {"name": "Ada"}).json["id"]


@pytest.mark.contract(
    "endpoints-intents.confirm",
    "intent-lifecycle.confirm",
    "record.ids",
    "record.references",
    "record.texts",
    "record.status",
    "record.content",
    "record.times",
    "record.contentUpdatedBy",
    "record.coverImageUrl",
    "record.dueDate",
    "record.flags",
    "record.versions",
    "record.wordCount",
    "record.brief",
    "brief.unset",
    "decided-intents.unset",
    "decided-briefs.having",
)
def test_the_least_document_has_every_key_and_its_defaults(api, project) -> None:
    draft = api.post("/document-intents", {"title": "Rye"}).json

    answer = api.post(f"/document-intents/{draft['id']}/confirm")

    assert answer.status_code == 201
    assert answer.json.keys() == {"document", "intentId"}
    assert answer.json["intentId"] == draft["id"]
    document = answer.json["document"]
    by = {"type": "token", "id": api.token.id, "name": "A script", "agent": ""}
    at = document["createdAt"]
    assert document == {
        "id": document["id"],
        "projectId": project.id,
        "teamId": project.team_id,
        "title": "Rye",
        "slug": "rye",
        "key": None,
        **dict.fromkeys(("subtitle", "excerpt", "metaTitle", "metaDescription", "reviewNote", "content"), ""),
        **dict.fromkeys(("coverImageUrl", "assigneeId", "authorId", "categoryId", "clusterId", "dueDate")),
        **dict.fromkeys(("publishedVersion", "publishedMarkdown", "publishAt", "publishedAt", "deletedAt")),
        "status": "drafting",
        "version": 1,
        "isPublished": False,
        "hasUnpublishedChanges": False,
        "wordCount": 0,
        **dict.fromkeys(("createdAt", "updatedAt", "contentUpdatedAt"), at),
        **dict.fromkeys(("createdBy", "contentUpdatedBy"), by),
        "brief": EMPTY_BRIEF,
    }
    assert api.get(f"/documents/{document['id']}").json == document


@pytest.mark.contract(
    "intent-document.title",
    "intent-document.slug",
    "intent-document.markdown",
    "intent-document.brief",
    "intent-document.assigneeId",
    "intent-document.categoryId",
    "intent-document.clusterId",
    "intent-document.dueDate",
    "record.references",
    "record.wordCount",
)
def test_a_document_has_every_field_of_its_draft(api, project, member) -> None:
    ctx = project.context()
    category, cluster = made(ctx, "category", name="Bread", slug="bread")["id"], made(ctx, "cluster", name="Rye")["id"]
    linked = a_document(ctx)["id"]
    brief = {
        "audience": "bakers",
        "intent": "commercial",
        "internalLinks": [linked.upper()],
        "keyword": "rye",
        "notes": "n",
        "outline": "a\nb",
        "referenceUrls": ["https://a.example/"],
        "wordCount": "1200-1500",
    }
    fields = {"title": "Rye bread", "status": "planned", "slug": "Roggenbrot", "dueDate": "2027-02-14"}
    ids = {"assigneeId": member.upper(), "categoryId": category.upper(), "clusterId": cluster.upper()}

    answer = confirmed(api, "document", **fields, **ids, markdown="# Rye\n\nFlour *and* water.", brief=brief)

    assert answer.status_code == 201
    document = answer.json["document"]
    assert document.items() >= {**fields, "assigneeId": member, "categoryId": category, "clusterId": cluster}.items()
    assert (document["content"], document["wordCount"]) == ("# Rye\n\nFlour *and* water.", 4)
    assert document["brief"].items() >= {**brief, "internalLinks": [linked], "state": "none"}.items()


@pytest.mark.contract("intent-document.status", "statuses", "service.idea")
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, "drafting"),
        ({"brief": None}, "drafting"),
        ({"brief": {}}, "idea"),
        ({"brief": {"keyword": "rye"}}, "idea"),
        ({"brief": {}, "markdown": "# Rye"}, "idea"),
        *(({"status": status}, status) for status in ("idea", "planned", "drafting")),
        *(({"status": status, "brief": {}}, status) for status in ("idea", "planned", "drafting")),
    ],
)
def test_a_document_begins_as_drafting_or_with_a_brief_as_an_idea(api, fields, status) -> None:
    assert confirmed(api, "document", title="Rye", **fields).json["document"]["status"] == status


@pytest.mark.contract(
    "errors.IntentInvalid",
    "errors.body",
    "intent-lifecycle.confirm-invalid",
    "endpoints-intents.confirm",
    "decided-intents.paths",
    "decided-intents.references",
    "decided-intents.kept-until-confirm",
)
def test_every_problem_of_a_document_is_reported_at_once_sorted_and_the_draft_stays(api) -> None:
    urls = [*["https://a.example"] * 2, "ftp://a.example", *["https://a.example"] * 8, "nowhere"]
    draft = api.post(
        "/document-intents",
        {
            "title": "\t",
            "status": "published",
            "slug": "a b",
            "dueDate": "2027-02-30",
            "assigneeId": NO_ID,
            "categoryId": UNKNOWN_ID,
            "clusterId": "",
            "brief": {"intent": "curious", "internalLinks": [NO_ID, "x"], "referenceUrls": urls},
        },
    ).json
    path = f"/document-intents/{draft['id']}"

    refused = api.post(f"{path}/confirm")

    assert wrong(refused) == [
        "assigneeId",
        "brief.intent",
        "brief.internalLinks[0]",
        "brief.internalLinks[1]",
        "brief.referenceUrls[11]",
        "brief.referenceUrls[2]",
        "categoryId",
        "clusterId",
        "dueDate",
        "slug",
        "status",
        "title",
    ]
    assert all(error["message"] for error in refused.json["errors"])
    assert api.get(path).json == draft
    assert api.get("/documents").json == []
    assert api.post(f"{path}/validate").json == {"valid": False, "errors": refused.json["errors"], "warnings": []}


@pytest.mark.contract("intent-lifecycle.confirm-invalid")
@pytest.mark.parametrize(
    ("kind", "needed"), [("document", ["title"]), ("cluster", ["name"]), ("category", ["name", "slug"])]
)
def test_an_empty_draft_lacks_what_is_required_and_is_confirmed_once_it_has_it(api, kind, needed) -> None:
    draft = api.post(f"/{kind}-intents").json

    assert wrong(api.post(f"/{kind}-intents/{draft['id']}/confirm")) == needed
    api.patch(f"/{kind}-intents/{draft['id']}", dict.fromkeys(needed, "rye"))
    assert api.post(f"/{kind}-intents/{draft['id']}/confirm").status_code == 201


@pytest.mark.contract("decided-projects.deleted-member", "endpoints.sources")
def test_a_deleted_member_can_not_be_assigned_and_records_keep_the_id(api, member) -> None:
    before = confirmed(api, "document", title="Rye", assigneeId=member).json["document"]
    assert api.delete(f"/members/{member}").status_code == 200

    assert wrong(confirmed(api, "document", title="Rye", assigneeId=member)) == ["assigneeId"]
    assert api.get(f"/documents/{before['id']}").json["assigneeId"] == member


@pytest.mark.contract("intent-document.slug", "decided-intents.slug-unique")
def test_a_slug_is_one_documents_in_its_project(api, store) -> None:
    assert confirmed(api, "document", title="Rye", slug="rye").status_code == 201

    assert wrong(confirmed(api, "document", title="Other", slug="rye")) == ["slug"]
    for same in ("Rye", "rye."):
        assert wrong(confirmed(api, "document", title="Other", slug=same)) == ["slug"]
    made = confirmed(api, "document", title="Café", slug="cafe\u0301").json["document"]
    assert made["slug"] == "caf\u00e9"
    assert wrong(confirmed(api, "document", title="Café", slug="caf\u00e9")) == ["slug"]
    assert [one["id"] for one in api.get("/documents?slug=cafe\u0301").json] == [made["id"]]
    assert api.patch(f"/documents/{made['id']}", {"slug": "CAFE\u0301"}, If_Match="*").json["slug"] == "CAF\u00c9"
    assert confirmed(api.by(a_project(store).token()), "document", title="Rye", slug="rye").status_code == 201


@pytest.mark.contract("decided-intents.slug-made")
def test_without_a_slug_one_is_made_of_the_title_and_numbered_as_needed(api) -> None:
    assert confirmed(api, "document", title="x", slug="pain-de-seigle-2").status_code == 201

    slugs = [confirmed(api, "document", title="Pain de séigle!").json["document"]["slug"] for _ in range(3)]

    assert slugs == ["pain-de-seigle", "pain-de-seigle-3", "pain-de-seigle-4"]


@pytest.mark.contract("decided-intents.slug-made")
def test_a_slug_that_is_made_has_at_most_200_characters_with_its_number(api) -> None:
    slugs = [confirmed(api, "document", title="a" * 300).json["document"]["slug"] for _ in range(12)]

    assert len(set(slugs)) == 12
    assert {len(slug) for slug in slugs} == {200}
    assert slugs[-1].endswith("-12")


@pytest.mark.contract(
    "decided-intents.cluster-record", "intent-cluster.name", "intent-cluster.description", "intent-cluster.keywords"
)
def test_a_cluster_has_the_fields_of_its_draft_and_unset_ones_empty(api, project) -> None:
    least = confirmed(api, "cluster", name="Rye").json["cluster"]
    whole = confirmed(api, "cluster", name=" Spelt ", description="d", keywords=["a", "b"]).json["cluster"]

    by = {"type": "token", "id": api.token.id, "name": "A script", "agent": ""}
    assert least == {
        "id": least["id"],
        "projectId": project.id,
        "teamId": project.team_id,
        "name": "Rye",
        "description": "",
        "keywords": [],
        "createdAt": least["createdAt"],
        "updatedAt": least["createdAt"],
        "createdBy": by,
    }
    assert whole.items() >= {"name": " Spelt ", "description": "d", "keywords": ["a", "b"]}.items()
    assert api.get("/clusters").json == [least, whole]


@pytest.mark.contract("intent-cluster.name", "decided-intents.cluster-name")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Rye", "rye"),
        ("Rye", " RYE\t"),
        ("Straße", "STRASSE"),
        ("Ångström", "A\u030angstro\u0308m"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ],
)
def test_cluster_names_are_unique_without_regard_to_case_and_outer_spaces(api, first, second) -> None:
    assert confirmed(api, "cluster", name=first).status_code == 201

    assert wrong(confirmed(api, "cluster", name=second)) == ["name"]


def test_cluster_names_may_differ_by_an_accent_or_be_in_another_project(api, store) -> None:
    assert confirmed(api, "cluster", name="Rye").status_code == 201

    assert confirmed(api, "cluster", name="Ryé").status_code == 201
    assert confirmed(api.by(a_project(store).token()), "cluster", name="Rye").status_code == 201


@pytest.mark.slow
@pytest.mark.contract("limits.clusters", "decided-intents.cluster-cap", "errors.IntentInvalid")
def test_the_two_hundred_and_first_cluster_is_refused_by_its_name(api, project, store) -> None:
    ctx = project.context(api.token)
    for number in range(CLUSTERS_PER_PROJECT):
        made(ctx, "cluster", name=f"Topic {number}")

    refused = confirmed(api, "cluster", name="One more")

    assert wrong(refused) == ["name"]
    assert "200" in refused.json["errors"][0]["message"]
    assert len(api.get("/clusters?limit=500").json) == 200
    assert confirmed(api.by(a_project(store).token()), "cluster", name="One more").status_code == 201


@pytest.mark.contract("decided-intents.category-cap", "errors.IntentInvalid")
def test_the_two_thousand_and_first_category_is_refused_by_its_name(api, project, store) -> None:
    fill_with_categories(project, CATEGORIES_PER_PROJECT - 1)
    assert confirmed(api, "category", name="The last", slug="the-last").status_code == 201

    refused = confirmed(api, "category", name="One more", slug="one-more")

    assert wrong(refused) == ["name"]
    assert "2,000" in refused.json["errors"][0]["message"]
    last = api.get("/categories?limit=1&offset=1999").json[0]
    assert api.delete(f"/categories/{last['id']}").status_code == 200
    assert confirmed(api, "category", name="One more", slug="one-more").status_code == 201
    assert confirmed(api.by(a_project(store).token()), "category", name="Another", slug="another").status_code == 201


@pytest.mark.contract(
    "decided-intents.category-record",
    "intent-category.name",
    "intent-category.slug",
    "intent-category.description",
    "intent-category.categoryId",
)
def test_a_category_has_the_fields_of_its_draft_and_may_have_a_parent(api, project) -> None:
    parent = confirmed(api, "category", name="Bread", slug="bread").json["category"]
    child = confirmed(api, "category", name="Rye", slug="rye-2", description="d", categoryId=parent["id"].upper())

    by = {"type": "token", "id": api.token.id, "name": "A script", "agent": ""}
    assert parent == {
        "id": parent["id"],
        "projectId": project.id,
        "teamId": project.team_id,
        "name": "Bread",
        "slug": "bread",
        "description": "",
        "categoryId": None,
        "createdAt": parent["createdAt"],
        "updatedAt": parent["createdAt"],
        "createdBy": by,
    }
    assert child.json["category"].items() >= {"slug": "rye-2", "description": "d", "categoryId": parent["id"]}.items()


@pytest.mark.contract("intent-category.slug", "intent-category.categoryId", "decided-intents.category-slug")
def test_a_category_needs_a_free_slug_of_its_form_and_a_parent_that_exists(api, store) -> None:
    assert confirmed(api, "category", name="Rye", slug="rye").status_code == 201

    assert wrong(confirmed(api, "category", name="Rye", slug="rye")) == ["slug"]
    assert wrong(confirmed(api, "category", name="Rye", slug="Rye", categoryId=NO_ID)) == ["categoryId", "slug"]
    assert confirmed(api, "category", name="Rye", slug="rye-2").status_code == 201
    assert confirmed(api.by(a_project(store).token()), "category", name="Rye", slug="rye").status_code == 201


@pytest.mark.contract("decided-intents.validate")
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("document", {"title": "Rye", "slug": "taken"}),
        ("document", {}),
        ("cluster", {"name": "TAKEN"}),
        ("category", {"name": "", "slug": "taken"}),
        ("document", {"title": "Rye"}),
        ("cluster", {"name": "Rye"}),
        ("category", {"name": "Rye", "slug": "rye"}),
    ],
)
def test_validate_finds_what_confirm_finds_and_changes_nothing(api, project, kind, fields) -> None:
    ctx = project.context()
    made(ctx, "document", title="t", slug="taken")
    made(ctx, "cluster", name="Taken")
    category = made(ctx, "category", name="Taken", slug="taken")
    if kind != "cluster":
        fields = {**fields, "categoryId": category["id"]}
    draft = api.post(f"/{kind}-intents", fields).json
    before = everything(project)

    found = [api.post(f"/{kind}-intents/{draft['id']}/validate").json for _ in range(3)]

    assert everything(project) == before
    assert found[0] == found[1] == found[2]
    assert api.get(f"/{kind}-intents/{draft['id']}").json == draft
    confirm = api.post(f"/{kind}-intents/{draft['id']}/confirm")
    warnings = {"warnings": []} if kind == "document" else {}
    assert found[0] == {"valid": confirm.status_code == 201, "errors": confirm.json.get("errors", []), **warnings}


def everything(project) -> list:
    """Returns all that the database holds of a project."""
    database, ours = project.store.database, ObjectId(project.id)
    collections = ("documents", "clusters", "categories", "intents", "counters")
    return [list(database[name].find({"$or": [{"projectId": ours}, {"_id": ours}]})) for name in collections]


@pytest.mark.contract("decided-http.idempotency")
def test_a_confirm_whose_response_was_lost_is_repeated_with_its_key(api) -> None:
    draft = api.post("/document-intents", {"title": "Rye", "markdown": "Rye."}).json
    path = f"/document-intents/{draft['id']}/confirm"

    first = api.post(path, Idempotency_Key="rye-1")
    again = api.post(path, Idempotency_Key="rye-1")

    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(api.get("/documents").json) == 1


@pytest.mark.contract("decided-http.idempotency")
def test_a_refused_confirm_stores_nothing_under_its_key(api) -> None:
    draft = api.post("/document-intents", {}).json
    path = f"/document-intents/{draft['id']}"
    assert wrong(api.post(f"{path}/confirm", Idempotency_Key="rye-1")) == ["title"]
    api.patch(path, {"title": "Rye"})

    done = api.post(f"{path}/confirm", Idempotency_Key="rye-1")

    assert (done.status_code, "Idempotency-Replayed" in done.headers) == (201, False)


@pytest.mark.contract("decided-intents.one-transaction")
def test_a_refused_confirm_counts_no_cluster(api, project) -> None:
    for _ in range(3):
        assert wrong(confirmed(api, "cluster", name="")) == ["name"]

    assert project.store.database.counters.find_one({"_id": ObjectId(project.id)})["clusters"] == 0


@pytest.mark.contract("service.created-by-intents")
@pytest.mark.parametrize(
    ("path", "drafts"), [("/documents", "document"), ("/clusters", "cluster"), ("/categories", "category")]
)
def test_nothing_is_created_but_by_a_draft_and_the_refusal_says_how(rest, path, drafts) -> None:
    refused = rest.post(path, {"title": "Rye", "name": "Rye", "slug": "rye"})

    assert (refused.status_code, refused.json["_tag"]) == (405, "MethodNotAllowed")
    assert f"`POST /{drafts}-intents`" in refused.json["message"]
    assert "-intents" not in rest.put(path, {}).json["message"]
