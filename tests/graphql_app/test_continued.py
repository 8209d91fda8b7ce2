"""Previews, authors, related documents, counts and redirects, as sites get them (decisions, section 15)."""

from typing import Any

import pytest
from flask import Flask
from lxml import etree

from app.core.store.store import Store
from app.core.text import html as rendering
from app.delivery import texts as delivered_texts
from tests.graphql_app.client import GraphQL, delivery_token, published, republish, run
from tests.graphql_app.watched import Watched
from tests.make import Project, a_document, a_project, fill_with_categories, made

pytestmark = pytest.mark.needs_mongod

PREVIEW = """query($id: ID!) { document(id: $id) { title html preview {
    title slug subtitle excerpt metaTitle metaDescription coverImage { url } html markdown updatedAt version
    category { name }
} } }"""
PAGE = """query($limit: Int, $offset: Int, $slug: String, $search: String, $drafts: Boolean) {
    documentsPage(limit: $limit, offset: $offset, categorySlug: $slug, search: $search, includeDrafts: $drafts) {
        documents { title } totalCount hasNextPage
    }
}"""


def titles(documents: list[dict[str, Any]]) -> list[str]:
    return [document["title"] for document in documents]


# Previews


@pytest.mark.contract("decided-delivery.preview")
def test_a_preview_shows_a_document_as_it_is_now_while_the_document_stays_as_published(
    project: Project, preview: GraphQL
) -> None:
    ctx = project.context()
    rye, oat = (made(ctx, "category", name=name, slug=name.lower())["id"] for name in ("Rye", "Oat"))
    document = published(project, title="Old", slug="old", markdown="Old.", categoryId=rye)
    content = run(project, "write_content", document["id"], markdown="New *text*.", baseVersion=1)
    now = run(project, "update_document", content["id"], title="New", slug="new", subtitle="Soon", categoryId=oat)

    found = preview.data(PREVIEW, {"id": document["id"]})["document"]

    assert (found["title"], found["html"]) == ("Old", "<p>Old.</p>\n")
    assert found["preview"] == {
        "title": "New",
        "slug": "new",
        "subtitle": "Soon",
        "excerpt": "New text.",
        "metaTitle": None,
        "metaDescription": None,
        "coverImage": None,
        "html": "<p>New <em>text</em>.</p>\n",
        "markdown": "New *text*.",
        "updatedAt": now["updatedAt"],
        "version": now["version"],
        "category": {"name": "Oat"},
    }


@pytest.mark.parametrize("markdown", ["", "Soon."])
def test_a_draft_has_a_preview_and_one_without_content_has_empty_texts(
    project: Project, preview: GraphQL, markdown: str
) -> None:
    draft = a_document(project.context(), title="Draft", **({"markdown": markdown} if markdown else {}))

    found = preview.data(PREVIEW, {"id": draft["id"]})["document"]

    assert found["html"] == ""
    assert found["preview"]["markdown"] == markdown
    assert found["preview"]["html"] == ("<p>Soon.</p>\n" if markdown else "")
    listed = preview.data("{ documents(includeDrafts: true) { preview { html } } }")["documents"]
    assert listed == [{"preview": {"html": found["preview"]["html"]}}]


@pytest.mark.contract("decided-delivery.preview-caches")
def test_a_preview_never_reaches_a_token_without_the_permission(
    project: Project, graphql: GraphQL, preview: GraphQL
) -> None:
    """By POST and GET, whoever comes first, with the other's entity tag, at any depth."""
    cluster = made(project.context(), "cluster", name="Bread")["id"]
    document = published(project, clusterId=cluster)
    other = published(project, title="Another", clusterId=cluster)
    for one in (document, other):
        run(project, "update_document", one["id"], title="Secret")
    queries = [
        "{ documents { title preview { title } } }",
        "{ documentsPage { documents { preview { title } } } }",
        '{ documentBySlug(slug: "%s") { related { preview { title } } } }'.replace("%s", document["slug"]),
        "query { documents { ...F } } fragment F on Document { p: preview { html markdown title } }",
    ]
    for query in queries:
        plain = graphql.get(query)
        assert "Secret" not in plain.text
        for _ in range(2):
            shown = preview.get(query, headers={"If-None-Match": plain.headers["ETag"]})
            assert "Secret" in shown.text
            assert shown.headers["Cache-Control"] == "private, no-store"
            assert "ETag" not in shown.headers
            assert preview.post(query).json == shown.json
            assert graphql.post(query).json == graphql.get(query).json == plain.json
        again = graphql.get(query, headers={"If-None-Match": plain.headers["ETag"]})
        assert again.status_code == 304


