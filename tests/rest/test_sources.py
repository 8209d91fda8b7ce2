"""Members, categories and clusters as sources of ids: listed by name, page by page (decisions, section 5)."""

import pytest

from tests.make import made

NAMES = ["rye", "Barley", "Ähre", "spelt", "Oat"]
BY_NAME = ["Barley", "Oat", "rye", "spelt", "Ähre"]


@pytest.fixture(params=["members", "categories", "clusters"])
def path(request, api, project) -> str:
    """The path of a list that has the five names."""
    ctx = project.context()
    for place, name in enumerate(NAMES):
        if request.param == "members":
            assert api.post("/members", {"name": name}).status_code == 201
        elif request.param == "clusters":
            made(ctx, "cluster", name=name)
        else:
            made(ctx, "category", name=name, slug=f"c-{place}")
    return f"/{request.param}"


@pytest.mark.contract("endpoints.sources", "limits.last-page", "decided-documents.filing-lists")
def test_the_list_is_by_name_without_regard_to_case_and_comes_in_pages(api, path) -> None:
    whole = api.get(path)

    assert whole.status_code == 200
    assert [record["name"] for record in whole.json] == BY_NAME
    pages = [api.get(f"{path}?limit=2&offset={offset}").json for offset in (0, 2, 4)]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [record for page in pages for record in page] == whole.json
    assert api.get(f"{path}?offset=5").json == []


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "offset=-1", "offset=100001"])
def test_a_page_out_of_range_is_refused(api, path, query) -> None:
    refused = api.get(f"{path}?{query}")

    assert (refused.status_code, refused.json["_tag"]) == (400, "HttpApiDecodeError")


def test_the_ids_can_be_named_by_a_document(api, path) -> None:
    field = {"/members": "assigneeId", "/categories": "categoryId", "/clusters": "clusterId"}[path]
    for record in api.get(path).json:
        draft = api.post("/document-intents", {"title": record["name"], field: record["id"]}).json
        confirmed = api.post(f"/document-intents/{draft['id']}/confirm")
        assert confirmed.json["document"][field] == record["id"]


@pytest.mark.needs_mongod
def test_an_email_address_is_one_members_until_that_member_is_deleted(api) -> None:
    ada = api.post("/members", {"name": "Ada", "email": "ada@example.org"}).json
    bob = api.post("/members", {"name": "Bob"}).json

    refusals = [
        api.post("/members", {"name": "Eve", "email": "Ada@Example.org"}),
        api.patch(f"/members/{bob['id']}", {"email": "ada@example.org"}),
    ]
    assert [(one.status_code, [problem["field"] for problem in one.json["errors"]]) for one in refusals] == [
        (422, ["email"]),
        (422, ["email"]),
    ]
    assert api.patch(f"/members/{ada['id']}", {"email": "ADA@example.org"}).status_code == 200
    assert api.delete(f"/members/{ada['id']}").status_code == 200
    assert api.patch(f"/members/{bob['id']}", {"email": "ada@example.org"}).status_code == 200
