"""Which documents and categories the delivery API shows, to whom, and in which order (decisions, section 7)."""

import pytest
from bson import ObjectId

from tests.graphql_app.client import GraphQL, published, run
from tests.make import Project, a_document, a_project, made

ALL = """ fragment All on Document {
  id title slug subtitle metaTitle metaDescription excerpt html markdown isPublished publishedAt
  coverImage { url } category { id name slug description category { name } }
}"""
ONE = "query($id: ID!) { document(id: $id) { ...All } }" + ALL
NOTHING = "0" * 24


def ids(documents: list[dict[str, str]]) -> list[str]:
    return [document["id"] for document in documents]


@pytest.mark.contract("delivery-types.Document", "service.delivery")
def test_a_published_document_is_delivered_with_every_field_of_the_contract(project: Project, graphql: GraphQL) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")
    rye = made(ctx, "category", name="Rye", slug="rye", categoryId=bread["id"], description="Dark.")
    document = a_document(ctx, title="Rye", slug="rye-bread", markdown="# Rye\n\nIt is *dark*.", categoryId=rye["id"])
    image = "https://example.com/rye.jpg"
    run(project, "update_document", document["id"], coverImageUrl=image, subtitle="Sour", metaTitle="Rye bread")
    record = run(project, "publish_document", document["id"])

    [found] = graphql.data("{ documents { ...All } }" + ALL)["documents"]

    assert found == {
        "id": document["id"],
        "title": "Rye",
        "slug": "rye-bread",
        "subtitle": "Sour",
        "metaTitle": "Rye bread",
        "metaDescription": None,
        "excerpt": "It is dark.",
        "html": '<h1 id="rye">Rye</h1>\n<p>It is <em>dark</em>.</p>\n',
        "markdown": "# Rye\n\nIt is *dark*.",
        "isPublished": True,
        "publishedAt": record["publishedAt"],
        "coverImage": {"url": image},
        "category": {
            "id": rye["id"],
            "name": "Rye",
            "slug": "rye",
            "description": "Dark.",
            "category": {"name": "Bread"},
        },
    }


def test_unset_text_is_null(project: Project, graphql: GraphQL) -> None:
    document = published(project, markdown="# Only a heading")

    found = graphql.data(ONE, {"id": document["id"]})["document"]

    names = ("subtitle", "metaTitle", "metaDescription", "excerpt", "coverImage", "category")
    assert {name: found[name] for name in names} == dict.fromkeys(names)


@pytest.mark.contract("delivery-types.published-version", "delivery-queries.documentBySlug")
def test_what_is_delivered_stays_as_it_was_published(project: Project, graphql: GraphQL) -> None:
    document = published(project, title="Old", slug="old")
    run(project, "update_document", document["id"], title="New", slug="new")

    by_slug = "query($slug: String!) { documentBySlug(slug: $slug) { title slug } }"

    assert graphql.data(by_slug, {"slug": "old"})["documentBySlug"] == {"title": "Old", "slug": "old"}
    assert graphql.data(by_slug, {"slug": "new"})["documentBySlug"] is None
    run(project, "publish_document", document["id"])
    assert graphql.data(by_slug, {"slug": "new"})["documentBySlug"] == {"title": "New", "slug": "new"}
    assert graphql.data(by_slug, {"slug": "old"})["documentBySlug"] is None


def test_publishing_again_keeps_the_time_it_went_live(project: Project, graphql: GraphQL) -> None:
    document = published(project)
    run(project, "publish_document", document["id"])

    assert graphql.data("{ documents { publishedAt } }")["documents"] == [{"publishedAt": document["publishedAt"]}]


@pytest.mark.contract("delivery-queries.documents")
def test_documents_come_newest_publication_first_then_drafts_newest_first(project: Project, preview: GraphQL) -> None:
    drafts = [a_document(project.context(), title=f"Draft {n}", markdown="x")["id"] for n in range(3)]
    live = [published(project, title=f"Live {n}")["id"] for n in range(3)]
    expected = [*live[::-1], *drafts[::-1]]
    query = "query($l: Int, $o: Int) { documents(includeDrafts: true, limit: $l, offset: $o) { id } }"

    assert ids(preview.data(query)["documents"]) == expected
    for offset in range(7):
        page = preview.data(query, {"l": 2, "o": offset})["documents"]
        assert ids(page) == expected[offset : offset + 2]