def test_a_preview_shows_each_change_at_once(project: Project, preview: GraphQL) -> None:
    document = published(project)
    for number in range(3):
        run(project, "update_document", document["id"], title=f"Title {number}")
        assert preview.data(PREVIEW, {"id": document["id"]})["document"]["preview"]["title"] == f"Title {number}"


@pytest.mark.contract("decided-delivery.preview-size")
def test_previews_over_16_megabytes_together_are_refused_before_one_is_read(
    project: Project, preview: GraphQL, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivered_texts, "MAX_BODIES", 1_000)
    for number in range(5):
        a_document(project.context(), title=f"Draft {number}", markdown="four " * 45)
    api = preview.through(watched.app)
    query = "{ documents(includeDrafts: true, limit: 5) { preview { %s } } }"

    assert api.codes(query.replace("%s", "markdown")) == ["RESPONSE_TOO_LARGE"]
    assert [one["pipeline"] if "pipeline" in one else one["projection"] for one in watched.commands[-1:]] == [
        {"value": {"$strLenBytes": "$text"}}
    ]
    assert api.codes("{ documents(includeDrafts: true, limit: 3) { preview { html markdown } } }") == [
        "RESPONSE_TOO_LARGE"
    ]
    assert len(api.data("{ documents(includeDrafts: true, limit: 3) { preview { html } } }")["documents"]) == 3


