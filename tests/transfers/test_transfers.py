"""A whole project out and in again (decisions, section 10)."""

import itertools
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from bson import ObjectId

from app.categories.rules import CATEGORIES_PER_PROJECT
from app.cli.mongod import running_mongod
from app.core.context import Context, system, this_instant
from app.core.errors import BadRequest
from app.core.store.bodies import Bodies
from app.core.store.delivery_revisions import DeliveryRevisions
from app.core.store.indexes import create_indexes
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.documents.purging import purge_trash
from app.documents.store import Documents
from app.features import connect
from app.review.errors import ThreadsOpen
from app.transfers import operations as transfers
from app.transfers.errors import ImportStopped
from app.transfers.folders import import_documents
from app.transfers.lines import Checked
from app.transfers.operations import check_import, export_lines, import_lines
from tests.databases import everything
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, fill_with_categories, made

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
    about = {"bio": "Bakes.", "imageUrl": "https://crust.example/ada.jpg"}
    ada = called(ctx, "create_member", name="Ada", slug="ada-l", **about)
    gone = called(ctx, "create_member", name="Grace", email="grace@example.org", role="owner")
    called(ctx, "delete_member", gone["id"])
    bread = made(ctx, "category", name="Bread", slug="bread")
    rye = made(ctx, "category", name="Rye", slug="rye", categoryId=bread["id"], description="Dark")
    topic = made(ctx, "cluster", name="Sourdough", keywords=["levain"])
    first = a_document(ctx, title="Flour", markdown="Flour.", assigneeId=ada["id"], dueDate="2027-01-31")
    called(ctx, "add_source", first["id"], title="Grain", url="https://grain.example", publishedOn="2026-05-01")
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
    return list(export_lines(store, project.id))


def taken(store: Store, project: Project, lines: list[bytes]) -> Checked:
    """Imports lines into a project, unless one is refused."""
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)
    checked = check_import(ctx, lines)
    if not checked.refused:
        import_lines(ctx, lines)
    return checked


def refused(project: Project, lines: list[bytes]) -> list[tuple[str, str]]:
    """Returns what is refused of lines, and why; nothing is imported then."""
    checked = taken(project.store, project, lines)
    assert not checked.refused or len(exported(project, project.store)) == 3
    return [(one.what, one.why) for one in checked.refused]


def with_counted_end(lines: Iterable[Any]) -> list[bytes]:
    """Returns records as the lines of an export, with a last one that says how many there are."""
    texts = [line if isinstance(line, bytes) else orjson.dumps(line) for line in lines]
    return [*texts, orjson.dumps({"type": "end", "lines": len(texts)})]


@pytest.mark.contract("decided-commands.export-import")
def test_a_project_imported_into_an_empty_database_exports_the_same_bytes(
    full: Project, store: Store, fresh_store: Store
) -> None:
    lines = exported(full, store)
    other = a_project(fresh_store, name="Another")

    done = taken(fresh_store, other, lines)

    assert not done.refused
    assert done.created == {"member": 2, "category": 2, "cluster": 1, "document": 5}
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
    before = called(
        full.context(), "list_threads", live["id"], state=["open", "answered", "resolved"], limit=200, offset=0
    )
    after = called(
        other.context(), "list_threads", live["id"], state=["open", "answered", "resolved"], limit=200, offset=0
    )
    assert after == before
    assert len(before) == 2
    with pytest.raises(ThreadsOpen):
        called(other.context(), "publish_document", live["id"])
    for where, owner in ((store, full), (fresh_store, other)):
        record = where[Documents].get(owner.id, live["id"])
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

    done = taken(store, beside, exported(full, store))

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
def test_a_key_comes_along_and_stands_once_also_in_the_trash(full: Project, store: Store, fresh_store: Store) -> None:
    lines = [orjson.loads(line) for line in exported(full, store)]
    documents = [line for line in lines if line["type"] == "document"]
    assert sorted(line["key"] or "" for line in documents) == ["", "", "", "", "crust"]
    next(line for line in documents if line["deletedAt"])["key"] = "crust"

    wrong = refused(a_project(fresh_store), [orjson.dumps(line) for line in lines])

    assert wrong == [("document crumbs", "Another document has the key 'crust'.")]