def test_equal_times_are_ordered_by_id(project: Project, graphql: GraphQL) -> None:
    live = sorted(published(project, title=f"Live {n}")["id"] for n in range(4))
    publications = project.store.database.publications
    those = {"projectId": ObjectId(project.id)}
    publications.update_many(those, {"$set": {"publishedAt": publications.find_one(those)["publishedAt"]}})

    assert ids(graphql.data("{ documents { id } }")["documents"]) == live


@pytest.mark.contract("delivery-queries.documentsInCategory")
def test_a_category_shows_its_own_documents_and_not_those_of_its_subcategories(
    project: Project, graphql: GraphQL, preview: GraphQL
) -> None:
    ctx = project.context()
    parent = made(ctx, "category", name="Bread", slug="bread")["id"]
    child = made(ctx, "category", name="Rye", slug="rye", categoryId=parent)["id"]
    first, second = published(project, categoryId=parent), published(project, categoryId=parent)
    published(project, categoryId=child)
    draft = a_document(ctx, categoryId=parent)
    query = "query($id: ID!, $drafts: Boolean) { documentsInCategory(categoryId: $id, includeDrafts: $drafts) { id } }"

    assert ids(graphql.data(query, {"id": parent})["documentsInCategory"]) == [second["id"], first["id"]]
    assert ids(graphql.data(query, {"id": parent.upper()})["documentsInCategory"]) == [second["id"], first["id"]]
    found = preview.data(query, {"id": parent, "drafts": True})["documentsInCategory"]
    assert ids(found) == [second["id"], first["id"], draft["id"]]


@pytest.mark.contract("delivery-queries.category", "delivery-queries.categories")
def test_categories_come_by_name_and_are_found_by_id(project: Project, graphql: GraphQL) -> None:
    ctx = project.context()
    rye = made(ctx, "category", name="rye", slug="rye")
    made(ctx, "category", name="Bread", slug="bread")
    made(ctx, "category", name="Wheat", slug="wheat", categoryId=rye["id"])

    names = graphql.data("{ categories { name category { slug } } }")["categories"]

    assert names == [
        {"name": "Bread", "category": None},
        {"name": "rye", "category": None},
        {"name": "Wheat", "category": {"slug": "rye"}},
    ]
    found = graphql.data("query($id: ID!) { category(id: $id) { name } }", {"id": rye["id"]})
    assert found == {"category": {"name": "rye"}}


@pytest.mark.parametrize("no_id", ["", "5", "zz", NOTHING, "../etc", "é" * 24, "x" * 5_000])
def test_an_id_that_is_none_gives_null(graphql: GraphQL, no_id: str) -> None:
    query = """query($id: ID!) {
        category(id: $id) { id } document(id: $id) { id } documentsInCategory(categoryId: $id) { id }
    }"""

    assert graphql.data(query, {"id": no_id}) == {"category": None, "document": None, "documentsInCategory": []}


@pytest.mark.needs_mongod
@pytest.mark.parametrize("no_id", ["", "zz", NOTHING])
def test_drafts_without_a_category_are_in_none_that_does_not_exist(
    project: Project, preview: GraphQL, no_id: str
) -> None:
    a_document(project.context())
    query = "query($id: ID!) { documentsInCategory(categoryId: $id, includeDrafts: true) { id } }"

    assert preview.data(query, {"id": no_id}) == {"documentsInCategory": []}


@pytest.mark.needs_mongod
@pytest.mark.contract("delivery-types.published-version")
def test_a_draft_shows_its_current_state_without_bodies(project: Project, preview: GraphQL) -> None:
    ctx = project.context()
    category = made(ctx, "category", name="Bread", slug="bread")
    draft = a_document(ctx, title="Draft", slug="draft", markdown="Not *yet*.", categoryId=category["id"])

    [found] = preview.data("{ documents(includeDrafts: true) { ...All } }" + ALL)["documents"]

    assert found["title"] == "Draft"
    assert found["id"] == draft["id"]
    assert found["excerpt"] == "Not yet."
    assert found["category"]["name"] == "Bread"
    assert (found["html"], found["markdown"], found["isPublished"], found["publishedAt"]) == ("", "", False, None)