def test_html_that_is_too_long_to_publish_is_null_in_a_preview(
    project: Project, preview: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = a_document(project.context(), markdown="Long.")
    monkeypatch.setattr("app.publications.rules.MAX_HTML_BYTES", 5)
    assert rendering.MAX_HTML_BYTES == 15 * 1024 * 1024

    for _ in ("rendered", "cached"):
        found = preview.data(PREVIEW, {"id": draft["id"]})["document"]["preview"]
        assert (found["html"], found["markdown"]) == (None, "Long.")


# Authors


@pytest.mark.contract("decided-delivery.author")
def test_the_author_is_the_member_as_they_are_now(project: Project, graphql: GraphQL) -> None:
    ada = run(project, "create_member", name="Ada")["id"]
    document = published(project)
    query = "{ documents { author { id name } } }"

    def author() -> Any:
        return graphql.data(query)["documents"][0]["author"]

    assert author() is None
    run(project, "update_document", document["id"], authorId=ada)
    assert author() == {"id": ada, "name": "Ada"}
    run(project, "update_member", ada, name="Ada Lovelace")
    assert author() == {"id": ada, "name": "Ada Lovelace"}
    run(project, "delete_member", ada)
    assert author() is None


ABOUT = "{ id name slug bio imageUrl }"


@pytest.mark.contract("decided-authors.delivery")
def test_authors_are_those_of_published_documents_by_name(project: Project, graphql: GraphQL) -> None:
    picture = "https://crust.example/zoe.jpg"
    zoe = run(project, "create_member", name="zoe", bio="Bakes.", imageUrl=picture)["id"]
    ada, bea, _ = (run(project, "create_member", name=name)["id"] for name in ("Ada", "Bea", "Nobody"))
    first = published(project, title="Rye")
    run(project, "update_document", first["id"], authorId=zoe)
    run(project, "update_document", published(project, title="Oat")["id"], authorId=ada)
    run(project, "update_document", a_document(project.context(), title="Draft")["id"], authorId=bea)
    about = {"id": zoe, "name": "zoe", "slug": "zoe", "bio": "Bakes.", "imageUrl": picture}
    other = {"id": ada, "name": "Ada", "slug": "ada", "bio": None, "imageUrl": None}

    def author(slug: str) -> Any:
        return graphql.data(f'{{ author(slug: "{slug}") {ABOUT} }}')["author"]

    def authors() -> Any:
        return graphql.data(f"{{ authors {ABOUT} }}")["authors"]

    assert authors() == [other, about]
    assert [author("zoe"), author("ada"), author("bea"), author("nobody")] == [about, other, None, None]
    found = graphql.data(f'{{ document(id: "{first["id"]}") {{ author {ABOUT} }} }}')
    assert found["document"]["author"] == about
    run(project, "update_member", zoe, slug="zoe-b", bio=None)
    assert author("zoe") is None
    assert author("zoe-b") == {**about, "slug": "zoe-b", "bio": None}
    run(project, "unpublish_document", first["id"])
    assert authors() == [other]
    run(project, "delete_member", ada)
    assert authors() == []


@pytest.mark.contract("decided-authors.cost")
def test_a_list_of_authors_costs_those_that_the_project_has(project: Project, graphql: GraphQL) -> None:
    for number in range(3):
        member = run(project, "create_member", name=f"Ada {number}")["id"]
        run(project, "update_document", published(project, title=f"Rye {number}")["id"], authorId=member)
    far = " ".join(f"f{number}: documents(limit: 1, offset: 100000) {{ id }}" for number in range(3))

    [error] = graphql.post(f"{{ a: authors {{ id }} b: authors {{ bio }} {far} }}").json["errors"]

    assert f"costs {2 * 3 + 3 * 2_001:,}, over 5,000" in error["message"]


# Times, words, related documents


@pytest.mark.contract("decided-delivery.updated", "decided-delivery.words")
def test_a_document_tells_its_last_publishing_and_its_words(project: Project, preview: GraphQL) -> None:
    document = published(project, markdown="One two *three*.")
    query = "{ documents(includeDrafts: true) { updatedAt publishedAt wordCount isPublished } }"
    [first] = preview.data(query)["documents"]
    assert (first["updatedAt"], first["wordCount"]) == (first["publishedAt"], 3)

    run(project, "write_content", document["id"], markdown="One.", baseVersion=1)
    assert preview.data(query)["documents"] == [first]
    run(project, "publish_document", document["id"])
    [second] = preview.data(query)["documents"]
    assert (second["updatedAt"] > first["updatedAt"], second["wordCount"]) == (True, 1)
    run(project, "unpublish_document", document["id"])
    assert preview.data(query)["documents"] == [
        {"updatedAt": None, "publishedAt": None, "wordCount": 0, "isPublished": False}
    ]


@pytest.mark.contract("decided-delivery.related")
def test_related_are_other_published_documents_of_the_cluster_newest_first(
    project: Project, graphql: GraphQL, preview: GraphQL
) -> None:
    ctx = project.context()
    bread, soup = (made(ctx, "cluster", name=name)["id"] for name in ("Bread", "Soup"))
    loaves = [published(project, title=f"Loaf {number}", clusterId=bread) for number in range(5)]
    published(project, title="Broth", clusterId=soup)
    alone = published(project, title="Alone")
    draft = a_document(ctx, title="Draft", markdown="x", clusterId=bread)
    query = """query($id: ID!, $limit: Int) {
        document(id: $id) { related { title } some: related(limit: $limit) { title related(limit: 1) { title } } }
    }"""
    named = "query($id: ID!) { document(id: $id) { clusterId } }"
    assert graphql.data(named, {"id": loaves[0]["id"]})["document"] == {"clusterId": bread}
    assert graphql.data(named, {"id": alone["id"]})["document"] == {"clusterId": None}

    found = graphql.data(query, {"id": loaves[4]["id"], "limit": 10})["document"]

    assert titles(found["related"]) == ["Loaf 3", "Loaf 2", "Loaf 1"]
    assert found["some"] == [{"title": f"Loaf {number}", "related": [{"title": "Loaf 4"}]} for number in (3, 2, 1, 0)]
    assert graphql.data(query, {"id": alone["id"]})["document"] == {"related": [], "some": []}
    assert titles(preview.data(query, {"id": draft["id"]})["document"]["related"]) == ["Loaf 4", "Loaf 3", "Loaf 2"]
    run(project, "update_document", loaves[0]["id"], clusterId=soup)
    assert titles(graphql.data(query, {"id": loaves[0]["id"]})["document"]["related"]) == ["Broth"]
    for limit in (0, 11):
        assert graphql.codes(query, {"id": alone["id"], "limit": limit}) == ["BAD_USER_INPUT"]


# Categories


@pytest.mark.contract("decided-delivery.children", "decided-delivery.count", "decided-delivery.by-slug")
def test_a_category_has_its_children_by_name_and_counts_its_own_published_documents(
    project: Project, graphql: GraphQL
) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    wheat, rye = (
        made(ctx, "category", name=name, slug=name.lower(), categoryId=bread)["id"] for name in ("Wheat", "Rye")
    )
    published(project, categoryId=bread)
    loaf = published(project, categoryId=rye)
    published(project, categoryId=rye)
    a_document(ctx, categoryId=wheat)
    query = """query($slug: String!) { categoryBySlug(slug: $slug) {
        name documentCount children { name documentCount category { name } children { name } }
    } }"""

    def child(name: str, count: int) -> dict[str, Any]:
        return {"name": name, "documentCount": count, "category": {"name": "Bread"}, "children": []}

    assert graphql.data(query, {"slug": "bread"})["categoryBySlug"] == {
        "name": "Bread",
        "documentCount": 1,
        "children": [child("Rye", 2), child("Wheat", 0)],
    }
    republish(project, loaf, categoryId=wheat)
    run(project, "update_category", rye, name="Zwieback")
    assert graphql.data(query, {"slug": "bread"})["categoryBySlug"]["children"] == [
        child("Wheat", 1),
        child("Zwieback", 1),
    ]
    assert graphql.data(query, {"slug": "none"}) == {"categoryBySlug": None}


@pytest.mark.contract("decided-delivery.cost")
@pytest.mark.parametrize(
    ("selected", "each"),
    [
        ("id", 1),
        ("related { id }", 1 + 3),
        ("related(limit: 10) { id author { name } wordCount }", 1 + 10),
        ("related(limit: 4) { category { category { id } } related(limit: 8) { id } }", 1 + 4 * (1 + 2 + 8)),
        ("category { children { id documentCount } }", 1 + 1 + 7),
        ("category { children { id children { id } } }", 1 + 1 + 7 + 7),
        ("category { children { id category { id } } }", 1 + 1 + 7 + 7),
        ("category { children { category { children { id } } } }", 1 + 1 + 7 + 7 + 7 * 7),
        ("related(limit: 2) { category { children { id } } }", 1 + 2 * (1 + 1 + 7)),
    ],
)
@pytest.mark.parametrize("page", ["documents(limit: 100) { %s }", "documentsPage(limit: 100) { documents { %s } }"])
def test_related_documents_cost_so_many_times_what_is_in_them_and_children_all_categories_once_a_level(
    project: Project, graphql: GraphQL, selected: str, each: int, page: str
) -> None:
    """The message of a refusal tells the cost: several such pages with far ones cost more than any query may."""
    fill_with_categories(project, 7)
    pages = " ".join(f"p{number}: {page}" for number in range(6)).replace("%s", selected)
    far = " ".join(f"f{number}: documents(limit: 1, offset: 100000) {{ id }}" for number in range(4))

    [error] = graphql.post(f"{{ {pages} {far} }}").json["errors"]

    assert f"costs {6 * 100 * each + 4 * 2_001:,}, over 5,000" in error["message"]


@pytest.mark.parametrize(
    ("query", "each"),
    [
        ("categories { id }", 1),
        ("categories { children { children { id } } }", 3),
        ("categories(root: true) { children { children { id } } }", 3),
        ("categories { parent { parent { id } } }", 3),
        ("category(id: 1) { children { children { id } } }", 2),
        ("categories { category { category { id } } }", 3),
        ("categories { category { children { id } } }", 2 + 400),
    ],
)
def test_a_navigation_costs_the_projects_categories_once_a_level(
    project: Project, graphql: GraphQL, query: str, each: int
) -> None:
    """Above a category there may be the same one for all, so what is below that counts for each."""
    fill_with_categories(project, 400)
    times = 5_000 // (400 * each) + 1

    [error] = graphql.post("{" + " ".join(f"a{number}: {query}" for number in range(times)) + "}").json["errors"]

    cost = times * (400 * each + query.startswith("category("))
    assert f"costs {cost:,}, over 5,000" in error["message"]


@pytest.mark.contract("decided-delivery.tree")
def test_a_navigation_of_three_levels_begins_with_the_categories_that_have_no_parent(
    project: Project, graphql: GraphQL
) -> None:
    """It costs three times the project's categories: 1,666 of them are not too many."""
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    rye = made(ctx, "category", name="Rye", slug="rye", categoryId=bread)["id"]
    made(ctx, "category", name="Dark rye", slug="dark-rye", categoryId=rye)
    fill_with_categories(project, 1_663)

    found = graphql.data("{ categories(root: true) { name children { name children { name } } } }")
    below = graphql.data('{ categoryBySlug(slug: "bread") { name parent { name } children { name parent { name } } } }')

    assert len(found["categories"]) == 1_664
    assert {"name": "Bread", "children": [{"name": "Rye", "children": [{"name": "Dark rye"}]}]} in found["categories"]
    assert below["categoryBySlug"]["parent"] is None
    assert below["categoryBySlug"]["children"] == [{"name": "Rye", "parent": {"name": "Bread"}}]
    assert len(graphql.data("{ categories(root: false) { id } }")["categories"]) == 1_666


# Pages


@pytest.mark.contract("decided-delivery.page")
def test_a_page_tells_how_many_there_are_and_whether_more_follow(
    project: Project, graphql: GraphQL, preview: GraphQL
) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    for number in range(5):
        published(project, title=f"Loaf {number}", **({"categoryId": bread} if number < 3 else {}))
    a_document(ctx, title="Draft", categoryId=bread)

    def page(api: GraphQL, **variables: Any) -> tuple[list[str], int, bool]:
        found = api.data(PAGE, variables)["documentsPage"]
        return titles(found["documents"]), found["totalCount"], found["hasNextPage"]

    assert page(graphql, limit=2) == (["Loaf 4", "Loaf 3"], 5, True)
    assert page(graphql, limit=2, offset=3) == (["Loaf 1", "Loaf 0"], 5, False)
    assert page(graphql, limit=2, slug="bread") == (["Loaf 2", "Loaf 1"], 3, True)
    assert page(graphql, slug="none") == ([], 0, False)
    assert page(preview, limit=3, offset=3, drafts=True) == (["Loaf 1", "Loaf 0", "Draft"], 6, False)
    assert page(preview, limit=1, offset=3, drafts=True, slug="bread") == (["Draft"], 4, False)
    assert page(preview, limit=5, drafts=True)[2] is True
    assert graphql.codes(PAGE, {"drafts": True}) == ["FORBIDDEN"]
    assert graphql.codes(PAGE, {"limit": 101}) == graphql.codes(PAGE, {"search": "x" * 501}) == ["BAD_USER_INPUT"]


FILTERED = """query($by: ID, $in: ID, $slug: String, $below: Boolean, $search: String, $drafts: Boolean, $limit: Int) {
    documentsPage(authorId: $by, clusterId: $in, categorySlug: $slug, includeSubcategories: $below, search: $search,
        includeDrafts: $drafts, limit: $limit) { documents { title author { id } } totalCount hasNextPage }
}"""


@pytest.mark.contract("decided-delivery.filters")
@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"slug": "bread"}, ["Bread 1", "Bread 0"]),
        ({"slug": "bread", "below": True}, ["Dark 1", "Dark 0", "Rye 1", "Rye 0", "Bread 1", "Bread 0"]),
        ({"slug": "rye", "below": True}, ["Dark 1", "Dark 0", "Rye 1", "Rye 0"]),
        ({"slug": "rye", "below": False}, ["Rye 1", "Rye 0"]),
        ({"slug": "dark", "below": True}, ["Dark 1", "Dark 0"]),
        ({"slug": "none", "below": True}, []),
        ({"below": True, "by": "Bob"}, ["Soup 0"]),
        ({"by": "Ada"}, ["Soup 1", "Dark 1", "Rye 1", "Bread 1"]),
        ({"by": None, "slug": "soup"}, ["Soup 1", "Soup 0"]),
        ({"by": "5"}, []),
        ({"by": ""}, []),
        ({"by": "f" * 24}, []),
        ({"in": "Loaves"}, ["Dark 1", "Rye 1", "Bread 1"]),
        ({"in": "none"}, []),
        ({"in": "Loaves", "by": "Bob"}, []),
        ({"in": "Loaves", "by": "ADA", "slug": "rye", "below": True}, ["Dark 1", "Rye 1"]),
        ({"by": "Ada", "search": "rye"}, ["Rye 1"]),
        ({"slug": "bread", "below": True, "search": "1"}, ["Dark 1", "Rye 1", "Bread 1"]),
        ({"by": "Bob", "drafts": True}, ["Soup 0", "Draft"]),
        ({"slug": "bread", "below": True, "by": "Ada", "drafts": True}, ["Dark 1", "Rye 1", "Bread 1"]),
        ({"slug": "rye", "below": True, "drafts": True}, ["Dark 1", "Dark 0", "Rye 1", "Rye 0", "Draft"]),
        ({"in": "Loaves", "drafts": True, "search": "draft"}, ["Draft"]),
        ({"slug": "soup", "drafts": True}, ["Soup 1", "Soup 0"]),
    ],
)
def test_a_page_has_the_documents_of_a_topic_with_its_subtopics_of_an_author_and_of_a_cluster(
    filing: tuple[GraphQL, dict[str, str]], filters: dict[str, Any], found: list[str]
) -> None:
    preview, ids = filing
    named = {key: ids.get(value, value) if key in ("by", "in") else value for key, value in filters.items()}

    page = preview.data(FILTERED, named)["documentsPage"]
    first = preview.data(FILTERED, {**named, "limit": 1})["documentsPage"]

    assert titles(page["documents"]) == found
    assert (page["totalCount"], page["hasNextPage"], first["hasNextPage"]) == (len(found), False, len(found) > 1)
    if filters.get("by") == "Ada":
        assert {document["author"]["id"] for document in page["documents"]} == {ids["Ada"]}


