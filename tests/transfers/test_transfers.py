"""A whole project out and in again (decisions, section 10)."""

import itertools
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from bson import ObjectId

from app.cli.mongod import running_mongod
from app.errors import ThreadsOpen, WriteConflict
from app.operations.context import Context, system, this_instant
from app.operations.imports import import_documents
from app.operations.purging import purge_trash
from app.operations.transfers import ProjectImport, export_project
from app.rules.caps import CATEGORIES_PER_PROJECT
from app.store.documents import Documents
from app.store.indexes import create_indexes
from app.store.projects import Projects
from app.store.revisions import Revisions
from app.store.store import Store, connect
from app.vocabulary import Channel
from tests.databases import everything
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, fill_with_categories, made
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def called(ctx: Context, name: str, /, *ids: str, **fields: Any) -> Any:
    """Runs an operation and returns what it gave."""
    operation = OPERATIONS[name]
    return operation(ctx, *ids, fields=fields if operation.body or operation.query else None).body


@pytest.fixture
def full(store: Store) -> Project:
    """A project with something of everything that an export has."""
    project = a_project(store, siteUrl="https://crust.example/{slug}")
    ctx = project.context()
    called(ctx, "save_views", views=[{"name": "In review", "query": "status=review"}])
    ada = called(ctx, "create_member", name="Ada")
    gone = called(ctx, "create_member", name="Grace", email="grace@example.org", role="owner")
    called(ctx, "delete_member", gone["id"])
    bread = made(ctx, "category", name="Bread", slug="bread")
    rye = made(ctx, "category", name="Rye", slug="rye", categoryId=bread["id"], description="Dark")
    topic = made(ctx, "cluster", name="Sourdough", keywords=["levain"])
    first = a_document(ctx, title="Flour", markdown="Flour.", assigneeId=ada["id"], dueDate="2027-01-31")
    brief = {"keyword": "rye", "internalLinks": [first["id"]], "referenceUrls": ["https://example.org"]}
    live = a_document(
        ctx, title="Rye", markdown="# Rye\n\nDark.", categoryId=rye["id"], clusterId=topic["id"], brief=brief
    )
    called(ctx, "publish_document", live["id"])
    called(ctx, "write_content", live["id"], markdown="Darker.", baseVersion=1, generation={"model": "example-4"})
    called(ctx, "update_document", live["id"], slug="rye-bread")
    remark = {"quote": {"exact": "Darker"}, "suggestion": "Dark", "level": "must"}
    thread = called(ctx, "open_thread", live["id"], text="Darker?", **remark)
    called(ctx, "reply_to_thread", live["id"], thread["id"], text="Yes.")
    called(ctx, "resolve_thread", live["id"], called(ctx, "open_thread", live["id"], text="Good.")["id"])
    claimed = a_ready_brief(ctx, title="Crumb")
    called(ctx, "claim_brief", claimed["id"], leaseSeconds=3600)
    piece = {"key": "crust", "title": "Crust", "markdown": "Crust."}
    planned = called(ctx, "plan_documents", pieces=[piece])["pieces"][0]
    called(ctx, "write_content", planned["id"], markdown="Crust.\n\nHard.", baseVersion=1, generation={"model": "x"})
    called(ctx, "approve_document", planned["id"], review={"facts": True, "sources": False, "examined": "All."})
    soon = (ctx.now + timedelta(days=1)).isoformat()
    called(ctx, "schedule_document", planned["id"], publishAt=soon)
    trashed = a_document(ctx, title="Crumbs", markdown="Crumbs.", categoryId=rye["id"])
    called(ctx, "publish_document", trashed["id"])
    called(ctx, "delete_document", trashed["id"])
    return project


def exported(project: Project, store: Store) -> list[bytes]:
    """Returns the lines of a project's export."""
    return list(export_project(store, project.id))


def taken(store: Store, project: Project, lines: list[bytes]) -> ProjectImport:
    """Takes lines into a project."""
    taking = ProjectImport(Context(store, system(project.id, project.team_id), Channel.CLI))
    list(taking.take(lines))
    return taking


