"""Reading a whole website while it is edited (decisions, section 21)."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from bson import ObjectId
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.changes.cursors import read_cursor
from app.core.context import this_instant
from app.core.errors import Refusal
from tests.changes.reader import Reader, live
from tests.graphql_app.client import GraphQL, delivery_token, published, republish, run
from tests.graphql_app.watched import Watched
from tests.make import Project, a_document, a_project, made


def codes(graphql: GraphQL, after: str, **more: Any) -> list[str]:
    return graphql.codes("query($after:String){changes(after:$after){cursor}}", {"after": after, **more})


@pytest.mark.contract("decided-site.changes")
def test_the_first_reading_has_what_is_live_and_later_ones_what_changed(project, graphql) -> None:
    loaf, roll = published(project, title="Loaf"), published(project, title="Roll")
    a_document(project.context(), title="A draft")
    reader = Reader(graphql)
    assert reader.follow() == live(graphql)
    assert reader.held.keys() == {loaf["id"], roll["id"]}

    republish(project, loaf, title="A better loaf", slug="better-loaf")
    page = reader.step()
    assert ([one["slug"] for one in page["documents"]], page["removed"]) == (["better-loaf"], [])

    run(project, "unpublish_document", roll["id"])
    page = reader.step()
    assert (page["documents"], page["removed"]) == ([], [{"id": roll["id"], "slug": "roll"}])

    page = reader.step()
    assert (page["documents"], page["removed"], page["hasMore"]) == ([], [], False)


@pytest.mark.contract("decided-site.changes")
def test_a_first_reading_names_nothing_that_was_removed_before_it(project, graphql) -> None:
    run(project, "unpublish_document", published(project, title="Roll")["id"])
    published(project, title="Loaf")
    page = Reader(graphql).step()
    assert ([one["slug"] for one in page["documents"]], page["removed"]) == (["loaf"], [])


@pytest.mark.contract("decided-site.changes")
def test_what_is_removed_during_a_first_reading_is_removed_in_it(project, graphql) -> None:
    loaves = [published(project, title=f"Loaf {number}") for number in range(4)]
    reader = Reader(graphql, limit=2)
    reader.step()
    run(project, "delete_document", loaves[0]["id"])
    run(project, "delete_document", loaves[3]["id"])
    assert reader.follow() == live(graphql)
    run(project, "restore_document", loaves[0]["id"])
    assert reader.follow() == live(graphql)


@pytest.mark.contract("decided-site.changes")
def test_what_was_removed_and_is_back_is_no_removal(project, graphql) -> None:
    loaf = published(project)
    reader = Reader(graphql)
    reader.follow()
    run(project, "unpublish_document", loaf["id"])
    run(project, "publish_document", loaf["id"])
    page = reader.step()
    assert ([one["id"] for one in page["documents"]], page["removed"]) == ([loaf["id"]], [])


@pytest.mark.contract("decided-site.changes")
def test_another_author_is_a_change_of_the_document_and_a_renamed_one_of_authors(project, graphql) -> None:
    ada = run(project, "create_member", name="Ada")
    loaf = published(project)
    reader = Reader(graphql)
    page = reader.step()
    assert (page["categoriesChanged"], page["authorsChanged"]) == (True, True)

    run(project, "update_document", loaf["id"], authorId=ada["id"])
    page = reader.step()
    assert [one["author"] for one in page["documents"]] == [{"id": ada["id"]}]
    assert (page["categoriesChanged"], page["authorsChanged"]) == (False, False)

    run(project, "update_member", ada["id"], name="Ada Lovelace")
    page = reader.step()
    assert (page["documents"], page["categoriesChanged"], page["authorsChanged"]) == ([], False, True)

    made(project.context(), "category", name="Bread", slug="bread")
    page = reader.step()
    assert (page["documents"], page["categoriesChanged"], page["authorsChanged"]) == ([], True, False)


@pytest.mark.contract("decided-site.changes")
def test_a_cursor_holds_for_90_days_unless_nothing_changed(project, graphql) -> None:
    published(project)
    reader = Reader(graphql)
    reader.follow()
    cursor = read_cursor(project.id, reader.cursor or "")
    assert cursor
    seconds = int((this_instant() - timedelta(days=90, minutes=1)).timestamp())
    old = replace(cursor, at=seconds).encode(project.id)
    assert graphql.data("query($after:String){changes(after:$after){hasMore}}", {"after": old})
    published(project, title="Another")
    assert codes(graphql, old) == ["CURSOR_EXPIRED"]
    held = replace(cursor, at=seconds + 120).encode(project.id)
    assert Reader(graphql, cursor=held).step()["documents"]
    later = replace(cursor, revision=cursor.revision + 50).encode(project.id)  # of a database that was restored since
    assert codes(graphql, later) == ["CURSOR_EXPIRED"]


@pytest.mark.contract("decided-site.changes")
@pytest.mark.parametrize("cursor", ["", "x", "é", "A" * 86, "A" * 201])
def test_what_is_no_cursor_is_refused(graphql, cursor) -> None:
    assert codes(graphql, cursor) == ["BAD_USER_INPUT"]


@pytest.mark.contract("decided-site.changes")
def test_the_cursor_of_another_project_is_refused(project, graphql, store) -> None:
    reader = Reader(graphql)
    reader.follow()
    other = read_cursor(project.id, reader.cursor or "")
    assert other
    assert codes(graphql, other.encode(a_project(store).id)) == ["BAD_USER_INPUT"]


@pytest.mark.contract("decided-site.changes")
@pytest.mark.parametrize("limit", [0, 101])
def test_a_limit_is_1_to_100(graphql, limit) -> None:
    assert graphql.codes(f"{{changes(limit:{limit}){{cursor}}}}") == ["BAD_USER_INPUT"]


@pytest.mark.contract("decided-site.changes")
def test_what_was_published_before_there_were_numbers_is_read_too(project, graphql, store) -> None:
    loaf, roll = published(project, title="Loaf"), published(project, title="Roll")
    store.database.publications.update_one({"_id": ObjectId(loaf["id"])}, {"$unset": {"deliveredIn": 1}})
    assert Reader(graphql).follow().keys() == {loaf["id"], roll["id"]}


@pytest.mark.contract("decided-site.changes")
def test_what_a_process_did_not_number_before_it_died_is_read_all_the_same(project, graphql, store) -> None:
    loaf = published(project)
    reader = Reader(graphql)
    reader.follow()
    here = {"_id": ObjectId(loaf["id"])}
    store.database.publications.update_one(here, {"$set": {"deliveredIn": str(ObjectId()), "title": "Later"}})
    published(project, title="Roll")  # whose number the revision has
    reader.follow()
    assert reader.held[loaf["id"]]["title"] == "Later"


@pytest.mark.needs_mongod
@pytest.mark.contract("decided-site.changes")
def test_a_poll_without_changes_is_one_read_and_others_use_their_index(project, watched: Watched, graphql) -> None:
    reader = Reader(graphql.through(watched.app))
    for number in range(3):
        published(project, title=f"Loaf {number}")
    reader.limit = 2
    reader.step()
    watched.clear()
    reader.step()
    plans = [watched.explained(one) for one in watched.commands if one.get("sort")]
    assert plans
    assert all("projectId_deliveredIn__id" in plan and "SORT" not in plan for plan in plans), plans
    watched.clear()
    reader.step()
    assert watched.collections == ["deliveryRevisions"]


@pytest.mark.contract("decided-site.by_ids")
def test_documents_are_returned_by_ids_then_slugs_in_the_order_given(project, graphql) -> None:
    loaf, roll, bun = (published(project, title=title) for title in ("Loaf", "Roll", "Bun"))
    draft = a_document(project.context(), title="A draft")
    query = "query($ids:[ID!],$slugs:[String!]){documentsByIds(ids:$ids,slugs:$slugs){slug}}"

    def slugs(**variables: Any) -> list[str]:
        return [one["slug"] for one in graphql.data(query, variables)["documentsByIds"]]

    ids = [roll["id"], draft["id"], "x", loaf["id"].upper(), roll["id"]]
    assert slugs(ids=ids, slugs=["bun", "a-draft", "none", "loaf"]) == ["roll", "loaf", "bun"]
    assert slugs() == slugs(ids=[], slugs=None) == []
    assert slugs(ids=[bun["id"]] * 50, slugs=["bun"] * 50) == ["bun"]
    assert graphql.codes(query, {"ids": [bun["id"]] * 50, "slugs": ["bun"] * 51}) == ["BAD_USER_INPUT"]


RACE_SECONDS = float(os.environ.get("RACE_SECONDS", "6"))
MOVES: dict[str, Callable[[Project, Any, dict[str, Any]], Any]] = {
    "publish": lambda project, one, other: run(project, "publish_document", one["id"]),
    "unpublish": lambda project, one, other: run(project, "unpublish_document", one["id"]),
    "delete": lambda project, one, other: run(project, "delete_document", one["id"]),
    "restore": lambda project, one, other: run(project, "restore_document", one["id"]),
    "rename": lambda project, one, other: republish(project, one, slug=f"loaf-{ObjectId()}"),
    "author": lambda project, one, other: run(project, "update_document", one["id"], authorId=other["author"]),
    "refile": lambda project, one, other: republish(project, one, categoryId=other["category"]),
    "edit": lambda project, one, other: run(project, "write_content", one["id"], markdown=f"Text {ObjectId()}."),
}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(sorted(MOVES)), st.integers(0, 3)),
        st.tuples(st.just("read"), st.integers(0, 2)),
    ),
    max_size=25,
)


@pytest.mark.slow
@pytest.mark.contract("decided-site.changes")
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_a_reader_that_stops_and_goes_on_anywhere_holds_what_is_live(app, store, steps) -> None:
    project = a_project(store)
    from tests.graphql_app.client import delivery_token

    graphql = GraphQL(app.test_client(), delivery_token(project))
    loaves = [a_document(project.context(), title=f"Loaf {number}", markdown="Flour.") for number in range(4)]
    author, category = (
        run(project, "create_member", name="Ada"),
        made(project.context(), "category", name="Bread", slug="bread"),
    )
    other = {"author": author["id"], "category": category["id"]}
    readers = [Reader(graphql, limit) for limit in (1, 2, 100)]
    for name, index in steps:
        if name == "read":
            readers[index].step()
        else:
            try:
                MOVES[name](project, loaves[index], other)
            except Refusal:  # a move that the document's status does not allow
                continue
    for reader in readers:
        assert reader.follow() == live(graphql)


@pytest.mark.race
@pytest.mark.needs_mongod
@pytest.mark.slow
@pytest.mark.contract("decided-site.changes")
def test_readers_hold_what_is_live_while_others_publish(app, project, graphql) -> None:
    loaves = [published(project, title=f"Loaf {number}") for number in range(30)]
    ends = time.monotonic() + RACE_SECONDS
    failed: list[BaseException] = []

    def write(own: list[dict[str, Any]]) -> None:
        turn = 0
        while time.monotonic() < ends:
            turn += 1
            loaf = own[turn % len(own)]
            move = ("publish_document", "unpublish_document", "publish_document")[turn % 3]
            try:
                run(project, move, loaf["id"])
            except Refusal:
                continue
            except BaseException as error:
                failed.append(error)
                raise

    readers = [Reader(GraphQL(app.test_client(), graphql.token), limit) for limit in (3, 10, 100)]

    def read(reader: Reader) -> None:
        try:
            while time.monotonic() < ends:
                reader.step()
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=write, args=(loaves[start::2],)) for start in (0, 1)]
    threads += [threading.Thread(target=read, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    for reader in readers:
        assert reader.follow() == live(graphql)


PAGE = (
    "query($after:String,$drafts:Boolean,$search:String,$offset:Int){documentsPage(after:$after,limit:2,offset:$offset,"
    "includeDrafts:$drafts,search:$search){endCursor hasNextPage documents{id title}}}"
)


def pages(graphql: GraphQL, after_first: Callable[[], None] = lambda: None, **variables: Any) -> list[str]:
    """Returns the titles of all pages, each read after the one before."""
    titles: list[str] = []
    after = None
    while True:
        page = graphql.data(PAGE, {"after": after, **variables})["documentsPage"]
        titles += [one["title"] for one in page["documents"]]
        if not page["hasNextPage"]:
            return titles
        if after is None:
            after_first()
        after = page["endCursor"]


@pytest.mark.contract("decided-site.pages")
def test_pages_by_cursor_skip_and_repeat_nothing_while_others_are_published(app, project, graphql) -> None:
    loaves = [published(project, title=f"Loaf {number}") for number in range(5)]
    drafts = [a_document(project.context(), title=f"Draft {number}") for number in range(5)]
    both = graphql.by(delivery_token(project, drafts=True))
    every = [one["title"] for one in (*reversed(loaves), *reversed(drafts))]
    assert pages(graphql) == every[:5]
    assert pages(both, drafts=True) == every
    assert pages(both, drafts=True, search="draft") == every[5:]
    assert pages(graphql, lambda: published(project, title="New") and None) == every[:5]
    assert pages(graphql, lambda: run(project, "unpublish_document", loaves[4]["id"])) == ["New", *every[:5]]


@pytest.mark.contract("decided-site.pages")
def test_an_empty_page_has_no_cursor_and_no_other_cursor_is_taken(project, graphql) -> None:
    assert graphql.data(PAGE)["documentsPage"] == {"endCursor": None, "hasNextPage": False, "documents": []}
    published(project)
    cursor = graphql.data(PAGE)["documentsPage"]["endCursor"]
    assert graphql.codes(PAGE, {"after": "x"}) == ["BAD_USER_INPUT"]
    assert graphql.codes(PAGE, {"after": Reader(graphql).step()["cursor"]}) == ["BAD_USER_INPUT"]
    assert graphql.codes(PAGE, {"after": cursor, "offset": 1}) == ["BAD_USER_INPUT"]
    assert graphql.data(PAGE, {"after": cursor})["documentsPage"]["documents"] == []