@pytest.fixture(scope="module")
def filing(store: Store, app: Flask) -> tuple[GraphQL, dict[str, str]]:
    """Topics in three levels and one beside them, two documents each, of which the second is Ada's; and a draft."""
    project = a_project(store)
    ctx = project.context()
    ids = {name: run(project, "create_member", name=name)["id"] for name in ("Ada", "Bob")}
    ids |= {"ADA": ids["Ada"].upper(), "Loaves": made(ctx, "cluster", name="Loaves")["id"]}
    parents = {"Soup": None, "Bread": None, "Rye": "Bread", "Dark": "Rye"}
    for name, parent in parents.items():
        below = {"categoryId": ids[parent]} if parent else {}
        ids[name] = made(ctx, "category", name=name, slug=name.lower(), **below)["id"]
    for name in ("Bread", "Rye", "Dark", "Soup"):
        for number in range(2):
            document = published(project, title=f"{name} {number}", markdown="Text.", categoryId=ids[name])
            by = ids["Ada"] if number else ids["Bob"] if name == "Soup" else None
            cluster = ids["Loaves"] if number and name != "Soup" else None
            run(project, "update_document", document["id"], authorId=by, clusterId=cluster)
    filed = {"categoryId": ids["Dark"], "clusterId": ids["Loaves"]}
    draft = a_document(ctx, title="Draft", markdown="Text.", **filed)
    run(project, "update_document", draft["id"], authorId=ids["Bob"])
    return GraphQL(app.test_client(), delivery_token(project, drafts=True)), ids