@pytest.mark.contract("decided-authors.export")
def test_an_export_has_slugs_where_names_make_others_and_an_import_makes_the_same(
    store: Store, project: Project
) -> None:
    ctx = project.context()
    for name in ("Ada", "ada", "Bea", "Gone"):
        called(ctx, "create_member", name=name)
    members = called(ctx, "list_members", limit=9, offset=0)
    called(ctx, "delete_member", members[3]["id"])
    lines, there = exported(project, store), a_project(store)
    rows = [line for line in map(orjson.loads, lines) if line["type"] == "member"]

    assert [(row["name"], row.get("slug")) for row in rows] == [
        *(("Ada", None), ("ada", "ada-2")),
        *(("Bea", None), ("Gone", None)),
    ]
    assert taken(store, there, lines).refused == []
    again = called(there.context(), "list_members", limit=9, offset=0)
    assert {(one["name"], one["slug"]) for one in again} == {("Ada", "ada"), ("ada", "ada-2"), ("Bea", "bea")}


@pytest.mark.contract("decided-authors.export")
def test_two_members_of_an_export_with_one_slug_are_refused(store: Store, project: Project) -> None:
    for name in ("Ada", "Bea"):
        called(project.context(), "create_member", name=name)
    lines = [orjson.loads(line) for line in exported(project, store)]
    same = [orjson.dumps(line | {"slug": "ada"} if line["type"] == "member" else line) for line in lines]

    assert refused(a_project(store), same) == [("member ada", "Another member has the slug 'ada'.")]


@pytest.mark.contract("decided-commands.export-empty")
@pytest.mark.parametrize("content", ["documents", "trash", "categories", "clusters", "members"])
def test_an_export_is_imported_into_a_project_without_content_alone(
    project: Project, store: Store, content: str
) -> None:
    lines, other = exported(project, store), a_project(store)
    ctx = other.context()
    match content:
        case "documents" | "trash":
            document = a_document(ctx, title="Rye")
            if content == "trash":
                called(ctx, "delete_document", document["id"])
        case "categories":
            made(ctx, "category", name="Bread", slug="bread")
        case "clusters":
            made(ctx, "cluster", name="Bread")
        case "members":
            called(ctx, "create_member", name="Ada")
    before = everything(store)

    for run in (check_import, import_lines):
        with pytest.raises(BadRequest, match="The project has") as error:
            run(ctx, lines)
        assert {"trash": "documents"}.get(content, content) in error.value.message.partition(";")[0]
        assert len(error.value.lines) == 1

    assert everything(store) == before


def test_a_project_that_was_emptied_takes_an_export_again(full: Project, store: Store) -> None:
    lines, other = exported(full, store), a_project(store)
    taken(store, other, lines)
    ctx = other.context()
    for document in called(ctx, "list_documents", limit=100, offset=0, sort="title"):
        if document["isPublished"]:
            called(ctx, "unpublish_document", document["id"])
        called(ctx, "delete_document", document["id"])
    store[Outboxes].publish_all(other.id)
    purge_trash(store, this_instant() + timedelta(seconds=1), other.id)
    for name in ("Rye", "Bread"):
        [category] = [one for one in called(ctx, "list_categories", limit=9, offset=0) if one["name"] == name]
        called(ctx, "delete_category", category["id"])
    for kind in ("cluster", "member"):
        for one in called(ctx, f"list_{kind}s", limit=9, offset=0):
            called(ctx, f"delete_{kind}", one["id"])

    assert not taken(store, other, lines).refused

    assert len(called(ctx, "list_documents", limit=100, offset=0, sort="title")) == 4


def test_saved_views_come_in_as_they_would_be_saved(store: Store, project: Project) -> None:
    lines = [orjson.loads(line) for line in exported(project, store)]
    settings = next(line for line in lines if line["type"] == "project")
    settings["views"] = [{"name": "b", "query": ""}, {"name": "A", "query": ""}, {"name": "B ", "query": "q=1"}]
    other = a_project(store)

    done = taken(store, other, [orjson.dumps(line) for line in lines])

    views = called(other.context(), "get_project")["views"]
    assert (done.refused, views) == ([], [{"name": "A", "query": ""}, {"name": "B ", "query": "q=1"}])