def test_an_unpublished_document_is_a_draft_again(project: Project, graphql: GraphQL, preview: GraphQL) -> None:
    document = published(project)
    run(project, "unpublish_document", document["id"])

    assert graphql.data("{ documents { id } }")["documents"] == []
    [found] = preview.data("{ documents(includeDrafts: true) { id html isPublished publishedAt } }")["documents"]
    assert found == {"id": document["id"], "html": "", "isPublished": False, "publishedAt": None}


def test_drafts_are_shown_where_they_are_asked_for_and_permitted_alone(
    project: Project, graphql: GraphQL, preview: GraphQL
) -> None:
    draft = a_document(project.context(), slug="draft")
    one = 'query($id: ID!) { document(id: $id) { title } documentBySlug(slug: "draft") { title } }'

    assert graphql.codes("{ documents(includeDrafts: true) { id } }") == ["FORBIDDEN"]
    assert graphql.data(one, {"id": draft["id"]}) == {"document": None, "documentBySlug": None}
    assert preview.data("{ documents { id } }")["documents"] == []
    assert preview.data("{ documents(includeDrafts: false) { id } }")["documents"] == []
    assert preview.data("{ documents(includeDrafts: null) { id } }")["documents"] == []
    found = preview.data(one, {"id": draft["id"]})
    assert found["document"] == found["documentBySlug"] == {"title": draft["title"]}


def test_the_trash_and_other_projects_are_never_shown(
    project: Project, graphql: GraphQL, preview: GraphQL, store
) -> None:
    trashed = published(project, slug="gone")
    run(project, "delete_document", trashed["id"])
    other = published(a_project(store), slug="elsewhere")
    query = """query($id: ID!, $slug: String!, $drafts: Boolean) {
        document(id: $id) { id } documentBySlug(slug: $slug) { id } documents(includeDrafts: $drafts) { id }
    }"""

    for api, drafts in ((graphql, False), (preview, True)):
        for document in (trashed, other):
            found = api.data(query, {"id": document["id"], "slug": document["slug"], "drafts": drafts})
            assert found == {"document": None, "documentBySlug": None, "documents": []}


def test_a_document_restored_from_the_trash_is_delivered_as_it_was(project: Project, graphql: GraphQL) -> None:
    document = published(project)
    before = graphql.data("{ documents { ...All } }" + ALL)
    run(project, "delete_document", document["id"])
    assert graphql.data("{ documents { id } }")["documents"] == []
    run(project, "restore_document", document["id"])

    assert graphql.data("{ documents { ...All } }" + ALL) == before


@pytest.mark.parametrize(
    "arguments",
    [
        "limit: 0",
        "limit: -1",
        "limit: 101",
        "offset: -1",
        "offset: 100001",
        "offset: -2000000000",
        "offset: 2000000000",
        "limit: 3000000000",
        'limit: "5"',
        "limit: 1.5",
    ],
)
def test_a_page_out_of_range_is_bad_user_input(graphql: GraphQL, arguments: str) -> None:
    assert graphql.codes(f"{{ documents({arguments}) {{ id }} }}") == ["BAD_USER_INPUT"]


@pytest.mark.parametrize("limit", [0, 101, "5", 1.5, True, [1], {"a": 1}, 2**40])
def test_a_page_out_of_range_in_variables_is_bad_user_input(graphql: GraphQL, limit) -> None:
    assert graphql.codes("query($limit: Int) { documents(limit: $limit) { id } }", {"limit": limit}) == [
        "BAD_USER_INPUT"
    ]


def test_null_arguments_are_the_defaults(project: Project, graphql: GraphQL) -> None:
    for n in range(21):
        published(project, title=f"Live {n}")

    found = graphql.data("{ documents(limit: null, offset: null) { id } b: documents(limit: 100) { id } }")

    assert len(found["documents"]) == 20
    assert len(found["b"]) == 21


def test_the_largest_page_and_offset_are_allowed(graphql: GraphQL) -> None:
    assert graphql.data("{ documents(limit: 100, offset: 100000) { id } }") == {"documents": []}