@pytest.mark.contract("decided-delivery.search")
@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("sourdough", ["Loaf", "Sourdough"]),
        ("ÉCLAIR", ["Éclairs are not éclair"]),
        ("sourdough day", ["Loaf"]),
        ("patience", ["Soup"]),
        ("rolls", ["Rolls"]),
        ("secret", []),
        ("dough", []),
        ("sourd", ["Loaf", "Sourdough"]),
        ("day sou", ["Loaf"]),
        ("sou day", []),
        ("s", []),
        ("", ["Rolls", "Éclairs are not éclair", "Soup", "Loaf", "Sourdough"]),
        ("!?", ["Rolls", "Éclairs are not éclair", "Soup", "Loaf", "Sourdough"]),
        ("   ", ["Rolls", "Éclairs are not éclair", "Soup", "Loaf", "Sourdough"]),
    ],
)
def test_a_search_finds_words_of_what_is_delivered_the_last_one_by_its_beginning(
    project: Project, graphql: GraphQL, preview: GraphQL, search: str, found: list[str]
) -> None:
    published(project, title="Sourdough", markdown="# Heading\n\nBegin.\n\nSecret.")
    loaf = published(project, title="Loaf", markdown="A sourdough a day.")
    soup = a_document(project.context(), title="Soup", markdown="Hot.")
    republish(project, soup, subtitle="With patience")
    published(project, title="Éclairs are not éclair")
    published(project, title="Rolls")
    run(project, "update_document", loaf["id"], title="Secret")
    draft = a_document(project.context(), title="Draft", markdown="Of *sourdough* too.")
    run(project, "update_document", draft["id"], subtitle="Rolls")

    page = graphql.data(PAGE, {"search": search})["documentsPage"]
    assert (titles(page["documents"]), page["totalCount"]) == (found, len(found))

    shown = [*found, "Draft"] if search in ("sourdough", "sourd", "rolls", "", "!?", "   ") else found
    page = preview.data(PAGE, {"search": search, "drafts": True})["documentsPage"]
    assert (titles(page["documents"]), page["totalCount"]) == (shown, len(shown))