@pytest.mark.contract("decided-commands.export-interrupted")
def test_what_an_interrupted_import_left_of_a_document_does_not_stand_in_the_way(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for line in exported(full, store) if orjson.loads(line)["type"] not in ("member", "cluster")]
    lines = [line for line in lines if orjson.loads(line)["type"] != "category"]
    for place, line in enumerate(lines[:-1]):
        lines[place] = orjson.dumps(orjson.loads(line) | {"categoryId": None, "clusterId": None})
    lines = with_counted_end(lines[:-1])
    monkeypatch.setattr(transfers, "BATCH_LINES", 1)
    other = a_project(fresh_store, name="Another")

    def broken_off() -> Iterator[bytes]:
        for line in lines:
            if orjson.loads(line)["type"] == "document":
                raise KeyboardInterrupt
            yield line

    with pytest.raises(KeyboardInterrupt):
        import_lines(other.context(), broken_off())
    assert fresh_store.database.revisions.count_documents({}) > 0

    assert not taken(fresh_store, other, lines).refused

    assert html_of_nothing(fresh_store) == []
    assert [orjson.loads(line)["type"] for line in exported(other, fresh_store)] == [
        orjson.loads(line)["type"] for line in lines
    ]


def html_of_nothing(store: Store) -> list[str]:
    """Returns the texts that are neither a version's nor delivered."""
    named = {row["bodyId"] for row in store.database.revisions.find()}
    named |= {row["htmlId"] for row in store.database.publications.find()}
    named |= {(row.get("trashedPublication") or {}).get("htmlId") for row in store.database.documents.find()}
    return [row["text"] for row in store.database.bodies.find() if str(row["_id"]) not in {str(one) for one in named}]


