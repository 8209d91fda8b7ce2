"""How little is read for a query, however many documents it finds (decisions, section 7)."""

from collections import Counter
from typing import Any

import pytest
from bson import ObjectId

from app.core.store.bodies import Bodies
from app.core.store.store import Store
from tests.graphql_app.client import GraphQL, delivery_token, published, run
from tests.graphql_app.watched import Watched
from tests.make import Project, a_document, a_project, an_app, fill_with_categories, made

pytestmark = pytest.mark.needs_mongod

FULL = "{ documents(limit: 100) { title html markdown category { name category { name } } } }"


def test_the_number_of_reads_does_not_grow_with_the_documents(
    project: Project, graphql: GraphQL, watched: Watched
) -> None:
    api = graphql.through(watched.app)
    published(project, categoryId=made(project.context(), "category", name="Bread", slug="bread")["id"])
    api.post("{ __typename }")  # looks the token up
    few = reads(api, watched, FULL)
    for number in range(12):
        category = made(project.context(), "category", name=f"Kind {number}", slug=f"kind-{number}")
        published(project, title=f"Loaf {number}", categoryId=category["id"])
    many = reads(api, watched, FULL)

    assert many == few == ["deliveryRevisions", "publications", "categories", "bodies"]


EVERYTHING = """{ documentsPage(limit: 50) { totalCount hasNextPage documents {
    html wordCount updatedAt author { name } category { name documentCount children { name } }
    preview { html markdown excerpt version }
    related(limit: 3) { html author { name } related(limit: 2) { title preview { html } } }
} } redirects { from to } redirect(from: "old-0") { to } }"""


@pytest.mark.contract("decided-delivery.reads")
@pytest.mark.parametrize("drafts", [False, True])
def test_the_number_of_reads_does_not_grow_with_what_belongs_to_documents(
    project: Project, graphql: GraphQL, watched: Watched, drafts: bool
) -> None:
    """Each document has an author, a category, a cluster, a past slug and unpublished text of its own."""

    def add(number: int) -> None:
        ctx = project.context()
        category = made(ctx, "category", name=f"Kind {number}", slug=f"kind-{number}")["id"]
        cluster = made(ctx, "cluster", name=f"Topic {number // 2}")["id"] if number % 2 == 0 else clusters[-1]
        clusters.append(cluster)
        author = run(project, "create_member", name=f"Ada {number}")["id"]
        slug = f"old-{number}"
        document = published(project, title=f"Loaf {number}", slug=slug, categoryId=category, clusterId=cluster)
        run(project, "update_document", document["id"], slug=f"new-{number}", authorId=author)
        run(project, "publish_document", document["id"])
        run(project, "write_content", document["id"], markdown=f"New {number}.", baseVersion=document["version"] + 1)

    clusters: list[str] = []
    api = graphql.by(delivery_token(project, drafts=drafts)).through(watched.app)
    for number in range(2):
        add(number)
    api.post("{ __typename }")  # looks the token up
    few = reads(api, watched, EVERYTHING)
    for number in range(2, 14):
        add(number)
    api.post("{ __typename }")
    many = reads(api, watched, EVERYTHING)

    assert many == few
    assert Counter(few) == Counter(
        ["deliveryRevisions", "categories", "clusters", "members", *["publications"] * 6]
        + ["documents", "bodies", "bodies", "bodies"] * drafts
        + ["bodies"] * (not drafts)
    )
    page = api.data(EVERYTHING)["documentsPage"]
    assert (page["totalCount"], len(page["documents"])) == (14, 14)
    assert page["documents"][0]["author"] == {"name": "Ada 13"}
    assert page["documents"][0]["related"][0]["author"] == {"name": "Ada 12"}
    previews = [document["preview"] and document["preview"]["html"] for document in page["documents"]]
    assert previews == [f"<p>New {number}.</p>\n" if drafts else None for number in range(13, -1, -1)]


def test_a_database_without_indexes_answers_all_the_same(fresh_store: Store, mongodb_uri: str) -> None:
    """As before `db init`."""
    project = a_project(fresh_store)
    document = published(project, slug="old")
    run(project, "update_document", document["id"], slug="new")
    run(project, "publish_document", document["id"])
    api = GraphQL(an_app(fresh_store).test_client(), delivery_token(project))
    fresh_store.database.publications.drop_indexes()

    found = api.data(
        '{ redirects { to } documentsPage(search: "sourdough") { totalCount documents { related { id } } } }'
    )

    assert found["redirects"] == [{"to": "new"}]
    assert found["documentsPage"] == {"totalCount": 1, "documents": [{"related": []}]}