@pytest.mark.contract("decided-commands.export-import")
def test_a_project_imported_into_an_empty_database_exports_the_same_bytes(
    full: Project, store: Store, fresh_store: Store
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")

    done = taken(fresh_store, other, lines).done

    assert not done.refused
    assert not done.differing
    assert exported(other, fresh_store) == lines


@pytest.mark.contract("decided-provenance.exports", "decided-reviews.exports")
def test_who_wrote_what_and_records_of_reviews_come_with_their_versions(full: Project, store: Store) -> None:
    other = a_project(store, name="Another")
    taken(store, other, exported(full, store))

    for project in (full, other):
        ctx = project.context()
        by_slug = {one["slug"]: one["id"] for one in called(ctx, "list_documents", limit=50, offset=0, sort="title")}
        found = [called(ctx, "get_provenance", by_slug[slug])["paragraphs"] for slug in ("rye-bread", "crust")]
        models = [[[by["model"] for by in paragraph["by"]] for paragraph in one] for one in found]
        assert models == [[["example-4", None]], [[None], ["x"]]]
        record = called(ctx, "get_review_record", by_slug["crust"])
        assert (record["examined"], record["version"], record["agents"]) == ("All.", 2, 1)
        [live] = called(ctx, "list_disclosures", limit=50, offset=0)
        assert (live["slug"], live["disclosure"]) == ("rye", "human-only")


@pytest.mark.contract("decided-threads.exports")
def test_threads_come_with_their_document_and_stand_in_the_way_there_too(
    full: Project, store: Store, fresh_store: Store
) -> None:
    other = a_project(fresh_store, name="Another")
    taken(fresh_store, other, exported(full, store))

    [live] = called(other.context(), "list_documents", limit=9, offset=0, sort="title", slug=["rye-bread"])
    before = called(full.context(), "list_threads", live["id"], state=["open", "answered", "resolved"])
    after = called(other.context(), "list_threads", live["id"], state=["open", "answered", "resolved"])
    assert after == before
    assert len(before) == 2
    with pytest.raises(ThreadsOpen):
        called(other.context(), "publish_document", live["id"])
    for where, owner in ((store, full), (fresh_store, other)):
        record = where.documents.get(owner.id, live["id"])
        assert record is not None
        assert (record["unresolvedThreads"], record["mustThreads"]) == (1, {before[0]["id"]: "open"})


@pytest.mark.contract("decided-commands.export")
def test_what_comes_in_is_what_went_out_for_those_who_read_it(full: Project, store: Store, fresh_store: Store) -> None:
    other = a_project(fresh_store, name="Another")
    taken(fresh_store, other, exported(full, store))

    before, after = full.context(), other.context()
    for document in called(before, "list_documents", limit=100, offset=0, sort="title"):
        there = called(after, "get_document", document["id"])
        assert there == document | {"projectId": other.id, "teamId": other.team_id}


@pytest.mark.contract("decided-commands.export-mapped")
def test_where_ids_are_taken_new_ones_stand_for_them_throughout(full: Project, store: Store) -> None:
    beside, own = a_project(store, name="Beside"), ObjectId(full.id).binary
    before = [row for rows in everything(store).values() for row in rows if own in row]

    done = taken(store, beside, exported(full, store)).done

    assert not done.refused
    assert [row for rows in everything(store).values() for row in rows if own in row] == before
    mine = {
        document["title"]: document
        for document in called(full.context(), "list_documents", limit=100, offset=0, sort="title")
    }
    theirs = {
        document["title"]: document
        for document in called(beside.context(), "list_documents", limit=100, offset=0, sort="title")
    }
    assert mine.keys() == theirs.keys()
    assert {one["id"] for one in mine.values()}.isdisjoint(one["id"] for one in theirs.values())
    assert theirs["Rye"]["brief"]["internalLinks"] == [theirs["Flour"]["id"]]
    assert called(beside.context(), "get_category", theirs["Rye"]["categoryId"])["name"] == "Rye"
    assert called(beside.context(), "get_revision", theirs["Rye"]["id"], "1")["title"] == "Rye"


@pytest.mark.contract("decided-plans.export")
@pytest.mark.parametrize("trashed", [False, True])
def test_a_key_comes_along_and_one_that_another_document_has_refuses_its_line_alone(
    full: Project, store: Store, trashed: bool
) -> None:
    beside = a_project(store, name="Beside")
    piece = {"key": "crust", "title": "Another"}
    other = called(beside.context(), "plan_documents", pieces=[piece])["pieces"][0]["id"]
    if trashed:
        called(beside.context(), "delete_document", other)
    lines = exported(full, store)

    refusing, keeping = (taken(store, project, lines).done for project in (beside, a_project(store, name="Free")))

    [refused] = refusing.refused
    assert (refused.what, refused.why) == ("document crust", "Another document has the key 'crust'.")
    assert keeping.refused == []
    keys = [line["key"] for line in map(orjson.loads, lines) if line["type"] == "document"]
    assert sorted(key or "" for key in keys) == ["", "", "", "", "crust"]


@pytest.mark.parametrize("conflict", [False, True])
def test_a_category_with_the_slug_and_a_cluster_with_the_name_of_one_in_the_project_is_that_one(
    full: Project, store: Store, monkeypatch: pytest.MonkeyPatch, conflict: bool
) -> None:
    beside = a_project(store, name="Beside")
    made(beside.context(), "category", name="Bread", slug="bread")
    rye = made(beside.context(), "category", name="Rye bread", slug="rye")
    topic = made(beside.context(), "cluster", name="SOURDOUGH")
    delivery_changed = Projects.delivery_changed

    def conflicts_once(*arguments: Any) -> None:
        monkeypatch.setattr(Projects, "delivery_changed", delivery_changed)
        raise WriteConflict

    if conflict:
        monkeypatch.setattr(Projects, "delivery_changed", conflicts_once)

    done = taken(store, beside, exported(full, store)).done

    assert (done.refused, done.differing) == ([], ["category rye", "cluster Sourdough"])
    documents = called(beside.context(), "list_documents", limit=100, offset=0, sort="title")
    [document] = [one for one in documents if one["title"] == "Rye"]
    assert (document["categoryId"], document["clusterId"]) == (rye["id"], topic["id"])


def test_a_member_with_the_address_of_one_in_the_project_is_that_one(store: Store, project: Project) -> None:
    ctx, other = project.context(), a_project(store)
    ada = called(ctx, "create_member", name="Ada", email="ada@example.org")
    a_document(ctx, title="Rye", assigneeId=ada["id"])
    theirs = called(other.context(), "create_member", name="Ada L.", email="Ada@example.org")

    done = taken(store, other, exported(project, store)).done

    [rye] = called(other.context(), "list_documents", limit=9, offset=0, sort="title")
    assert (done.refused, done.differing) == ([], ["member Ada"])
    assert rye["assigneeId"] == theirs["id"]


def test_saved_views_come_in_as_they_would_be_saved(store: Store, project: Project) -> None:
    lines = [orjson.loads(line) for line in exported(project, store)]
    settings = next(line for line in lines if line["type"] == "project")
    settings["views"] = [{"name": "b", "query": ""}, {"name": "A", "query": ""}, {"name": "B ", "query": "q=1"}]
    other = a_project(store)

    done = taken(store, other, [orjson.dumps(line) for line in lines]).done

    views = called(other.context(), "get_project")["views"]
    assert (done.refused, views) == ([], [{"name": "A", "query": ""}, {"name": "B ", "query": "q=1"}])


def test_a_second_import_changes_nothing(full: Project, store: Store) -> None:
    beside = a_project(store, name="Beside")
    lines = exported(full, store)
    taken(store, beside, lines)
    first = exported(beside, store)

    done = taken(store, beside, lines).done

    assert (done.created, done.differing, done.refused) == ({}, [], [])
    assert exported(beside, store) == first


@pytest.mark.parametrize("upto", [1, 6, 11, 16])
@pytest.mark.contract("decided-commands.export-interrupted")
def test_an_import_that_was_interrupted_is_run_again(
    full: Project, store: Store, fresh_store: Store, upto: int
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")
    taken(fresh_store, other, lines[:upto])

    done = taken(fresh_store, other, lines).done

    assert not done.refused
    assert exported(other, fresh_store) == lines


def html_of_nothing(store: Store) -> list[str]:
    """Returns the texts that are neither a version's nor delivered."""
    named = {row["bodyId"] for row in store.database.revisions.find()}
    named |= {row["htmlId"] for row in store.database.publications.find()}
    named |= {(row.get("trashedPublication") or {}).get("htmlId") for row in store.database.documents.find()}
    return [row["text"] for row in store.database.bodies.find() if str(row["_id"]) not in {str(one) for one in named}]


def test_an_import_that_dies_leaves_no_html_without_a_document(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Documents, "add_many", dies)
        with pytest.raises(KeyboardInterrupt):
            taken(fresh_store, other, lines)
    assert html_of_nothing(fresh_store) == []

    for _ in range(2):
        assert not taken(fresh_store, other, lines).done.refused

    assert html_of_nothing(fresh_store) == []


def test_a_bad_line_is_named_with_why_and_stops_nothing_else(full: Project, store: Store, fresh_store: Store) -> None:
    lines = exported(full, store)
    bad = [orjson.loads(line) for line in lines]
    place = next(
        number for number, line in enumerate(bad) if line.get("slug") == "flour" and line["type"] == "document"
    )
    bad[place] |= {"title": " ", "slug": "no slug", "createdAt": "yesterday"}
    sent = [orjson.dumps(line) for line in bad]
    other = a_project(fresh_store, name="Another")

    done = taken(fresh_store, other, [*sent, b"{", b"[]", b'{"type": "novel"}']).done

    assert [refused.number for refused in done.refused] == [place + 1, *(len(sent) + number for number in (1, 2, 3))]
    assert all(word in done.refused[0].why for word in ("title", "slug", "createdAt"))
    titles = {one["title"] for one in called(other.context(), "list_documents", limit=100, offset=0, sort="title")}
    assert titles == {"Rye", "Crumb", "Crust"}


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("thread", "suggestion", "x" * 20_001),
        ("thread", "quote", {"exact": "x" * 2_001, "prefix": "", "suffix": ""}),
        ("thread", "comments", [{"text": "x" * 5_001}]),
        ("document", "reviewNote", "x" * 5_001),
        ("document", "pastSlugs", [{"slug": "../x y", "at": "2027-01-31T09:00:00Z"}]),
        ("document", "isPublished", "no"),
        ("document", "wordCount", "7"),
        ("document", "wordCount", True),
        ("document", "createdAt", 5),
        ("document", "createdAt", "5"),
        ("document", "createdAt", "2027-01-31T09:00:00"),
        ("revision", "version", 0),
        ("end", "lines", "5"),
    ],
)
def test_a_line_has_the_types_and_limits_of_the_record(
    full: Project, store: Store, fresh_store: Store, kind: str, field: str, value: Any
) -> None:
    lines = [orjson.loads(line) for line in exported(full, store)]
    next(line for line in lines if line["type"] == kind)[field] = value
    other = a_project(fresh_store, name="Another")

    refused = taken(fresh_store, other, [orjson.dumps(line) for line in lines]).done.refused

    assert any(field in one.why for one in refused)