@pytest.mark.parametrize("size", [1, 3])
def test_batches_of_any_size_import_the_same(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    lines, other = exported(full, store), a_project(fresh_store)
    monkeypatch.setattr(transfers, "BATCH_LINES", size)

    taken(fresh_store, other, lines)

    assert exported(other, fresh_store) == lines
    assert html_of_nothing(fresh_store) == []


@pytest.mark.contract("decided-sources.export")
def test_sources_come_with_their_document_and_what_is_delivered_of_it(
    full: Project, store: Store, fresh_store: Store
) -> None:
    ctx = full.context()
    oats = a_document(ctx, title="Oats", markdown="Oats[^s1] are pale.")
    called(ctx, "add_source", oats["id"], title="Oats", url="https://oats.example", excerpt="Oats are pale.")
    called(ctx, "delete_source", oats["id"], called(ctx, "add_source", oats["id"], title="Rye")["id"])
    first = called(ctx, "list_sources", oats["id"])
    called(ctx, "verify_source", oats["id"], first[0]["id"], verified=True)
    called(ctx, "approve_document", oats["id"], review={"facts": True, "sources": True, "examined": "All."})
    called(ctx, "publish_document", oats["id"])
    called(ctx, "update_source", oats["id"], first[0]["id"], title="Oats now", excerpt="Oats are grey.")
    other = a_project(fresh_store, name="Another")
    taken(fresh_store, other, exported(full, store))
    there = other.context()

    [copy] = called(there, "list_documents", limit=9, offset=0, sort="title", slug=["oats"])
    assert called(there, "list_sources", copy["id"]) == called(ctx, "list_sources", oats["id"])
    assert called(there, "add_source", copy["id"], title="Next")["number"] == 3
    record = called(there, "get_review_record", copy["id"])
    assert record["sourceList"] == called(ctx, "get_review_record", oats["id"])["sourceList"]
    before, after = (
        where.database.publications.find_one({"slug": "oats", "projectId": ObjectId(owner.id)}) or {}
        for where, owner in ((store, full), (fresh_store, other))
    )
    assert after["sources"] == before["sources"]
    assert [one["title"] for one in after["sources"]] == ["Oats"]
    html = fresh_store.database.bodies.find_one({"_id": after["htmlId"]}) or {}
    assert html["text"] == (store.database.bodies.find_one({"_id": before["htmlId"]}) or {})["text"]
    assert 'href="https://oats.example"' in html["text"]


def test_every_bad_line_is_named_with_why_and_nothing_is_imported(
    full: Project, store: Store, fresh_store: Store
) -> None:
    lines = [orjson.loads(line) for line in exported(full, store)]
    place = next(n for n, line in enumerate(lines) if line.get("slug") == "flour" and line["type"] == "document")
    lines[place] |= {"title": " ", "slug": "no slug", "createdAt": "yesterday"}
    sent = with_counted_end([*lines[:-1], b"{", b"[]", b'{"type": "novel"}'])
    other = a_project(fresh_store, name="Another")
    before = everything(fresh_store)

    done = taken(fresh_store, other, sent)

    assert [one.number for one in done.refused] == [place + 1, *(len(lines) + number for number in range(3))]
    assert all(word in done.refused[0].why for word in ("title", "slug", "createdAt"))
    assert everything(fresh_store) == before


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("thread", "suggestion", "x" * 20_001),
        ("thread", "quote", {"exact": "x" * 2_001, "prefix": "", "suffix": ""}),
        ("thread", "comments", [{"text": "x" * 5_001}]),
        ("source", "url", "javascript:alert(1)"),
        ("source", "number", 7),
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

    wrong = refused(a_project(fresh_store), [orjson.dumps(line) for line in lines])

    assert any(field in why for _, why in wrong)


OTHER_ID = "0" * 24


@pytest.mark.parametrize(
    ("extra", "why"),
    [
        ({"version": 2}, "It has a version 2, later than its own."),
        ({"version": 1}, "Another revision has the version '1 of "),
        ({"version": 2, "documentId": OTHER_ID}, "It has no line of its own."),
    ],
    ids=["a later version", "a version twice", "a version of no document"],
)
def test_a_version_too_many_is_refused(project: Project, extra: dict[str, Any], why: str) -> None:
    a_document(project.context(), markdown="One.")
    [*head, body, revision, last, _] = map(orjson.loads, exported(project, project.store))
    lines = with_counted_end([*head, body, revision, {**revision, **extra}, last])

    [(_, reason)] = refused(a_project(project.store), lines)

    assert reason.startswith(why)


@pytest.mark.parametrize(
    ("left_out", "why"),
    [("revision", "It lacks versions (1 of 1)"), ("body", "A text that it or a version names is missing")],
)
def test_a_document_without_its_history_is_refused(project: Project, left_out: str, why: str) -> None:
    a_document(project.context(), markdown="One.")
    lines = [line for line in map(orjson.loads, exported(project, project.store)) if line["type"] != left_out]

    [(_, reason)] = refused(a_project(project.store), with_counted_end(lines[:-1]))

    assert reason.startswith(why)


@pytest.mark.parametrize(
    "kind", ["member", "category", "cluster", "body", "revision", "thread", "source", "document", "project"]
)
def test_a_line_that_stands_twice_is_refused(full: Project, store: Store, fresh_store: Store, kind: str) -> None:
    lines = [orjson.loads(line) for line in exported(full, store)]
    twice = next(line for line in lines if line["type"] == kind)

    wrong = refused(a_project(fresh_store), with_counted_end([*lines[:-1], twice]))

    assert len(wrong) == 1
    assert wrong[0][0].startswith(kind)


@pytest.mark.parametrize(
    ("kind", "field", "why"),
    [
        ("document", "slug", "Another document has the slug 'flour'."),
        ("category", "slug", "Another category has the slug 'bread'."),
        ("cluster", "name", "Another cluster has the name 'sourdough'."),
    ],
)
def test_a_name_that_stands_twice_is_refused(
    full: Project, store: Store, fresh_store: Store, kind: str, field: str, why: str
) -> None:
    made(full.context(), "cluster", name="Flour")
    lines = [orjson.loads(line) for line in exported(full, store)]
    first, *_, last = [line for line in lines if line["type"] == kind and not line.get("deletedAt")]
    last[field] = first[field]

    assert why in [reason for _, reason in refused(a_project(fresh_store), [orjson.dumps(line) for line in lines])]


@pytest.mark.parametrize(("kind", "of"), [("category", "Dark"), ("cluster", "levain")])
def test_a_document_in_a_category_or_cluster_that_is_not_there_is_refused(
    full: Project, store: Store, fresh_store: Store, kind: str, of: str
) -> None:
    lines = [line for line in exported(full, store) if of.encode() not in line or orjson.loads(line)["type"] != kind]

    wrong = refused(a_project(fresh_store), with_counted_end(lines[:-1]))

    assert wrong == [("document rye-bread", f"Its `{kind}Id` is not the id of an earlier {kind}.")]


@pytest.mark.contract("decided-intents.category-cap")
def test_an_import_makes_no_more_categories_than_a_project_may_have(
    project: Project, store: Store, fresh_store: Store
) -> None:
    fill_with_categories(project, CATEGORIES_PER_PROJECT + 1)

    [(_, why)] = refused(a_project(fresh_store), exported(project, store))

    assert why == "A project has at most 2,000 categories."


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


def test_a_slug_that_is_taken_during_the_import_ends_it_with_one_line(
    project: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_document(project.context(), title="Flour", markdown="White.")
    lines, other = exported(project, store), a_project(fresh_store, name="Another")
    monkeypatch.setattr(transfers, "BATCH_LINES", len(lines) - 3)  # all before the version

    def taken_in_between() -> Iterator[bytes]:
        yield from lines[:-3]
        a_document(other.context(), title="Flour")
        yield from lines[-3:]

    with pytest.raises(ImportStopped, match="Others wrote to the project at the same time"):
        import_lines(other.context(), taken_in_between())

    assert len(called(other.context(), "list_documents", limit=100, offset=0, sort="title")) == 1


def test_two_imports_of_one_export_at_once_leave_what_one_wrote(
    full: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, other = exported(full, store), a_project(fresh_store, name="Another")
    monkeypatch.setattr(transfers, "BATCH_LINES", 3)

    def imported_in_between() -> Iterator[bytes]:
        taken(fresh_store, other, lines)
        yield from lines

    with pytest.raises(BadRequest, match="The project has documents, categories, clusters, members"):
        import_lines(other.context(), imported_in_between())

    assert exported(other, fresh_store) == lines
    assert html_of_nothing(fresh_store) == []


def test_a_document_whose_texts_another_import_deleted_is_not_written(
    project: Project, store: Store, fresh_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_document(project.context(), markdown="One.")
    lines, other = exported(project, store), a_project(fresh_store)
    monkeypatch.setattr(transfers, "BATCH_LINES", 1)

    def another_begins() -> Iterator[bytes]:
        for line in lines:
            if orjson.loads(line)["type"] == "document":
                import_lines(other.context(), [])
            yield line

    with pytest.raises(ImportStopped, match="Others wrote to the project at the same time"):
        import_lines(other.context(), another_begins())

    assert fresh_store.database.documents.count_documents({}) == 0


def test_cached_delivery_responses_are_stale_as_soon_as_lines_are_imported(
    full: Project, store: Store, fresh_store: Store
) -> None:
    other = a_project(fresh_store, name="Another")
    before = fresh_store[DeliveryRevisions].read(other.id)

    taken(fresh_store, other, exported(full, store))

    assert fresh_store[DeliveryRevisions].read(other.id) > before


@pytest.mark.slow
def test_an_export_holds_longer_than_mongodb_remembers(tmp_path: Path) -> None:
    """With the defaults that is five minutes; here it is one second."""
    with running_mongod(tmp_path) as uri:
        reading = connect(uri, "long_export")
        create_indexes(reading.database, reading.features.indexes)
        reading.database.client.admin.command({"setParameter": 1, "minSnapshotHistoryWindowInSeconds": 1})
        project = a_project(reading)
        documents = [{"title": f"Document {n}", "slug": f"document-{n}", "markdown": "Text."} for n in range(150)]
        import_documents(project.context(), fields={"documents": documents})
        before = exported(project, reading)

        lines = export_lines(reading, project.id)
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
    html = fresh_store[Bodies].get_texts(other.id, [str(record["htmlId"]) for record in records])
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