@pytest.mark.parametrize(
    ("query", "collections"),
    [
        ("{ documents { id title excerpt } }", ["deliveryRevisions", "publications"]),
        ("{ documents { html } }", ["deliveryRevisions", "publications", "bodies"]),
        (
            '{ documents { markdown html } documentsInCategory(categoryId: "5") { html } }',
            ["deliveryRevisions", "publications", "publications", "bodies"],
        ),
        ("{ documents { category { id } } }", ["deliveryRevisions", "publications", "categories"]),
        (
            "{ documents { category { id } related { id } } categories { documentCount } }",
            ["deliveryRevisions", "categories", "publications", "publications"],
        ),
        (
            "{ documents { id html @skip(if: true) category @include(if: false) { id } } }",
            ["deliveryRevisions", "publications"],
        ),
        ('{ categories { id } category(id: "5") { id } }', ["deliveryRevisions", "categories"]),
        (
            "{ documents { updatedAt wordCount related { id } preview { html } } }",
            ["deliveryRevisions", "publications"],
        ),
        ("{ documents { author { name } } }", ["deliveryRevisions", "publications", "members"]),
        ('{ authors { name } author(slug: "ada") { bio } }', ["deliveryRevisions", "publications", "members"]),
        ('{ categoryBySlug(slug: "bread") { children { name } } }', ["deliveryRevisions", "categories"]),
        ("{ categories { documentCount } }", ["deliveryRevisions", "categories", "publications"]),
        ("{ documentsPage { totalCount } }", ["deliveryRevisions", "publications"]),
        ("{ documentsPage { hasNextPage documents { title } } }", ["deliveryRevisions", "publications"]),
        ('{ redirect(from: "old") { to } }', ["deliveryRevisions", "publications"]),
        ("{ __schema { queryType { name } } }", ["deliveryRevisions"]),
    ],
)
def test_only_what_is_asked_for_is_read(
    project: Project, graphql: GraphQL, watched: Watched, query: str, collections: list[str]
) -> None:
    document = published(project, categoryId=made(project.context(), "category", name="Rye", slug="rye")["id"])
    run(project, "update_document", document["id"], authorId=run(project, "create_member", name="Ada")["id"])
    api = graphql.through(watched.app)
    api.post("{ __typename }")

    assert reads(api, watched, query) == collections


def test_an_answer_that_still_holds_takes_one_read(project: Project, graphql: GraphQL, watched: Watched) -> None:
    published(project)
    api = graphql.through(watched.app)
    first = api.post(FULL)

    assert reads(api, watched, FULL) == ["deliveryRevisions"]
    assert api.post(FULL).data == first.data
    tag = api.get(FULL).headers["ETag"]
    watched.collections.clear()
    assert api.get(FULL, headers={"If-None-Match": tag}).status_code == 304
    assert watched.collections == ["deliveryRevisions"]


def test_drafts_take_as_few_reads(project: Project, preview: GraphQL, watched: Watched) -> None:
    published(project)
    for number in range(5):
        a_document(project.context(), title=f"Draft {number}", markdown="Not *yet*.")
    api = preview.through(watched.app)
    api.post("{ __typename }")
    query = "{ documents(includeDrafts: true, offset: 1) { title html excerpt } }"

    assert reads(api, watched, query) == ["deliveryRevisions", "publications", "publications", "documents", "bodies"]


def reads(api: GraphQL, watched: Watched, query: str) -> list[str]:
    watched.collections.clear()
    assert "errors" not in api.post(query).json
    names = list(watched.collections)
    watched.collections.clear()
    return names


def test_no_query_scans_a_collection_or_sorts_in_memory(project: Project, graphql: GraphQL, watched: Watched) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    fill_with_categories(project, 250, categoryId=ObjectId(category))  # more than MongoDB merges in order
    document = published(project, categoryId=category)
    api = graphql.by(delivery_token(project, drafts=True)).through(watched.app)
    run(project, "update_project", siteUrl="https://example.com")
    query = """query($id: ID!, $category: ID!, $slug: String!) {
        byAuthor: documentsPage(authorId: $id, limit: 1) { totalCount documents { id } }
        ofCluster: documentsPage(clusterId: $id, limit: 1) { totalCount documents { id } }
        ofBoth: documentsPage(clusterId: $id, authorId: $id, limit: 1) { totalCount documents { id } }
        ofTopic: documentsPage(categorySlug: "bread", includeSubcategories: true, limit: 1) { documents { id } }
        ofSubtopic: documentsPage(categorySlug: "00-00000", includeSubcategories: true, limit: 1) { documents { id } }
        documents(limit: 1) { html category { id } } documentsInCategory(categoryId: $category, limit: 1) { id }
        documentsPage(search: "sourdough", limit: 1) { totalCount documents { related { id } author { name } } }
        categoryBySlug(slug: "bread") { documentCount } redirects { to } redirect(from: "old") { to }
        document(id: $id) { id } documentBySlug(slug: $slug) { id } a: documents(includeDrafts: true, offset: 1) { id }
    }"""
    api.data(query, {"id": document["id"], "category": category, "slug": document["slug"]})
    graphql.through(watched.app).data('{ documentBySlug(slug: "%s") { id } }'.replace("%s", document["slug"]))
    assert api.feed("feed").status_code == api.feed("sitemap").status_code == 200

    stages = [stage for command in watched.commands for stage in watched.explained(command)]
    assert len(watched.commands) > 12
    assert {"IXSCAN", *(f"projectId_{name}_publishedAt-__id" for name in ("authorId", "clusterId"))} <= set(stages)
    assert {"COLLSCAN", "SORT"} & set(stages) == set()


def test_a_text_replaced_while_it_is_read_is_read_again(project: Project, graphql: GraphQL, store: Store) -> None:
    """Publishing again drops the html that a reader was about to fetch: the reader then takes the new one."""
    document = published(project, markdown="Old.")
    texts = store[Bodies].get_texts
    moments: list[Any] = []

    def raced(project_id: str, body_ids: Any) -> dict[str, str]:
        if not moments:
            moments.append(None)
            content = {"markdown": "New.", "baseVersion": document["version"]}
            run(project, "write_content", document["id"], **content)
            run(project, "publish_document", document["id"])
        return texts(project_id, body_ids)

    store[Bodies].get_texts = raced  # type: ignore[method-assign]
    try:
        found = graphql.data("{ documents { html } }")["documents"]
    finally:
        del store[Bodies].get_texts

    assert found == [{"html": "<p>New.</p>\n"}]
