"""Categories and clusters: lists, changes, deletion, and what documents show of them (decisions, section 5)."""

import pytest

from tests.documents.steps import NOBODY, a_category, a_cluster, a_document, a_document_in, ok, path_of, refused
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

KINDS = {"categories": a_category, "clusters": a_cluster}
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.contract("decided-documents.filing-edits")
def test_a_category_is_changed_field_by_field(rest: Rest) -> None:
    parent, category = a_category(rest, "Baking"), a_category(rest, description="All of it")
    path = f"/categories/{category['id']}"
    changes = {"name": "Loaves", "slug": "loaves", "description": "Long ones", "categoryId": parent["id"]}

    changed = ok(rest.patch(path, changes))

    assert changes.items() <= changed.items()
    assert changed["updatedAt"] > category["updatedAt"]
    assert ok(rest.get(path)) == changed
    cleared = ok(rest.patch(path, {"description": None, "categoryId": None}))
    assert (cleared["description"], cleared["categoryId"]) == ("", None)
    assert ok(rest.patch(path, {"name": "Loaves", "description": ""})) == cleared
    undescribed = a_category(rest, "Rolls", description="")
    assert ok(rest.patch(f"/categories/{undescribed['id']}", {"description": None})) == undescribed


@pytest.mark.contract("decided-documents.filing-edits")
def test_a_cluster_is_changed_field_by_field(rest: Rest) -> None:
    cluster = a_cluster(rest, description="All of it", keywords=["levain"])
    path = f"/clusters/{cluster['id']}"

    changed = ok(rest.patch(path, {"name": "SOURDOUGH", "keywords": ["starter", "levain"]}))

    assert (changed["name"], changed["keywords"], changed["description"]) == (
        "SOURDOUGH",
        ["starter", "levain"],
        "All of it",
    )
    cleared = ok(rest.patch(path, {"description": None, "keywords": None}))
    assert (cleared["description"], cleared["keywords"]) == ("", [])
    assert ok(rest.patch(path, {"keywords": [], "name": "SOURDOUGH"})) == cleared


@pytest.mark.contract("decided-documents.filing-edits")
def test_every_wrong_value_of_a_category_is_listed_at_once(rest: Rest) -> None:
    a_category(rest, "Taken")
    category = a_category(rest)
    path = f"/categories/{category['id']}"

    errors = refused(rest.patch(path, {"name": " ", "slug": "No Slug", "categoryId": NOBODY}), "BadRequest")["errors"]
    assert [error["field"] for error in errors] == ["categoryId", "name", "slug"]
    errors = refused(rest.patch(path, {"slug": "taken"}), "BadRequest")["errors"]
    assert [error["field"] for error in errors] == ["slug"]
    refused(rest.patch(path, {"name": None}), "HttpApiDecodeError")
    refused(rest.patch(path, {"slug": None}), "HttpApiDecodeError")
    refused(rest.patch(path, {"name": "x" * 201}), "HttpApiDecodeError")
    assert ok(rest.get(path)) == category


@pytest.mark.contract("decided-documents.filing-edits")
def test_a_clusters_name_is_unique_ignoring_case(rest: Rest) -> None:
    a_cluster(rest, "Straße")
    cluster = a_cluster(rest)
    path = f"/clusters/{cluster['id']}"

    errors = refused(rest.patch(path, {"name": " STRASSE "}), "BadRequest")["errors"]
    assert [error["field"] for error in errors] == ["name"]
    refused(rest.patch(path, {"name": None}), "HttpApiDecodeError")
    refused(rest.patch(path, {"keywords": ["x"] * 51}), "HttpApiDecodeError")
    assert ok(rest.get(path)) == cluster


@pytest.mark.contract("decided-documents.tree")
def test_a_category_never_becomes_its_own_ancestor(rest: Rest) -> None:
    top = a_category(rest, "Top")
    middle = a_category(rest, "Middle", categoryId=top["id"])
    bottom = a_category(rest, "Bottom", categoryId=middle["id"])

    for parent in (top, middle, bottom):
        response = rest.patch(f"/categories/{top['id']}", {"categoryId": parent["id"].upper()})
        assert response.status_code == 422
        assert [error["field"] for error in refused(response, "BadRequest")["errors"]] == ["categoryId"]
    assert ok(rest.get(f"/categories/{top['id']}")) == top
    assert ok(rest.patch(f"/categories/{bottom['id']}", {"categoryId": top["id"]}))["categoryId"] == top["id"]


@pytest.mark.contract("decided-documents.filing-edits", "brief-item")
def test_a_category_that_is_renamed_shows_in_the_list_of_briefs_at_once(rest: Rest) -> None:
    category = a_category(rest)
    document = a_document(rest, brief={}, categoryId=category["id"])
    ok(rest.post(f"{path_of(document)}/brief/ready"))
    assert [item["category"] for item in ok(rest.get("/briefs"))] == ["Bread"]

    ok(rest.patch(f"/categories/{category['id']}", {"name": "Loaves"}))

    assert [item["category"] for item in ok(rest.get("/briefs"))] == ["Loaves"]
    assert ok(rest.get(f"{path_of(document)}/brief"))["category"]["name"] == "Loaves"
    ok(rest.patch(path_of(document), {"categoryId": None}))
    assert [item["category"] for item in ok(rest.get("/briefs"))] == [""]