@pytest.mark.parametrize(
    ("extra", "why"),
    [({"version": 2}, "It has a version 2, later than its own"), ({"version": 1, "bodyId": "0" * 24}, "A text that")],
    ids=["a later version", "a version whose text is missing"],
)
def test_a_document_whose_history_could_not_be_read_or_continued_is_refused(
    rest: Rest, project: Project, extra: dict[str, Any], why: str
) -> None:
    document = a_document(project.context(), markdown="One.")
    [*head, body, revision, last, _] = map(orjson.loads, exported(project, project.store))
    beside = a_project(project.store)
    lines = [orjson.dumps(line) for line in (*head, body, {**revision, **extra}, revision, last)]

    refused = taken(project.store, beside, lines).done.refused

    assert [one.why.startswith(why) for one in refused] == [True]
    assert not taken(project.store, beside, exported(project, project.store)).done.refused
    [imported] = rest.by(beside.token()).get(f"/documents?slug={document['slug']}").json
    written = rest.by(beside.token()).put(
        f"/documents/{imported['id']}/content", {"markdown": "Two.", "baseVersion": 1}
    )
    assert written.json["version"] == 2


def test_an_import_that_was_interrupted_may_be_followed_by_that_of_an_earlier_export(
    project: Project, fresh_store: Store
) -> None:
    ctx, other = project.context(), a_project(fresh_store)
    document = a_document(ctx, markdown="One.")
    earlier = exported(project, project.store)
    called(ctx, "write_content", document["id"], markdown="Two.", baseVersion=1)
    taken(fresh_store, other, exported(project, project.store)[:-2])

    assert "run this one again" in taken(fresh_store, other, earlier).done.refused[0].why
    assert not taken(fresh_store, other, earlier).done.refused
    assert called(other.context(), "write_content", document["id"], markdown="2.", baseVersion=1)["version"] == 2


