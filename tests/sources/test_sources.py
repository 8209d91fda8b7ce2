"""Sources over HTTP: added, cited, compared, published (decisions, section 22)."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from app.core.context import Context, this_instant
from app.core.store.collection import new_id
from app.core.store.store import CODEC, Store
from app.core.vocabulary import Channel, Scope, TokenKind
from app.documents.purging import purge_trash
from app.features import ALL
from app.sources import checks as source_checks
from tests.console.visitor import Visitor
from tests.documents.steps import (
    a_document,
    a_document_in,
    claimed,
    events_of,
    in_hours,
    ok,
    path_of,
    refused,
    types_of,
)
from tests.graphql_app.client import GraphQL
from tests.listener import Commands
from tests.make import OPERATIONS, a_ready_brief, made
from tests.mcp_tools.client import Agent

pytestmark = pytest.mark.needs_mongod

SOURCE = {
    "title": "Wild *yeast*",
    "url": "https://example.org/wild-yeast",
    "publisher": "Example Institute",
    "publishedOn": "2026-05-01",
    "excerpt": "A starter needs five days at room temperature, and 1,500 bakers agree.",
}
TEXT = "It takes a week.\n\n“A starter needs five days at room temperature,”[^s1] they say.\n"
AGENT = (Scope.READ, Scope.WRITE, Scope.PUBLISH)


@pytest.fixture
def agent(api, project):
    return api.by(project.token("Night writer", agent="writer-1", scopes=AGENT))


def sources_path(document: dict[str, Any]) -> str:
    return f"{path_of(document)}/sources"


def of(document, source) -> str:
    return f"{sources_path(document)}/{source['id']}"


def added(api, document, **fields: Any) -> dict[str, Any]:
    return ok(api.post(sources_path(document), {**SOURCE, **fields}), 201)


def document_of(api, document) -> dict[str, Any]:
    return ok(api.get(path_of(document)))


def written(api, document, markdown: str) -> dict[str, Any]:
    base = document_of(api, document)["version"]
    return ok(api.put(f"{path_of(document)}/content", {"markdown": markdown, "baseVersion": base}))


def checked(api, document, check: str) -> list[dict[str, Any]]:
    checks = ok(api.get(f"{path_of(document)}/checks"))["checks"]
    return [one for one in checks if one["check"] == check]


def failures(api, document, check: str) -> list[str]:
    return [one["message"] for one in checked(api, document, check) if one["outcome"] == "failed"]


@pytest.mark.contract("decided-sources.records")
def test_a_source_has_a_number_that_is_never_used_again(api) -> None:
    document = a_document(api, markdown=TEXT)
    assert ok(api.get(sources_path(document))) == []

    first = added(api, document)
    second = ok(api.post(sources_path(document), {"title": "Bare", "url": None, "note": None}), 201)

    assert {name: first[name] for name in SOURCE} == SOURCE
    assert (first["number"], first["cited"], first["verifiedAt"], first["verifiedBy"]) == (1, True, None, None)
    assert (second["number"], second["cited"], second["url"], second["publishedOn"]) == (2, False, None, None)
    assert [second[name] for name in ("publisher", "excerpt", "note")] == ["", "", ""]
    assert ok(api.delete(of(document, second)))["number"] == 2
    assert added(api, document)["number"] == 3
    assert [one["number"] for one in ok(api.get(sources_path(document)))] == [1, 3]


@pytest.mark.contract("decided-sources.records")
def test_the_answer_to_a_change_has_the_version_that_the_document_has_since_then(api) -> None:
    document = a_document(api, markdown="Dark.[^s1]")
    changes: list[tuple[str, str, Any]] = [("PATCH", "", {"title": "Cited"}), ("POST", "/verify", None)]

    cited, other = added(api, document), added(api, document)
    versions = [cited["version"], other["version"]]
    versions += [ok(api.call(method, of(document, cited) + path, body))["version"] for method, path, body in changes]
    versions += [ok(api.patch(of(document, other), {"title": "Not cited"}))["version"]]
    versions += [ok(api.delete(of(document, other)))["version"]]

    assert versions == [2, 2, 3, 3, 3, 3]
    assert document_of(api, document)["version"] == 3


@pytest.mark.contract("decided-sources.records")
@pytest.mark.parametrize(
    ("fields", "status", "path"),
    [
        ({}, 400, "title"),
        ({"title": None}, 400, "title"),
        ({"title": " "}, 422, "title"),
        ({"title": "a" * 301}, 400, "title"),
        ({"title": "A", "url": "ftp://x.example"}, 422, "url"),
        ({"title": "A", "url": "https://x.example/" + "a" * 2_000}, 400, "url"),
        ({"title": "A", "publishedOn": "2026-02-30"}, 422, "publishedOn"),
        ({"title": "A", "excerpt": "a" * 20_001}, 400, "excerpt"),
        ({"title": "A", "note": "a" * 1_001}, 400, "note"),
        ({"title": "A", "publisher": "a" * 201}, 400, "publisher"),
        ({"title": "A", "fromBrief": True}, 400, "title"),
    ],
)
def test_what_a_source_may_not_have_is_refused(api, fields, status, path) -> None:
    response = api.post(sources_path(a_document(api)), fields)

    assert response.status_code == status, response.text
    found = response.json.get("issues") or response.json["errors"]
    assert [one.get("path") or one.get("field") for one in found] == [path]


@pytest.mark.contract("decided-sources.records")
def test_null_clears_a_field_and_nothing_changes_what_is_so_already(api, store: Store) -> None:
    document = a_document(api)
    source = added(api, document)

    cleared = ok(api.patch(of(document, source), {"url": None, "excerpt": None, "publishedOn": None}))
    assert (cleared["url"], cleared["excerpt"], cleared["publishedOn"]) == (None, "", None)
    assert api.patch(of(document, source), {"title": None}).status_code == 400
    before = types_of(store, document)
    assert ok(api.patch(of(document, source), {"excerpt": None})) == cleared
    assert types_of(store, document) == before
    assert before.count("source.updated") == 1


@pytest.mark.contract("decided-sources.records")
def test_a_document_has_at_most_100_sources(api, project) -> None:
    document = a_document(api)
    ctx = project.context(channel=Channel.MCP)
    OPERATIONS["add_source"].batch(ctx, document["id"], fields={"sources": [{"title": "A"}] * 99})
    added(api, document)

    error = refused(api.post(sources_path(document), SOURCE), "BadRequest")
    assert [one["field"] for one in error["errors"]] == ["title"]
    assert len(ok(api.get(sources_path(document)))) == 100


@pytest.mark.contract("decided-sources.records")
def test_a_cited_source_stays(api) -> None:
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    refused(api.delete(of(document, source)), "SourceCited")

    ok(api.post(f"{path_of(document)}/publish"))
    written(api, document, "Nothing is cited.")
    refused(api.delete(of(document, source)), "SourceCited")
    ok(api.post(f"{path_of(document)}/publish"))
    ok(api.delete(of(document, source)))


@pytest.mark.contract("decided-sources.records")
@pytest.mark.parametrize("status", ["approved", "scheduled"])
def test_after_approval_what_the_text_cites_does_not_change(api, status) -> None:
    document = a_document(api, markdown=TEXT + "And[^s3].\n")
    cited, other = added(api, document), added(api, document)
    ok(api.post(f"{path_of(document)}/approve"))
    if status == "scheduled":
        ok(api.post(f"{path_of(document)}/schedule", {"publishAt": in_hours()}))

    refused(api.patch(of(document, cited), {"excerpt": "Other."}), "InvalidTransition")
    refused(api.delete(of(document, cited)), "InvalidTransition")
    refused(api.post(sources_path(document), SOURCE), "InvalidTransition")
    ok(api.patch(of(document, other), {"excerpt": "Other."}))
    ok(api.post(of(document, cited) + "/verify"))
    ok(api.delete(of(document, other)))


@pytest.mark.contract("decided-sources.records")
def test_in_review_an_agent_does_not_change_what_the_text_cites(api, agent) -> None:
    document = a_document_in(api, "review", markdown=TEXT)
    source = added(api, document)

    refused(agent.patch(of(document, source), {"excerpt": "Other."}), "InvalidTransition")
    refused(agent.delete(of(document, source)), "InvalidTransition")
    ok(api.patch(of(document, source), {"excerpt": "Other."}))


@pytest.mark.contract("decided-sources.records")
def test_a_claim_guards_the_sources(api, agent, project) -> None:
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    other = api.by(project.token("Day writer", agent="writer-2", scopes=AGENT))
    claimed(api, document, by=agent)

    refused(other.post(sources_path(document), SOURCE), "BriefClaimed")
    refused(other.patch(of(document, source), {"note": "x"}), "BriefClaimed")
    refused(other.delete(of(document, source)), "BriefClaimed")
    ok(agent.patch(of(document, source), {"note": "x"}))
    added(api, document)


@pytest.mark.contract("decided-sources.records")
def test_a_changed_source_is_an_unpublished_change_of_its_maker(api, project) -> None:
    OPERATIONS["update_project"](project.context(), fields={"fourEyes": True})
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    other = api.by(project.token("Editor"))
    ok(other.post(f"{path_of(document)}/publish"))

    ok(other.patch(of(document, source), {"excerpt": "Other words."}))
    assert document_of(api, document)["hasUnpublishedChanges"] is True
    refused(other.post(f"{path_of(document)}/publish"), "FourEyes")
    ok(api.post(f"{path_of(document)}/publish"))


@pytest.mark.contract("decided-sources.verify")
def test_a_person_compares_a_source_and_a_change_ends_that(api, agent, store: Store) -> None:
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    verify = of(document, source) + "/verify"

    assert refused(agent.post(verify), "HumanReviewRequired")["missing"] == ["person"]
    verified = ok(api.post(verify))
    assert verified["verifiedAt"]
    assert verified["verifiedBy"]["name"]
    assert ok(api.post(verify, {"verified": True})) == verified
    assert ok(agent.patch(of(document, source), {"note": "Seen."}))["verifiedAt"] == verified["verifiedAt"]
    for change in ({"excerpt": "Other."}, {"title": "Other"}, {"url": "https://other.example"}):
        ok(api.post(verify))
        assert ok(agent.patch(of(document, source), change))["verifiedAt"] is None
    ok(api.post(verify))
    assert ok(api.post(verify, {"verified": False}))["verifiedBy"] is None

    events = [one["data"] for one in events_of(store, document) if one["type"] == "source.verified"]
    assert [one["verified"] for one in events] == [True, True, True, True, False]
    assert {one["number"] for one in events} == {1}


@pytest.mark.contract("decided-sources.verify")
def test_what_was_compared_is_what_counts(api) -> None:
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    tag = api.post(of(document, source) + "/verify", {"verified": False}).headers["ETag"]
    ok(api.patch(of(document, source), {"excerpt": "Other."}))

    refused(api.post(of(document, source) + "/verify", If_Match=tag), "PreconditionFailed")


@pytest.mark.contract("decided-sources.brief")
def test_the_addresses_of_a_brief_become_sources(api, store: Store) -> None:
    urls = ["https://a.example/x", "https://b.example/y", "https://a.example/x", SOURCE["url"]]
    document = a_document(api, brief={"referenceUrls": urls})
    added(api, document)

    listed = ok(api.post(sources_path(document), {"fromBrief": True}), 200)

    assert [(one["number"], one["title"], one["url"]) for one in listed[1:]] == [
        (2, "a.example", "https://a.example/x"),
        (3, "b.example", "https://b.example/y"),
    ]
    assert ok(api.post(sources_path(document), {"fromBrief": True}), 200) == listed
    assert types_of(store, document).count("source.added") == 3


def test_a_cited_source_is_a_link_to_the_reference_of_the_brief(api) -> None:
    document = a_document(api, markdown="It rises[^s1].\n", brief={"referenceUrls": [SOURCE["url"]]})
    before = checked(api, document, "references")

    added(api, document)

    after = checked(api, document, "references")
    assert [one["outcome"] for one in (*before, *after)] == ["failed", "passed"]


@pytest.mark.contract("decided-sources.packet")
def test_a_packet_has_the_sources_and_says_what_it_cut(api) -> None:
    document = a_document(api, markdown=TEXT)
    assert ok(api.get(f"{path_of(document)}/packet"))["sources"] == []
    added(api, document, excerpt="a" * 2_001)
    added(api, document)

    packet = ok(api.get(f"{path_of(document)}/packet"))
    assert [(one["number"], len(one["excerpt"]), one["cited"], one["verified"]) for one in packet["sources"]] == [
        (1, 2_000, True, False),
        (2, len(SOURCE["excerpt"]), False, False),
    ]
    assert packet["truncated"] == ["sources"]


@pytest.mark.contract("decided-sources.checks")
def test_the_checks_name_what_is_wrong(api) -> None:
    document = a_document(
        api, markdown="“A starter needs six days at room temperature.”[^s1]\n\nAnd 45 % of it[^s7].\n"
    )
    assert [one["outcome"] for one in checked(api, document, "quotes_verbatim")] == ["skipped"]
    added(api, document)
    added(api, document, title="Other")

    assert [one["line"] for one in checked(api, document, "sources_known")] == [3]
    assert "[^s7]" in failures(api, document, "sources_known")[0]
    assert "Source 2" in failures(api, document, "sources_cited")[0]
    assert "six days" in failures(api, document, "quotes_verbatim")[0]
    assert "'45'" in failures(api, document, "numbers_sourced")[0]


@pytest.mark.contract("decided-sources.checks")
def test_links_to_footnotes_of_sources_and_headings_that_cite_lead_somewhere(api) -> None:
    document = a_document(
        api, markdown="[a](#fn-s1) [b](#fnref-s1) [c](#a-day) [d](#fn-s7)\n\n# A day[^s1]\n\nAnd[^s7].\n"
    )
    added(api, document)

    assert failures(api, document, "links") == ["No heading or anchor of the text has the id 'fn-s7'."]
    assert [one["title"] for one in ok(api.get(f"{path_of(document)}/outline"))["sections"]] == ["", "A day"]


@pytest.mark.contract("decided-sources.review")
def test_sources_are_attested_once_they_are_compared(api) -> None:
    document = a_document_in(api, "review", markdown=TEXT)
    source = added(api, document)
    review = {"facts": True, "examined": "All of it.", "sources": True}
    approve = f"{path_of(document)}/approve"

    assert refused(api.post(approve, {"review": review}), "HumanReviewRequired")["missing"] == ["sources"]
    ok(api.patch("/project", {"checks": {"quotes_verbatim": "off"}}))
    ok(api.patch(of(document, source), {"excerpt": "Other words stand here, and no such thing."}))
    verified = ok(api.post(of(document, source) + "/verify"))
    assert refused(api.post(approve, {"review": review}), "HumanReviewRequired")["missing"] == ["sources"]
    ok(api.patch(of(document, source), {"excerpt": SOURCE["excerpt"]}))
    verified = ok(api.post(of(document, source) + "/verify"))
    ok(api.post(approve, {"review": review}))

    record = ok(api.get(f"{path_of(document)}/review-record"))
    [cited] = record["sourceList"]
    assert (cited["number"], cited["title"], cited["url"]) == (1, SOURCE["title"], SOURCE["url"])
    assert (cited["verifiedBy"], cited["verifiedAt"]) == (verified["verifiedBy"], verified["verifiedAt"])
    ok(api.post(f"{path_of(document)}/publish"))
    ok(api.patch(of(document, source), {"excerpt": "Later."}))
    assert ok(api.get(f"{path_of(document)}/review-record?version={record['version']}"))["sourceList"] == [cited]


DELIVERED = "sources { number title url publisher publishedOn }"


@pytest.mark.contract("decided-sources.delivery")
def test_what_is_published_shows_its_sources_as_they_were(api, project, app) -> None:
    text = (
        "One[^s2], two[^s1], again[^s2], none[^s9], `[^s1]`, \\[^s1], [^S1], mine[^s3].\n\n[^s3]: Mine.\n\n```\n[^s1]\n"
    )
    document = a_document(api, markdown=text)
    first = added(api, document)
    added(api, document, title="<b>Plain & [x](y)", url=None, publisher="", publishedOn=None)
    added(api, document, title="Hidden")
    delivery = GraphQL(app.test_client(), project.token("Site", kind=TokenKind.DELIVERY, drafts=True))
    query = f'{{ document(id: "{document["id"]}") {{ html markdown {DELIVERED} preview {{ html {DELIVERED} }} }} }}'
    unpublished = delivery.data(query)["document"]
    assert unpublished["sources"] == []
    assert [one["number"] for one in unpublished["preview"]["sources"]] == [2, 1]

    ok(api.post(f"{path_of(document)}/publish"))
    shown = delivery.data(query)["document"]

    assert shown["markdown"] == text
    assert shown["html"] == shown["preview"]["html"] == unpublished["preview"]["html"]
    assert [one["number"] for one in shown["sources"]] == [2, 1]
    assert shown["sources"][1] == {name: first[name] for name in ("number", "title", "url", "publisher", "publishedOn")}
    assert shown["sources"][0]["url"] is None
    headers = {"Authorization": f"Bearer {delivery.token.secret}", "Accept": "application/json"}
    assert (
        app.test_client().get(f"/delivery/documents/{document['slug']}", headers=headers).json["sources"]
        == (shown["sources"])
    )
    html = shown["html"]
    assert html.count('<li id="fn-s') == 3
    assert html.index('id="fn-s2"') < html.index('id="fn-s1"') < html.index('id="fn-s3"')
    assert "&lt;b&gt;Plain &amp; [x](y)" in html
    assert (
        '<a href="https://example.org/wild-yeast" rel="noopener">Wild *yeast*</a>, Example Institute, 2026-05-01'
        in html
    )
    assert all(one in html for one in ("none[^s9]", "<code>[^s1]</code>", ", [^s1], [^S1]", "Mine."))
    assert "Hidden" not in html
    assert SOURCE["excerpt"] not in html

    ok(api.patch(of(document, first), {"title": "Renamed"}))
    later = delivery.data(query)["document"]
    assert (later["html"], later["sources"]) == (html, shown["sources"])
    assert later["preview"]["sources"][1]["title"] == "Renamed"
    assert "Renamed" in later["preview"]["html"]


@pytest.mark.contract("decided-sources.delivery")
def test_a_reference_is_no_word(api) -> None:
    document = a_document(api, markdown="One two[^s1] three[^s12].")

    assert document["wordCount"] == 3


@pytest.mark.contract("decided-sources.delivery")
def test_trash_and_restore_take_sources_along_and_purge_deletes_them(api, store: Store) -> None:
    document = a_document(api, markdown=TEXT)
    source = added(api, document)
    ok(api.delete(path_of(document)))
    assert api.get(sources_path(document)).status_code == 404
    ok(api.post(f"{path_of(document)}/restore"))
    assert ok(api.get(sources_path(document))) == [{name: one for name, one in source.items() if name != "version"}]

    ok(api.delete(path_of(document)))
    one = ObjectId(document["id"])
    store.database.documents.update_one({"_id": one}, {"$set": {"outbox": []}})
    assert purge_trash(store, this_instant(), document["projectId"]) == 1
    assert store.database.sources.count_documents({"documentId": one}) == 0


@pytest.mark.contract("decided-sources.delivery")
@pytest.mark.parametrize(
    "fields", [{}, {"url": None, "publisher": "", "publishedOn": None}, {"title": "www.x.example [a](b) `c` <i>d</i>"}]
)
def test_the_pages_of_sources_show_them(app, api, project, fields) -> None:
    document = a_document(api, markdown=TEXT + "None[^s7].\n")
    added(api, document, **fields)
    added(api, document)
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ingrid"))

    for page in ("", "/sources", "/approve", "/edit"):
        response = visitor.get(f"/console{path_of(document)}{page}")
        assert response.status_code == 200, response.text[:2_000]
    page = visitor.get(f"/console{sources_path(document)}").text
    assert 'data-is="same">A starter needs five days at room temperature' in page
    assert "Source 7 is cited but not listed" in page
    assert 'id="fn-s1"' in visitor.get(f"/console{path_of(document)}").text
    source = ok(api.get(sources_path(document)))[0]
    done = visitor.post(f"/console{of(document, source)}/verify", rev="1")
    assert done.status_code == 200
    assert ok(api.get(sources_path(document)))[0]["verifiedBy"]["name"] == "Ingrid"


@pytest.mark.contract("decided-sources.records")
def test_a_content_write_costs_no_command_more(mongodb_uri: str, store: Store, project) -> None:
    commands = Commands()
    client: MongoClient[Any] = MongoClient(mongodb_uri, event_listeners=[commands])
    watched = Store(client.get_database(store.database.name, codec_options=CODEC), deadline_seconds=10, features=ALL)
    whole = replace(project.context(), store=watched)
    bare = replace(whole, store=replace(watched, features=ALL.without("sources")))

    def cost(ctx: Context, name: str, *, has_source: bool = False) -> list[str]:
        document = made(ctx, "document", title="Rye", slug=f"rye-{new_id()}", markdown=TEXT)["id"]
        if has_source:
            OPERATIONS["add_source"](ctx, document, fields=SOURCE)
        version = OPERATIONS["get_document"](ctx, document).body["version"]
        fields = {"markdown": f"More. {TEXT}", "baseVersion": version} if name == "write_content" else {}
        commands.sent.clear()
        OPERATIONS[name](ctx, document, **({} if name == "get_work_packet" else {"fields": fields}))
        return [*commands.sent]

    cost(bare, "check_document")  # which reads the settings that the others then remember
    without = ("write_content", "check_document", "get_work_packet", "approve_document", "publish_document")
    for name in without:
        assert cost(whole, name) == cost(bare, name)
    assert cost(whole, "write_content", has_source=True) == cost(bare, "write_content")
    client.close()


CONTRACT = ("core", "projects", "categories", "publications", "documents", "intents", "briefs", "delivery")


def test_the_folders_of_the_contract_know_no_sources() -> None:
    named = re.compile(r"""app[./]sources|nextSource|sourceList|SourceCited|_sources?\b|['"]sources?['"]|\[\^s""")
    files = [file for folder in CONTRACT for file in Path("app", folder).rglob("*") if file.suffix in (".py", ".html")]

    assert len(files) > 100
    assert [(file, found[0]) for file in files if (found := named.search(file.read_text()))] == []