@pytest.mark.contract("decided-http.InUse", "decided-documents.in-use")
def test_a_category_in_use_is_not_deleted(rest: Rest) -> None:
    category = a_category(rest)
    path = f"/categories/{category['id']}"
    below = a_category(rest, "Below", categoryId=category["id"])
    assert refused(rest.delete(path), "CategoryInUse")["message"]
    ok(rest.delete(f"/categories/{below['id']}"))

    document = a_document(rest, categoryId=category["id"])
    assert rest.delete(path).status_code == 409
    ok(rest.patch(path_of(document), {"categoryId": None}))
    assert ok(rest.delete(path))["name"] == "Bread"
    assert rest.get(path).status_code == 404
    assert rest.delete(path).status_code == 404
    assert [one["id"] for one in ok(rest.get("/categories"))] == []


@pytest.mark.contract("decided-documents.in-use")
def test_a_category_that_something_is_delivered_in_is_in_use(rest: Rest) -> None:
    category = a_category(rest)
    document = a_document_in(rest, "published", categoryId=category["id"])
    ok(rest.patch(path_of(document), {"categoryId": None}))

    refused(rest.delete(f"/categories/{category['id']}"), "CategoryInUse")
    ok(rest.post(f"{path_of(document)}/publish"))
    ok(rest.delete(f"/categories/{category['id']}"))


@pytest.mark.contract("decided-http.InUse", "decided-documents.in-use")
def test_a_cluster_in_use_is_not_deleted(rest: Rest) -> None:
    cluster = a_cluster(rest)
    document = a_document(rest, clusterId=cluster["id"])

    refused(rest.delete(f"/clusters/{cluster['id']}"), "ClusterInUse")
    ok(rest.patch(path_of(document), {"clusterId": None}))
    assert ok(rest.delete(f"/clusters/{cluster['id']}")) == cluster
    assert rest.get(f"/clusters/{cluster['id']}").status_code == 404


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_the_trash_is_no_use(rest: Rest, kind: str) -> None:
    one = KINDS[kind](rest)
    document = a_document(rest, **{"categoryId" if kind == "categories" else "clusterId": one["id"]})
    ok(rest.delete(path_of(document)))

    ok(rest.delete(f"/{kind}/{one['id']}"))


@kinds
def test_a_deleted_name_and_slug_are_free_again(rest: Rest, kind: str) -> None:
    one = KINDS[kind](rest)
    ok(rest.delete(f"/{kind}/{one['id']}"))

    assert KINDS[kind](rest)["id"] != one["id"]


@pytest.mark.contract("decided-http.PreconditionFailed")
@kinds
def test_if_match_compares_the_whole_tag(rest: Rest, kind: str) -> None:
    path = f"/{kind}/{KINDS[kind](rest)['id']}"
    etag = rest.get(path).headers["ETag"]
    ok(rest.patch(path, {"description": "changed"}, If_Match=etag))

    assert rest.patch(path, {"description": "again"}, If_Match=etag).status_code == 412
    assert rest.delete(path, If_Match=etag).status_code == 412
    ok(rest.delete(path, If_Match=rest.get(path, If_None_Match=etag).headers["ETag"]))


@pytest.mark.contract("decided-documents.project")
def test_the_project_shows_its_settings_and_takes_changes_of_them(rest: Rest) -> None:
    before = ok(rest.get("/project"))
    settings = {
        "name": "x" * 100,
        "reviewRequired": True,
        "siteUrl": "https://example.org/{slug}",
        "previewUrl": "https://example.org/preview/{id}?slug={slug}",
        "claimLeaseSeconds": 60,
    }

    changed = ok(rest.patch("/project", settings))

    assert changed.items() >= settings.items()
    assert ok(rest.get("/project")) == changed
    assert changed["updatedAt"] > before["updatedAt"]
    assert ok(rest.patch("/project", settings)) == changed
    cleared = ok(rest.patch("/project", {"siteUrl": None, "claimLeaseSeconds": None}))
    assert (cleared["siteUrl"] or None, cleared["claimLeaseSeconds"]) == (None, None)


@pytest.mark.contract("decided-documents.project")
def test_wrong_settings_change_nothing(rest: Rest) -> None:
    before = ok(rest.get("/project"))
    shapes = (
        {"name": "x" * 101},
        {"name": None},
        {"reviewRequired": "yes"},
        {"claimLeaseSeconds": 59},
        {"claimLeaseSeconds": 86_401},
    )

    for wrong in shapes:
        refused(rest.patch("/project", wrong), "HttpApiDecodeError")
    wrong = {"name": " ", "siteUrl": "https://example.org/{id}", "previewUrl": "https://example.org/{key}"}
    errors = refused(rest.patch("/project", wrong), "BadRequest")["errors"]
    assert [error["field"] for error in errors] == ["name", "previewUrl", "siteUrl"]
    assert ok(rest.get("/project")) == before