# Redirects


REDIRECTS = "{ redirects { from to } }"


def redirects(api: GraphQL, **arguments: int) -> list[tuple[str, str]]:
    query = "query($limit: Int, $offset: Int) { redirects(limit: $limit, offset: $offset) { from to } }"
    return [(one["from"], one["to"]) for one in api.data(query, arguments)["redirects"]]


def redirect(api: GraphQL, slug: str) -> str | None:
    found = api.data("query($from: String!) { redirect(from: $from) { from to } }", {"from": slug})["redirect"]
    assert found is None or found["from"] == slug
    return found and found["to"]


@pytest.mark.contract("decided-delivery.redirects")
def test_each_slug_that_a_document_had_leads_to_its_present_one(project: Project, graphql: GraphQL) -> None:
    document = published(project, slug="a")
    assert redirects(graphql) == []
    for slug in ("b", "c", "d"):
        run(project, "update_document", document["id"], slug=slug)
        assert redirect(graphql, slug) is None  # not delivered under it yet
        run(project, "publish_document", document["id"])

    assert redirects(graphql) == [("c", "d"), ("b", "d"), ("a", "d")]
    assert redirects(graphql, limit=1, offset=1) == [("b", "d")]
    assert [redirect(graphql, slug) for slug in "abcdx"] == ["d", "d", "d", None, None]
    republish(project, document, slug="b")
    assert redirects(graphql) == [("d", "b"), ("c", "b"), ("a", "b")]
    assert graphql.codes("{ redirects(limit: 101) { to } }") == ["BAD_USER_INPUT"]