def test_a_piece_with_four_sources_takes_one_call_more_than_one_without(app, project) -> None:
    token = project.token("Night writer", agent="writer-1", scopes=AGENT)
    sources = [{**SOURCE, "title": f"Source {number}"} for number in (1, 2, 3, 4)]
    text = "".join(f"“A starter needs five days at room temperature”[^s{number}].\n\n" for number in (1, 2, 3, 4))

    def calls_of(markdown: str, sources: list[dict[str, Any]]) -> int:
        agent, count = Agent(app.test_client(), token), itertools.count()
        document = a_ready_brief(project.context(), title=f"Rye {len(sources)}")["id"]

        def call(name: str, **fields: Any) -> dict[str, Any]:
            next(count)
            return agent.call(name, documentId=document, **fields)

        packet = call("claim_brief", packet=True)
        if sources:
            assert packet["packet"]["sources"] == []
            assert [one["number"] for one in call("add_source", sources=sources)["sources"]] == [1, 2, 3, 4]
        call("write_content", markdown=markdown, baseVersion=packet["version"])
        about_sources = {str(one.name) for one in source_checks.CHECKS}
        checks = call("check_document")["checks"]
        assert {one["outcome"] for one in checks if one["check"] in about_sources} <= {"passed", "skipped"}
        assert call("submit_document")["status"] == "review"
        return next(count)

    assert calls_of(text, sources) == calls_of("A starter.", []) + 1


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_source_is_offered_to_be_added_where_the_text_can_be_written(app, api, project, is_locked) -> None:
    document = a_document(api, markdown=TEXT)
    added(api, document)
    if is_locked:
        ok(api.post(f"{path_of(document)}/approve"))
    visitor = Visitor(app)
    visitor.sign_in(project.token("Ingrid"))

    page = visitor.get(f"/console{path_of(document)}/edit").text
    assert "Wild *yeast*" in page
    assert ('<dialog id="new-source"' in page, "Type <code>[^</code>" in page) == (not is_locked, not is_locked)
