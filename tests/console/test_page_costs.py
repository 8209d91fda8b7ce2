"""What pages cost: database commands that don't grow with the documents, and bytes."""

import gzip
import re
from typing import Any

import pytest
from bson import ObjectId
from flask import Flask

from tests.console.visitor import Visitor
from tests.listener import Commands
from tests.make import OPERATIONS, Project, a_document, made
from tests.valid_calls import PICTURE

pytestmark = pytest.mark.needs_mongod

TEXT = "Flour and water.\n"
GZIP = {"Accept-Encoding": "gzip"}
MANY = 1_000
MOST_BYTES = 250_000
DOCUMENT = (
    "",
    "/checks",
    "/sources",
    "/edit",
    "/meanwhile?baseVersion=1",
    "/fields",
    "/brief",
    "/revisions",
    "/activity",
    "/links",
    "/written",
    "/approve",
)
ADMINISTRATION = ("", "/members", "/members/{member}", "/tokens", "/tokens/{token}", "/webhooks", "/webhooks/{hook}")
PATHS = (
    *(
        "/sign-in",
        "/join",
        "/review",
        "/board",
        "/board?q=flour",
        "/board?briefState=claimed",
        "/calendar",
        "/calendar?view=week",
    ),
    *(
        "/board?show.idea=100&show.planned=100&show.drafting=100&show.review=100",
        "/insight",
        "/insight?days=90",
        "/insight/disclosures",
        "/insight/dates",
    ),
    *("/table", "/table?q=flour", "/table?column=slug&column=key&column=author&column=cluster&column=publishedAt"),
    *("/pictures", "/pictures?show=unused", "/pictures/{image}"),
    *("/inbox", "/inbox/count", "/inbox/settings", "/inbox/test"),
    *("/plan", "/plan/many", "/plan/categories", "/plan/categories/{category}", "/plan/clusters"),
    *("/plan/clusters/{cluster}", *(f"/administration{page}" for page in ADMINISTRATION)),
    *(f"/documents/{{document}}{page}" for page in DOCUMENT),
)
NO_PAGES = {
    "asset",
    "home",
    "changes",
    "find_documents",
    "find_pictures",
    "member_names",
    "unknown",
    "sign_in_with_oidc",
    "back_from_oidc",
    "show_connect",
    "download_disclosures",
    "show_record",
}
"""Endpoints that answer a browser with something else than a page, or that another service leads to."""


@pytest.fixture
def ids(project: Project) -> dict[str, str]:
    """One record of each kind, by what its id stands for in the addresses."""
    ctx = project.context()
    fields = {
        "categoryId": made(ctx, "category", name="Bread", slug="bread")["id"],
        "clusterId": made(ctx, "cluster", name="Rye")["id"],
        "assigneeId": OPERATIONS["create_member"](ctx, fields={"name": "Jun"}).body["id"],
        "dueDate": ctx.now.date().isoformat(),
    }
    first = a_document(ctx, title="Rye", markdown=TEXT, brief={"keyword": "rye"}, **fields)
    brief = {"internalLinks": [first["id"]], "wordCount": "1200-1500"}
    linked = a_document(ctx, title="Flour, water and patience", markdown=TEXT, brief=brief, **fields)
    remark = {"text": "Which?", "quote": {"exact": "Flour", "prefix": "", "suffix": ""}, "suggestion": "Rye"}
    OPERATIONS["open_thread"](ctx, linked["id"], fields=remark)
    OPERATIONS["mark_brief_ready"](ctx, linked["id"])
    OPERATIONS["claim_brief"](project.context(project.token("Night writer", agent="w")), linked["id"], fields={})
    hook = OPERATIONS["create_webhook"](ctx, fields={"url": "https://hooks.example.org/x"}).body["id"]
    image = OPERATIONS["upload_image"](ctx, fields={"data": PICTURE, "name": "Loaf"}).body["id"]
    named = {
        "image": image,
        "category": fields["categoryId"],
        "cluster": fields["clusterId"],
        "member": fields["assigneeId"],
    }
    return {**named, "document": linked["id"], "token": project.token().id, "hook": hook}


def add_many(project: Project, like: str) -> None:
    """Adds documents like one, in all statuses, and all of them due on the same day."""
    documents = project.store.database.documents
    row: Any = documents.find_one({"_id": ObjectId(like)})
    now = row["createdAt"]
    statuses = ("idea", "planned", "drafting", "review", "approved", "scheduled", "published")
    documents.insert_many(
        {
            **row,
            "_id": ObjectId(),
            "slug": f"flour-{number}",
            "slugs": [f"flour-{number}"],
            "slugKeys": [f"flour-{number}"],
            "status": (status := statuses[number % 7]),
            "publishAt": now if status == "scheduled" else None,
            "publishedAt": now if status == "published" else None,
            "outbox": [],
        }
        for number in range(MANY)
    )


