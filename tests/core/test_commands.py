"""How many commands the hot writes send to MongoDB: each is a round trip."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import Any

import pytest
from bson import ObjectId
from cachetools import TTLCache, cached
from pymongo import MongoClient

from app.core.context import Context
from app.core.errors import BriefClaimed, CategoryInUse, ClusterInUse, IdempotencyMismatch
from app.core.vocabulary import Channel
from app.documents import rendering
from app.features import connect
from app.guards.budgets import Budget
from app.projects.store import Projects
from app.publications.rules import Rendered
from app.transfers.operations import export_lines, import_lines
from tests.listener import Commands
from tests.live import until
from tests.make import OPERATIONS, Project, a_document, a_project, a_ready_brief, an_app, made

pytestmark = pytest.mark.needs_mongod

MARKDOWN = "# Rye\n\n" + "Some *words* on rye bread. " * 400


@pytest.fixture
def commands() -> Commands:
    return Commands()


@pytest.fixture
def ctx(project: Project, mongodb_uri: str, commands: Commands, monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    """A call whose commands are counted; settings that were read are used for a minute, however slow the machine is."""
    for_a_minute = cached(TTLCache(100, 60), key=lambda _, project_id: project_id)
    monkeypatch.setattr(Projects, "recent_settings", for_a_minute(Projects.settings))
    monkeypatch.setattr("app.core.store.store.MongoClient", partial(MongoClient, event_listeners=[commands]))
    store = connect(mongodb_uri, project.store.database.name)
    yield Context(store, project.token(agent="rye").caller, Channel.REST)
    store.database.client.close()


def sent(commands: Commands, ctx: Context, name: str, /, *ids: str, **fields: Any) -> list[str]:
    """Returns the commands of one call of an operation."""
    commands.sent.clear()
    OPERATIONS[name](ctx, *ids, fields=fields)
    return list(commands.sent)


@pytest.mark.contract("decided-guards.budget-no-cost")
def test_a_draft_is_created_in_one_command(ctx: Context, commands: Commands) -> None:
    assert sent(commands, ctx, "create_document_intent", title="Rye", markdown=MARKDOWN) == ["insert"]


def test_a_budget_costs_a_count_and_a_transaction(ctx: Context, commands: Commands) -> None:
    budget = Budget(writesPerHour=5, publishesPerDay=None)
    limited = replace(ctx, caller=replace(ctx.caller, token={"budget": budget}))

    assert sent(commands, limited, "create_document_intent", title="Rye") == [
        *("insert", "findAndModify", "commitTransaction")
    ]


def test_what_a_document_allows_reads_all_counts_of_a_budget_at_once(ctx: Context, commands: Commands) -> None:
    document = made(ctx, "document", title="Rye")["id"]
    limited = replace(ctx, caller=replace(ctx.caller, token={"budget": Budget(writesPerHour=5, publishesPerDay=5)}))
    sent(commands, ctx, "list_document_actions", document)
    without = sent(commands, ctx, "list_document_actions", document)

    assert sent(commands, limited, "list_document_actions", document) == [*without, "find"]


def test_a_draft_is_confirmed_in_five_commands(ctx: Context, commands: Commands) -> None:
    draft = OPERATIONS["create_document_intent"](ctx, fields={"title": "Rye", "markdown": MARKDOWN}).body["id"]

    # The draft is taken, text, record and revision are added.
    assert sent(commands, ctx, "confirm_intent", draft) == [
        *("findAndModify", "insert", "insert", "insert", "commitTransaction")
    ]


def test_content_is_written_in_five_commands(ctx: Context, commands: Commands) -> None:
    document = made(ctx, "document", title="Rye", markdown="# Wheat")["id"]

    assert sent(commands, ctx, "write_content", document, markdown=MARKDOWN, baseVersion=1) == [
        *("find", "insert", "findAndModify", "insert", "commitTransaction")
    ]


def test_an_edit_of_a_section_answers_with_its_text_without_reading_it_again(ctx: Context) -> None:
    document = made(ctx, "document", title="Rye", markdown="# Wheat")["id"]
    edits = [{"hash": sha256(b"# Wheat").hexdigest()[:16], "markdown": "# Rye"}]

    edited = OPERATIONS["edit_content"](ctx, document, fields={"edits": edits})

    assert list(edited.texts.values()) == ["# Rye"]


def test_a_claim_reads_and_writes_once_after_the_project_was_read(ctx: Context, commands: Commands) -> None:
    first, second = a_ready_brief(ctx)["id"], a_ready_brief(ctx)["id"]
    OPERATIONS["claim_brief"](ctx, first, fields={})

    assert sent(commands, ctx, "claim_brief", second) == ["find", "findAndModify"]
    with pytest.raises(BriefClaimed):
        sent(commands, ctx, "claim_brief", second)
    assert commands.sent == ["find"]


def test_a_page_of_ready_briefs_is_one_command(ctx: Context, commands: Commands) -> None:
    a_ready_brief(ctx, categoryId=made(ctx, "category", name="Bread", slug="bread")["id"])
    page = {"state": ["ready"], "limit": 50, "offset": 0}

    # The briefs that are ready, and once in 3 s the names of their categories.
    assert sent(commands, ctx, "list_briefs", **page) == ["find"] * 2
    assert sent(commands, ctx, "list_briefs", **page) == ["find"]


def test_a_submit_reads_and_writes_once_in_a_project_that_demands_no_checks(ctx: Context, commands: Commands) -> None:
    document = made(ctx, "document", title="Rye", markdown=MARKDOWN)
    OPERATIONS["get_document"](ctx, document["id"])
    ctx.store[Projects].recent_settings(ctx.project_id)

    assert sent(commands, ctx, "submit_document", document["id"]) == ["find", "findAndModify"]


def test_the_actions_of_a_document_take_at_most_seven_commands(ctx: Context, commands: Commands) -> None:
    linked = made(ctx, "document", title="Oats")
    brief = {"keyword": "rye", "internalLinks": [linked["id"]]}
    document = made(ctx, "document", title="Rye", markdown=MARKDOWN, brief=brief)
    levels = {"internal_links": "error", "keyword_taken": "error"}
    OPERATIONS["update_project"](ctx, fields={"reviewRequired": True, "fourEyes": True, "checks": levels})

    assert len(sent(commands, ctx, "list_document_actions", document["id"])) <= 7
    limited = replace(ctx, caller=replace(ctx.caller, token={"budget": {"writesPerHour": 9, "publishesPerDay": 9}}))
    assert len(sent(commands, limited, "list_document_actions", document["id"])) <= 6 + 2  # its two counts


def test_a_work_packet_takes_as_many_commands_for_much_as_for_little(ctx: Context, commands: Commands) -> None:
    cluster = made(ctx, "cluster", name="Bread")["id"]
    above, counted = None, []
    for depth, many in enumerate((1, 9)):
        for step in range(many):
            slug = f"c-{depth}-{step}"
            above = made(ctx, "category", name=slug, slug=slug, categoryId=above)["id"]
        links = [made(ctx, "document", title="Oats", clusterId=cluster)["id"] for _ in range(many)]
        brief = {"keyword": "rye", "internalLinks": links}
        fields = {"markdown": MARKDOWN, "brief": brief, "categoryId": above, "clusterId": cluster}
        document = made(ctx, "document", title="Rye", **fields)
        sent(commands, ctx, "get_work_packet", document["id"])
        counted.append(len(sent(commands, ctx, "get_work_packet", document["id"])))

    assert counted[0] == counted[1] <= 12


@pytest.mark.contract("decided-threads.no-cost")
def test_threads_cost_lists_and_pages_of_documents_no_command(ctx: Context, commands: Commands) -> None:
    document = made(ctx, "document", title="Rye", markdown=MARKDOWN)["id"]
    reads = {
        "list_documents": ((), {"limit": 50, "offset": 0, "sort": "-updatedAt"}),
        "list_briefs": ((), {"state": ["ready"], "limit": 50, "offset": 0}),
        "get_document": ((document,), {}),
        "list_document_actions": ((document,), {}),
    }
    for _ in range(2):  # the first time the text is rendered, and remembered
        before = {name: sent(commands, ctx, name, *ids, **fields) for name, (ids, fields) in reads.items()}
    for number in range(5):
        OPERATIONS["open_thread"](ctx, document, fields={"text": f"Which {number}?"})

    assert {name: sent(commands, ctx, name, *ids, **fields) for name, (ids, fields) in reads.items()} == before
    other = made(ctx, "document", title="Oats", markdown=MARKDOWN)["id"]
    without, packets = [[sent(commands, ctx, "get_work_packet", one) for _ in range(2)] for one in (other, document)]
    assert len(packets[1]) == len(without[1]) + 1


def test_the_same_content_makes_no_version_and_other_content_of_as_many_words_does(ctx: Context) -> None:
    document = made(ctx, "document", title="Rye", markdown="one two")["id"]
    write = OPERATIONS["write_content"]

    assert write(ctx, document, fields={"markdown": "one two", "baseVersion": 1}).body["version"] == 1
    assert write(ctx, document, fields={"markdown": "two one", "baseVersion": 1}).body["version"] == 2


def test_a_title_that_another_document_has_gets_a_numbered_slug(ctx: Context) -> None:
    slugs = [made(ctx, "document", title="Rye bread")["slug"] for _ in range(3)]

    assert slugs == ["rye-bread", "rye-bread-2", "rye-bread-3"]


def test_the_answer_of_a_write_has_its_text_without_reading_it_again(ctx: Context, commands: Commands) -> None:
    rest = an_app(ctx.store).test_client()
    token = Project(ctx.store, ctx.project_id, ctx.caller.team_id).token()

    def sent_by(method: str, path: str, **body: Any) -> tuple[Any, list[str]]:
        commands.sent.clear()
        response = rest.open(path, method=method, json=body, headers={"Authorization": f"Bearer {token.secret}"})
        return response.json, list(commands.sent)

    draft, _ = sent_by("POST", "/document-intents", title="Rye", markdown=MARKDOWN)
    confirmed, confirming = sent_by("POST", f"/document-intents/{draft['id']}/confirm")
    document = confirmed["document"]
    written, writing = sent_by("PUT", f"/documents/{document['id']}/content", markdown="# Wheat", baseVersion=1)

    assert (document["content"], written["content"]) == (MARKDOWN, "# Wheat")
    assert confirming[-1] == writing[-1] == "commitTransaction"


def test_the_first_call_of_a_token_reads_it_with_its_project_and_its_use_is_noted_meanwhile(
    ctx: Context, commands: Commands
) -> None:
    rest, tokens = an_app(ctx.store).test_client(), ctx.store.database.tokens
    token = Project(ctx.store, ctx.project_id, ctx.caller.team_id).token(lastUsedAt=ctx.now - timedelta(minutes=2))
    of_token = {"_id": ObjectId(token.id), "lastUsedAt": {"$gte": ctx.now}}
    commands.sent.clear()

    assert rest.get("/document-intents", headers={"Authorization": f"Bearer {token.secret}"}).status_code == 200

    assert [name for name in commands.sent if name != "update"] == ["aggregate", "find"]
    until(lambda: tokens.find_one(of_token))


def test_a_publication_over_rest_reads_nothing_twice(ctx: Context, commands: Commands) -> None:
    rest = an_app(ctx.store).test_client()
    token = Project(ctx.store, ctx.project_id, ctx.caller.team_id).token()
    document = made(ctx, "document", title="Rye", markdown=MARKDOWN)["id"]
    OPERATIONS["get_provenance"](ctx, document, fields={})  # as the worker has computed it by then
    ctx.store[Projects].recent_settings(ctx.project_id)

    def publishing() -> list[str]:
        rest.get("/project", headers={"Authorization": f"Bearer {token.secret}"})  # the token is looked up here
        commands.sent.clear()
        headers = {"Authorization": f"Bearer {token.secret}"}
        published = rest.post(f"/documents/{document}/publish", json={}, headers=headers).json
        assert published["publishedMarkdown"] == published["content"] == MARKDOWN
        return list(commands.sent)

    # The document, the text, and who wrote it with its review; the project's demands are those of up to 3 s ago.
    reads = ["find"] * 3
    # The record, the html, what is delivered; then also the html that was delivered before. Last the revision of that.
    first = ["findAndModify", "insert", "findAndModify", "commitTransaction", "update"]
    again = ["findAndModify", "insert", "findAndModify", "delete", "commitTransaction", "update"]
    assert publishing() == [*reads, *first]
    assert publishing() == [*reads, *again]


def test_a_publication_that_is_replayed_is_neither_decided_nor_rendered_again(
    ctx: Context, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[str] = []
    to_rendered = rendering.rendered

    def render(markdown: str, *more: Any) -> Rendered | None:
        texts.append(markdown)
        return to_rendered(markdown, *more)

    monkeypatch.setattr(rendering, "rendered", render)
    document, publish = made(ctx, "document", title="Rye", markdown=MARKDOWN)["id"], OPERATIONS["publish_document"]

    first = publish(ctx, document, fields={}, key="once")
    commands.sent.clear()
    again = publish(ctx, document, fields={}, key="once")

    assert (again.body, again.replayed, texts) == (first.body, True, [MARKDOWN])
    assert commands.sent == ["find", "find"]  # the response, and whether its publication was counted
    with pytest.raises(IdempotencyMismatch):
        publish(ctx, document, fields={"baseVersion": 1}, key="once")
    assert texts == [MARKDOWN]


@pytest.mark.parametrize(("kind", "unique"), [("category", {"slug": "bread"}), ("cluster", {})])
def test_renaming_and_deleting_what_documents_are_filed_under_costs_the_same_however_many_they_are(
    ctx: Context, commands: Commands, kind: str, unique: dict[str, str]
) -> None:
    record = made(ctx, kind, name="Bread", **unique)["id"]
    rename = sent(commands, ctx, f"update_{kind}", record, name="Loaves")
    documents = ctx.store.database.documents
    row = documents.find_one({"_id": ObjectId(a_ready_brief(ctx, **{f"{kind}Id": record})["id"])})
    many = [{**row, "_id": ObjectId(), "slugs": [str(n)], "slugKeys": [str(n)], "outbox": []} for n in range(500)]
    documents.insert_many(many)

    assert sent(commands, ctx, f"update_{kind}", record, name="Rolls") == rename
    assert documents.find_one({"_id": many[0]["_id"]}) == many[0]
    with pytest.raises((CategoryInUse, ClusterInUse)):
        sent(commands, ctx, f"delete_{kind}", record)
    documents.update_many({f"{kind}Id": ObjectId(record)}, {"$set": {"deletedAt": ctx.now, "listed": ["trash"]}})
    assert len(sent(commands, ctx, f"delete_{kind}", record)) <= 10


def test_the_transactions_of_an_import_take_few_commands_so_that_they_end_in_time_where_mongodb_is_far(
    ctx: Context, commands: Commands, project: Project
) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")["id"]
    for number in range(60):
        a_document(project.context(), title=f"Loaf {number}", categoryId=category)
    lines = list(export_lines(project.store, project.id))
    importing = replace(a_project(project.store).context(), store=ctx.store)
    commands.sent.clear()

    import_lines(importing, lines)

    transactions = " ".join(commands.sent).split("commitTransaction")
    assert max(len(transaction.split()) for transaction in transactions) < 20