def test_what_is_not_delivered_has_no_redirects_and_has_them_again_when_it_is(
    project: Project, graphql: GraphQL
) -> None:
    document = published(project, slug="a")
    republish(project, document, slug="b")
    run(project, "unpublish_document", document["id"])
    assert (redirects(graphql), redirect(graphql, "a")) == ([], None)
    republish(project, document, slug="c")
    assert redirects(graphql) == [("b", "c"), ("a", "c")]
    run(project, "delete_document", document["id"])
    assert (redirects(graphql), redirect(graphql, "b")) == ([], None)
    run(project, "restore_document", document["id"])
    assert redirects(graphql) == [("b", "c"), ("a", "c")]


@pytest.mark.contract("decided-delivery.redirect-taken")
def test_a_slug_that_is_delivered_redirects_nowhere_and_one_that_several_left_to_the_latest(
    project: Project, graphql: GraphQL
) -> None:
    first = published(project, slug="a")
    republish(project, first, slug="first")
    assert redirect(graphql, "a") == "first"
    second = published(project, slug="a")
    assert (redirects(graphql), redirect(graphql, "a")) == ([], None)
    republish(project, second, slug="second")
    assert redirects(graphql) == [("a", "second")]
    assert redirect(graphql, "a") == "second"
    run(project, "unpublish_document", second["id"])
    assert redirects(graphql) == [("a", "first")]
    assert redirect(graphql, "a") == "first"