@pytest.mark.contract("decided-intents.category-cap")
def test_an_import_makes_no_more_categories_than_a_project_may_have(
    full: Project, store: Store, fresh_store: Store
) -> None:
    other = a_project(fresh_store)
    fill_with_categories(other, CATEGORIES_PER_PROJECT - 1)

    done = taken(fresh_store, other, exported(full, store)).done

    assert any("2,000 categories" in str(refused) for refused in done.refused)
    assert fresh_store.categories.count(other.id) == CATEGORIES_PER_PROJECT


@pytest.mark.contract("decided-intents.category-cap")
def test_documents_from_files_make_no_more_categories_than_a_project_may_have(store: Store) -> None:
    project = a_project(store)
    fill_with_categories(project, CATEGORIES_PER_PROJECT - 1)
    documents = [{"title": "Rye", "slug": f"rye-{n}", "category": f"Kind {n}"} for n in range(2)]

    [created, refused] = import_documents(project.context(), fields={"documents": documents}).body

    assert created["outcome"] == "created"
    assert [(problem["field"], "2,000" in problem["message"]) for problem in refused["problems"]] == [
        ("category", True)
    ]


def test_a_slug_that_is_taken_during_the_import_refuses_its_line_alone(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")
    ctx, taken_slugs = other.context(), Documents.find_taken_slugs

    def taken_in_between(documents: Documents, *arguments: Any) -> set[str]:
        before: set[str] = taken_slugs(documents, *arguments)
        if "flour" not in before:
            monkeypatch.setattr(Documents, "find_taken_slugs", taken_slugs)
            a_document(ctx, title="Flour")
        return before

    monkeypatch.setattr(Documents, "find_taken_slugs", taken_in_between)

    done = taken(fresh_store, other, lines).done

    assert [(refused.what, refused.why) for refused in done.refused] == [
        ("document flour", "Another document has the slug 'flour'.")
    ]
    assert done.created["document"] == len(called(ctx, "list_documents", limit=100, offset=0, sort="title"))


def test_two_imports_of_one_export_at_once_leave_each_document_its_texts_and_versions(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")
    contents = Revisions.contents

    def imported_in_between(revisions: Revisions, *arguments: Any) -> dict[str, dict[int, str | None]]:
        monkeypatch.setattr(Revisions, "contents", contents)
        taken(fresh_store, other, lines)
        return contents(revisions, *arguments)

    monkeypatch.setattr(Revisions, "contents", imported_in_between)

    done = taken(fresh_store, other, lines).done

    assert (done.refused, done.created["document"]) == ([], 0)
    assert exported(other, fresh_store) == lines
    assert html_of_nothing(fresh_store) == []


def test_a_document_that_appears_twice_is_imported_once(full: Project, store: Store, fresh_store: Store) -> None:
    lines = exported(full, store)
    twice = [*lines[:-1], *(line.replace(b'"title":"Rye"', b'"title":"Wheat"') for line in lines[:-1])]
    other = a_project(fresh_store, name="Another")

    done = taken(fresh_store, other, twice).done

    assert done.refused == []
    assert done.differing == ["document rye-bread"]
    assert exported(other, fresh_store) == lines


def test_cached_delivery_responses_are_stale_as_soon_as_lines_are_imported(
    full: Project, store: Store, fresh_store: Store
) -> None:
    other = a_project(fresh_store, name="Another")
    before = fresh_store.projects.delivery_revision(other.id)

    interrupted = ProjectImport(Context(fresh_store, system(other.id, other.team_id), Channel.CLI))
    next(interrupted.take(exported(full, store)))

    assert interrupted.done.created["document"] == 5
    assert fresh_store.projects.delivery_revision(other.id) > before


@pytest.mark.slow
def test_an_export_holds_longer_than_mongodb_remembers(tmp_path: Path) -> None:
    """With the defaults that is five minutes; here it is one second."""
    with running_mongod(tmp_path) as uri:
        reading = connect(uri, "long_export")
        create_indexes(reading.database)
        reading.database.client.admin.command({"setParameter": 1, "minSnapshotHistoryWindowInSeconds": 1})
        project = a_project(reading)
        documents = [{"title": f"Document {n}", "slug": f"document-{n}", "markdown": "Text."} for n in range(150)]
        import_documents(project.context(), fields={"documents": documents})
        before = exported(project, reading)

        lines = export_project(reading, project.id)
        read = [next(lines) for _ in range(3)]
        deadline = time.monotonic() + 4
        for number in itertools.count():  # only writes make MongoDB forget
            a_document(project.context(), title=f"Later {number}")
            if time.monotonic() > deadline:
                break
        read += lines

        reading.database.client.close()
        assert read == before


def test_nothing_that_can_be_put_on_a_page_comes_in_as_html(full: Project, store: Store, fresh_store: Store) -> None:
    lines = [line.replace(b"# Rye\\n\\nDark.", b"<script>alert(1)</script>Dark.") for line in exported(full, store)]
    other = a_project(fresh_store, name="Another")

    taken(fresh_store, other, lines)

    records = [*fresh_store.database.publications.find({})]
    html = fresh_store.bodies.get_texts(other.id, [str(record["htmlId"]) for record in records])
    assert any("Dark" in text for text in html.values())
    assert "script" not in "".join(html.values())


@pytest.mark.contract("decided-commands.export-without")
def test_an_export_names_no_project_team_token_or_secret(full: Project, store: Store) -> None:
    whole = b"".join(exported(full, store))

    for secret in (full.id, full.team_id, "projectId", "teamId", "hash", "outbox", "cwm_"):
        assert secret.encode() not in whole


@pytest.mark.contract("decided-commands.purge")
def test_purging_deletes_what_was_trashed_before_and_nothing_else(full: Project, store: Store) -> None:
    store.database.documents.update_many({}, {"$set": {"outbox": []}})
    kept = len(called(full.context(), "list_documents", limit=100, offset=0, sort="title"))

    assert purge_trash(store, this_instant() - timedelta(days=1), full.id) == 0
    assert purge_trash(store, this_instant() + timedelta(seconds=1), full.id) == 1

    assert called(full.context(), "list_documents", limit=100, offset=0, sort="title", deleted=True) == []
    assert len(called(full.context(), "list_documents", limit=100, offset=0, sort="title")) == kept
    assert purge_trash(store, this_instant() + timedelta(seconds=1), full.id) == 0
