"""Responses are cached while nothing they show changes: in the process, and by clients (decisions, section 7)."""

import gzip
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from flask import Flask

from app.categories.store import Categories
from app.core.errors import ServiceUnavailable
from app.core.store.caches import SharedCache, SingleFlight
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.delivery.caches import categories_at
from tests.graphql_app.client import GraphQL, delivery_token, published, run
from tests.make import OPERATIONS, Project, a_document, a_project, an_app, made

QUERY = """{
    documents { title slug category { name } author { name } related { title } }
    categories { name documentCount } redirects { from to } documentsPage(search: "rye") { totalCount }
}"""


def test_the_response_to_a_get_has_cache_control(graphql: GraphQL) -> None:
    answer = graphql.get(QUERY)

    assert answer.headers["ETag"].startswith('"')
    assert answer.headers["Cache-Control"] == "private, max-age=0, must-revalidate"
    assert "Authorization" in answer.headers["Vary"]
    head = graphql.client.head(
        "/graphql", query_string={"query": QUERY}, headers={"Authorization": f"Bearer {graphql.token.secret}"}
    )
    assert head.headers["ETag"] == answer.headers["ETag"]
    assert "ETag" not in graphql.post(QUERY).headers


def test_an_answer_is_compressed_for_who_accepts_gzip_and_has_an_etag_of_its_own(graphql: GraphQL) -> None:
    plain = graphql.get(QUERY)

    for _ in range(2):  # executed, then cached
        answer = graphql.get(QUERY, headers={"Accept-Encoding": "br, gzip"})
        assert answer.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(answer.data) == plain.data
        assert answer.headers["ETag"] != plain.headers["ETag"]
    again = {"Accept-Encoding": "gzip", "If-None-Match": answer.headers["ETag"]}
    assert graphql.get(QUERY, headers=again).status_code == 304
    refused = graphql.get(QUERY, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused.headers
    assert "Accept-Encoding" in refused.headers["Vary"]


def test_who_has_the_answer_gets_304_without_a_body(graphql: GraphQL) -> None:
    tag = graphql.get(QUERY).headers["ETag"]

    for sent in (tag, f'"other", {tag}', f"W/{tag}"):
        again = graphql.get(QUERY, headers={"If-None-Match": sent})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == tag
        assert again.headers["Cache-Control"] == "private, max-age=0, must-revalidate"


def test_a_star_is_every_answer_that_there_is(graphql: GraphQL) -> None:
    for _ in ("executed", "cached"):
        answer = graphql.get(QUERY, headers={"If-None-Match": "*"})
        assert (answer.status_code, answer.data) == (304, b"")
    assert answer.headers["ETag"] == graphql.get(QUERY).headers["ETag"]
    assert graphql.post(QUERY, headers={"If-None-Match": "*"}).status_code == 200


def test_the_key_of_a_response_is_short_however_long_its_variables_are(
    graphql: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[Any] = []
    monkeypatch.setattr(SharedCache, "get", lambda self, key: keys.append(key))

    graphql.post(QUERY, variables={"long": "x" * 100_000})

    assert max(len(repr(key)) for key in keys) < 100


def test_the_tag_is_of_the_query_its_variables_its_operation_and_the_project(
    project: Project, graphql: GraphQL, store
) -> None:
    query = "query A($limit: Int) { documents(limit: $limit) { id } } query B { documents { id } }"
    elsewhere = graphql.by(delivery_token(a_project(store)))
    answers = [
        graphql.get(query, {"limit": 1}, operationName="A"),
        graphql.get(query, {"limit": 2}, operationName="A"),
        graphql.get(query, {"limit": 2}, operationName="B"),
        graphql.get("{ documents { id } }"),
        elsewhere.get("{ documents { id } }"),
    ]

    assert len({answer.headers["ETag"] for answer in answers}) == len(answers)


CHANGES = {
    "publish": lambda project, document, category: published(project, title="Another"),
    "publish again": lambda project, document, category: (
        run(project, "update_document", document["id"], title="New"),
        run(project, "publish_document", document["id"]),
    ),
    "unpublish": lambda project, document, category: run(project, "unpublish_document", document["id"]),
    "delete": lambda project, document, category: run(project, "delete_document", document["id"]),
    "restore": lambda project, document, category: (
        run(project, "delete_document", document["id"]),
        run(project, "restore_document", document["id"]),
    ),
    "rename a category": lambda project, document, category: run(project, "update_category", category, name="Loaves"),
    "change a slug": lambda project, document, category: (
        run(project, "update_document", document["id"], slug="another"),
        run(project, "publish_document", document["id"]),
    ),
    "name an author": lambda project, document, category: run(
        project, "update_document", document["id"], authorId=run(project, "create_member", name="Grace")["id"]
    ),
    "rename an author": lambda project, document, category: run(
        project, "update_member", document["authorId"], name="Ada Lovelace"
    ),
    "change what readers learn about an author": lambda project, document, category: run(
        project, "update_member", document["authorId"], bio="Bakes."
    ),
    "give an author a picture": lambda project, document, category: run(
        project, "update_member", document["authorId"], imageUrl="https://a.example/ada.jpg"
    ),
    "change the slug of an author": lambda project, document, category: run(
        project, "update_member", document["authorId"], slug="ada-king"
    ),
    "an author leaves": lambda project, document, category: run(project, "delete_member", document["authorId"]),
    "leave a cluster": lambda project, document, category: run(
        project, "update_document", document["id"], clusterId=None
    ),
    "make a category": lambda project, document, category: made(project.context(), "category", name="New", slug="new"),
    "delete a category": lambda project, document, category: run(
        project, "delete_category", made(project.context(), "category", name="New", slug="new")["id"]
    ),
}


@pytest.fixture(scope="module")
def others(store: Store) -> tuple[Flask, Flask]:
    """Two other servers on the database."""
    return an_app(store), an_app(store)


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_delivery_shows_at_once_on_every_server(
    project: Project, graphql: GraphQL, others: tuple[Flask, Flask], name: str
) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    cluster, ada = (
        made(project.context(), "cluster", name="Sour")["id"],
        run(project, "create_member", name="Ada")["id"],
    )
    published(project, title="Wheat", clusterId=cluster)
    document = published(project, title="Rye", categoryId=category, clusterId=cluster)
    document = run(project, "update_document", document["id"], authorId=ada)
    other, fresh = map(graphql.through, others)
    servers = [graphql, other]
    before = [server.get(QUERY) for server in servers]
    assert len({answer.headers["ETag"] for answer in before}) == 1

    CHANGES[name](project, document, category)

    now_there = fresh.get(QUERY).json  # which has cached nothing of the project
    for server, answer in zip(servers, before, strict=True):
        now = server.get(QUERY, headers={"If-None-Match": answer.headers["ETag"]})
        assert now.status_code == 200
        assert now.json == now_there
        assert server.post(QUERY).json == now_there


def test_a_request_after_a_change_never_shares_what_one_before_it_found_in_a_cache(
    project: Project, graphql: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    published(project, categoryId=category)
    has_read, go_on, list_categories = threading.Event(), threading.Event(), Categories.list

    def slow(self: Categories, *args: Any, **options: Any) -> Any:
        rows = list_categories(self, *args, **options)
        if not has_read.is_set():
            has_read.set()
            go_on.wait(30)
        return rows

    monkeypatch.setattr(Categories, "list", slow)

    def names() -> list[str]:
        server = graphql.through(graphql.client.application)
        return [one["category"]["name"] for one in server.data("{ documents { category { name } } }")["documents"]]

    with ThreadPoolExecutor(3) as pool:
        reads = pool.submit(names)
        has_read.wait(30)
        waits_for_the_reader = pool.submit(names)
        time.sleep(0.1)  # until it waits: where it comes later, this shows nothing
        run(project, "update_category", category, name="Loaves")
        comes_after_the_change = pool.submit(names)
        time.sleep(0.1)
        go_on.set()
        assert reads.result() == ["Bread"]
        assert waits_for_the_reader.result() in (["Bread"], ["Loaves"])
        assert comes_after_the_change.result() == ["Loaves"]
    assert names() == ["Loaves"]


def test_a_read_that_fails_fails_for_all_who_wait_for_it_and_not_for_one_after_the_other(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, calls = threading.Event(), threading.Event(), []

    def fail(*_: Any, **__: Any) -> None:
        calls.append(None)
        begun.set()
        go_on.wait(30)
        time.sleep(0.2)  # while which all who wait begin to share the next read
        raise ServiceUnavailable

    monkeypatch.setattr(Categories, "list", fail)
    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(categories_at, project.context(), 1)
        begun.wait(30)
        others = [pool.submit(categories_at, project.context(), 1) for _ in range(8)]
        go_on.set()
        assert all(isinstance(one.exception(), ServiceUnavailable) for one in (first, *others))
    assert len(calls) < len(others)


def test_a_change_that_is_not_delivered_leaves_the_answer_as_it_is(project: Project, graphql: GraphQL) -> None:
    document = published(project)
    tag = graphql.get(QUERY).headers["ETag"]

    run(project, "update_document", document["id"], title="Not published yet")
    a_document(project.context(), title="A draft")

    assert graphql.get(QUERY, headers={"If-None-Match": tag}).status_code == 304


def test_a_response_that_may_hold_drafts_is_never_cached(project: Project, preview: GraphQL) -> None:
    draft = a_document(project.context(), slug="draft", title="First")
    queries = [
        "{ documents(includeDrafts: true) { title } }",
        '{ documentBySlug(slug: "draft") { title } }',
        f'{{ document(id: "{draft["id"]}") {{ title }} }}',
    ]
    for query in queries:
        answer = preview.get(query)
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "ETag" not in answer.headers
    run(project, "update_document", draft["id"], title="Second")
    for query in queries:
        assert "Second" in preview.get(query).text
    kept = preview.get("{ documents { title } }")
    assert kept.headers["ETag"]


def test_an_error_is_not_cached(graphql: GraphQL) -> None:
    for answer in (graphql.get("{"), graphql.get("{ documents(limit: 0) { id } }")):
        assert answer.headers["Cache-Control"] == "no-store"
        assert "ETag" not in answer.headers


def test_the_setting_for_a_cache_in_front_is_the_max_age_of_responses(graphql: GraphQL, store) -> None:
    server = graphql.through(an_app(store, delivery_cache_control="public, max-age=60"))

    assert server.get(QUERY).headers["Cache-Control"] == "public, max-age=60"


def test_the_cache_stays_within_its_size() -> None:
    kept: SharedCache[bytes] = SharedCache(1_000, size_of=len)
    for number in range(100):
        kept.put(number, b"x" * 100)
    kept.put("large", b"x" * 126)

    held = [number for number in range(100) if kept.get(number)]
    assert held == list(range(90, 100))
    assert kept.get("large") is None


def test_readers_that_come_while_one_reads_share_a_read_that_begins_after_they_came() -> None:
    turns: SingleFlight[int] = SingleFlight()
    begun, go_on, calls = threading.Event(), threading.Event(), []

    def read() -> int:
        calls.append(None)
        number = len(calls)
        if number == 1:
            begun.set()
            go_on.wait(30)
        return number

    with ThreadPoolExecutor(9) as pool:
        first = pool.submit(turns.read, "project", read)
        begun.wait(30)
        others = [pool.submit(turns.read, "project", read) for _ in range(8)]
        go_on.set()
        assert first.result() == 1
        assert min(other.result() for other in others) == 2
    assert turns.read("project", read) == len(calls)


def test_a_read_that_fails_fails_for_all_requests_that_share_it_and_for_none_after() -> None:
    turns: SingleFlight[int] = SingleFlight()
    with pytest.raises(ZeroDivisionError):
        turns.read("project", lambda: 1 // 0)

    assert turns.read("project", lambda: 5) == 5


def test_a_reader_that_is_interrupted_while_it_waits_blocks_no_other() -> None:
    turns: SingleFlight[int] = SingleFlight()
    before = _Interrupted()
    turns._reading["project"] = before  # type: ignore[assignment]

    with pytest.raises(KeyboardInterrupt):
        turns.read("project", lambda: 1)
    turns._reading.clear()

    assert turns.read("project", lambda: 5) == 5


class _Interrupted:
    """A read under way that a reader is interrupted while waiting for."""

    def __enter__(self) -> None:
        raise KeyboardInterrupt

    def __exit__(self, *error: object) -> None: ...


@pytest.mark.parametrize("dies", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_counted_once_and_by_the_relay_where_the_process_died_after_the_commit(
    project: Project, store: Store, monkeypatch: pytest.MonkeyPatch, name: str, dies: bool
) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    cluster, ada = (
        made(project.context(), "cluster", name="Sour")["id"],
        run(project, "create_member", name="Ada")["id"],
    )
    document = published(project, title="Rye", categoryId=category, clusterId=cluster)
    document = run(project, "update_document", document["id"], authorId=ada)
    store[Outboxes].publish_all(project.id)
    revisions = [store[DeliveryRevisions].read(project.id).number]

    with monkeypatch.context() as patch:
        if dies:
            patch.setattr(DeliveryRevisions, "count", lambda *_: None)
        CHANGES[name](project, document, category)
    for _ in range(2):
        revisions.append(store[DeliveryRevisions].read(project.id).number)
        store[Outboxes].publish_all(project.id)
    revisions.append(store[DeliveryRevisions].read(project.id).number)

    before, changed, relayed, relayed_again = revisions
    assert (before == changed) == dies
    assert (changed == relayed) == (not dies)
    assert relayed == relayed_again


def test_what_is_replayed_under_an_idempotency_key_is_delivered_though_the_first_process_died(
    project: Project, graphql: GraphQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, query = published(project, title="Rye"), "{ documents { title } }"
    assert graphql.data(query)["documents"]
    unpublish = partial(OPERATIONS["unpublish_document"], project.context(), document["id"], key="once")
    with monkeypatch.context() as patch:
        patch.setattr(DeliveryRevisions, "count", lambda *_: None)
        unpublish()
    assert graphql.data(query)["documents"]

    assert unpublish().replayed

    assert graphql.data(query)["documents"] == []