def test_a_document_has_at_most_20_redirects_the_oldest_are_dropped(project: Project, graphql: GraphQL) -> None:
    document = published(project, slug="s0")
    for number in range(1, 23):
        republish(project, document, slug=f"s{number}")

    assert redirects(graphql, limit=100) == [(f"s{number}", "s22") for number in range(21, 1, -1)]
    assert redirect(graphql, "s1") is None


# The sitemap


@pytest.mark.contract("decided-delivery.category-url")
def test_categories_with_published_documents_are_in_the_sitemap_of_a_project_with_their_address(
    project: Project, graphql: GraphQL
) -> None:
    ctx = project.context()
    bread, _ = (made(ctx, "category", name=name, slug=name.lower())["id"] for name in ("Bread", "Soup"))
    published(project, slug="rye", categoryId=bread)
    run(project, "update_project", siteUrl="https://bread.example/{slug}.html")

    def locations() -> list[str]:
        root = etree.fromstring(graphql.feed("sitemap").data)
        return [str(one.text) for one in root.iter("{*}loc")]

    assert locations() == ["https://bread.example/rye.html"]
    run(project, "update_project", categoryUrl="https://bread.example/topics/{slug}.html")
    assert locations() == ["https://bread.example/topics/bread.html", "https://bread.example/rye.html"]


@pytest.mark.parametrize(
    "url", ["bread", "ftp://bread.example", "https://bread.example/{id}", f"https://a.b/{'x' * 2_000}"]
)
def test_an_address_of_categories_that_is_none_is_422(rest: Any, url: str) -> None:
    answer = rest.patch("/project", {"categoryUrl": url})

    assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, "categoryUrl")
    assert rest.patch("/project", {"categoryUrl": f"https://a.b/{'x' * 1_988}"}).status_code == 200
    assert rest.patch("/project", {"categoryUrl": None}).json["categoryUrl"] == ""