def test_pages_of_a_thousand_documents_make_few_database_commands_and_are_small(
    watched: tuple[Flask, Commands], project: Project, ids: dict[str, str]
) -> None:
    app, commands = watched
    editor = Visitor(app)
    editor.sign_in(project.token(memberId=ObjectId(ids["member"])))
    paths = [f"/console{path}".format(**ids) for path in PATHS]
    sizes: dict[str, int] = {}

    def counted(path: str) -> int:
        commands.sent.clear()
        page = editor.get(path, headers=GZIP)
        assert page.status_code == 200, path
        html = gzip.decompress(page.data).decode()
        loaded = re.findall(r'(?:src|href|data-editor)="(/console/assets/[^"]+)"', html)
        sizes[path] = len(page.data) + sum(weight(file) for file in dict.fromkeys(loaded))
        return len(commands.sent)

    weights: dict[str, int] = {}

    def weight(file: str) -> int:
        if file not in weights:
            weights[file] = len(editor.get(file, headers=GZIP, buffered=True).data)
        return weights[file]

    few = {path: counted(path) for path in paths}
    add_many(project, ids["document"])
    many = {path: counted(path) for path in paths}

    assert max(many.values()) <= 15, many
    # A list that is long is read another way than a short one, with one command more.
    assert {path: (few[path], many[path]) for path in paths if many[path] > few[path] + 1} == {}
    assert {path: size for path, size in sizes.items() if size > MOST_BYTES} == {}


def test_a_text_with_as_many_threads_as_there_may_be_is_a_small_page_for_members_and_visitors(
    watched: tuple[Flask, Commands], project: Project
) -> None:
    app, commands = watched
    ctx = project.context()
    text = "\n\n".join(f"Paragraph {number}: flour, water and patience." for number in range(200))
    document = a_document(ctx, markdown=text, status="drafting")
    for number in range(200):
        remark = {"text": "Which? " * 20, "quote": {"exact": f"Paragraph {number}:"}, "suggestion": f"Part {number}:"}
        OPERATIONS["open_thread"](ctx, document["id"], fields={**remark, "level": "must"})
    OPERATIONS["update_document"](ctx, document["id"], fields={"status": "drafting"})
    editor, visitor = Visitor(app), Visitor(app)
    editor.sign_in(project.token())
    link = OPERATIONS["create_review_link"](ctx, document["id"], fields={"name": "Lee"}).body["link"]
    visitor.client.post("/console/review", data={"link": link})

    for somebody, path in ((editor, f"/console/documents/{document['id']}"), (visitor, "/console/review")):
        commands.sent.clear()
        page = somebody.get(path, headers=GZIP)
        assert page.status_code == 200
        assert len(commands.sent) <= 15, commands.sent
        html = gzip.decompress(page.data).decode()
        assert html.count('<article class="thread"') == 201  # with the template of those that are not sent
        loaded = dict.fromkeys(re.findall(r'(?:src|href|data-editor)="(/console/assets/[^"]+)"', html))
        files = sum(len(somebody.get(file, headers=GZIP, buffered=True).data) for file in loaded)
        assert len(page.data) + files <= MOST_BYTES


LISTS = ("/board", "/table", "/calendar", "/insight")


def test_threads_make_no_more_database_commands_in_lists(
    watched: tuple[Flask, Commands], project: Project, ids: dict[str, str]
) -> None:
    app, commands = watched
    editor = Visitor(app)
    editor.sign_in(project.token())
    database = project.store.database
    thread: Any = database.threads.find_one({"documentId": ObjectId(ids["document"])})
    database.threads.delete_many({})
    add_many(project, ids["document"])

    def counted(path: str) -> int:
        commands.sent.clear()
        assert editor.get(f"/console{path}").status_code == 200, path
        return len(commands.sent)

    counted("/board")
    without = {path: counted(path) for path in LISTS}
    documents = [row["_id"] for row in database.documents.find({}, {"_id": 1})]
    database.threads.insert_many(
        {**thread, "_id": ObjectId(), "documentId": documents[number % MANY]} for number in range(5 * MANY)
    )
    fields = {"unresolvedThreads": 5, "mustThreads": {str(thread["_id"]): "open"}}
    database.documents.update_many({}, {"$set": fields})

    assert {path: counted(path) for path in LISTS} == without


def test_assets_are_served_compressed_and_plain(editor: Visitor) -> None:
    (address,) = re.findall(r'rel="stylesheet" href="([^"]+)"', editor.get("/console/board").text)
    plain, zipped = (editor.get(address, headers=headers, buffered=True) for headers in ({}, GZIP))

    assert gzip.decompress(zipped.data) == plain.data
    assert (plain.content_encoding, zipped.content_encoding) == (None, "gzip")
    for response in (plain, zipped):
        assert (response.mimetype, response.vary.as_set()) == ("text/css", {"accept-encoding"})
        assert "immutable" in response.headers["Cache-Control"]


def test_every_page_is_among_those_whose_costs_are_counted(app: Flask) -> None:
    rules = [
        rule for rule in app.url_map.iter_rules() if rule.endpoint.startswith("console.") and "GET" in rule.methods
    ]
    shown = {re.sub(r"<[^>]+>", "x", rule.rule) for rule in rules if rule.endpoint.rpartition(".")[2] not in NO_PAGES}
    counted = {re.sub(r"\{\w+\}", "x", f"/console{path}".partition("?")[0]) for path in PATHS}
    counted |= {"/console/plan/x", "/console/plan/x/x", "/console/documents/x/x"}

    assert shown - counted == set()
