"""Documents are found by the words of their present text (decisions, section 23)."""

import threading
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from bson import ObjectId

from app.core.context import this_instant
from app.core.store.outbox import Outboxes
from app.core.store.store import Store
from app.core.worker import ProjectByProject, Worker, jobs
from app.documents.purging import purge_trash
from app.features import settings_of
from app.search import rules
from app.search.jobs import index_texts
from app.search.store import SearchedTexts
from app.transfers.operations import export_lines, import_lines
from tests.live import slowdown, until
from tests.make import Project, a_document, a_project, an_app
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def indexed(project: Project) -> None:
    """Does the worker's part: relays events, and computes words."""
    Outboxes(project.store).publish_all(project.id)
    while index_texts(project.store, ProjectByProject("index texts")):
        pass


def titles(rest: Rest, query: str) -> list[str]:
    response = rest.get(f"/documents?{query}")
    assert response.status_code == 200, response.json
    return [one["title"] for one in response.json]


@pytest.mark.contract("decided-search.words")
@pytest.mark.parametrize(
    ("markdown", "query", "is_found"),
    [
        ("Rye is **dark** bread.", "dark", True),
        ("Rye is dark bread.", "DARK rye", True),
        ("Rye is dark bread.", "dark wheat", False),
        ("Rye is dark bread.", "dar", False),
        ("Rye is dark bread.", "!!!", True),
        ("Crème brûlée à Łódź, smørrebrød", "creme lodz smorrebrod", True),
        ("Straße nach Đà Nẵng", "strasse da nang", True),
        ("用权利说话。", "权利", True),
        ("用权利说话。", "权力", False),
        ("パンを焼く", "パン", True),
        ("ขนมปังข้าวไรย์", "ขนมปัง", True),
        ("रोटी और चावल", "चावल", True),
        ("الخبز الأسمر", "الخبز", True),
        ("안녕 세계", "세계", True),
        ("`code` and\n\n```\ninside fences\n```", "fences code", True),
        ("[a link](https://example.org/secret-address)", "secret", False),
        ("<b title='hidden'>shown</b>", "shown", True),
        ("<b title='hidden'>shown</b>", "hidden", False),
        ("don't", "don't", True),
        ("l'été", "ete", True),
        ("\ufeff# Rye", "rye", True),
        ("", "rye", False),
    ],
)
def test_a_document_is_found_by_the_words_of_its_text(
    rest: Rest, project: Project, markdown: str, query: str, is_found: bool
) -> None:
    a_document(project.context(), title="One", markdown=markdown)
    indexed(project)
    found = rest.client.get(
        "/documents", query_string={"text": query}, headers={"Authorization": f"Bearer {rest.token.secret}"}
    )
    assert [one["title"] for one in found.json] == (["One"] if is_found else [])


@pytest.mark.contract("decided-search.filters")
def test_text_goes_with_every_filter_sort_and_page(rest: Rest, project: Project) -> None:
    ctx = project.context()
    for number in range(5):
        a_document(ctx, title=f"Loaf {number}", markdown=f"Rye and {number}", dueDate=f"2030-01-0{5 - number}")
    a_document(ctx, title="Cake", markdown="Sugar, no rye at all")
    a_document(ctx, title="Loaf of sugar", markdown="Sugar alone")
    indexed(project)
    assert titles(rest, "text=rye") == ["Cake", *(f"Loaf {number}" for number in (4, 3, 2, 1, 0))]
    assert titles(rest, "text=rye&q=loaf&sort=dueDate&limit=2&offset=1") == ["Loaf 3", "Loaf 2"]
    assert titles(rest, "text=rye&sort=-dueDate") == ["Loaf 0", "Loaf 1", "Loaf 2", "Loaf 3", "Loaf 4", "Cake"]
    assert titles(rest, "text=rye&sort=title&isPublished=false&slug=cake") == ["Cake"]
    assert titles(rest, "text=rye&dueBefore=2030-01-02") == ["Loaf 4", "Loaf 3"]
    assert titles(rest, "text=nothing&count=true") == []
    assert rest.get("/documents?text=rye&limit=2&count=true").headers["Total-Count"] == "6"


def test_common_words_are_found_in_order_and_on_deep_pages(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("app.documents.lists.FEW", "app.search.store.FEW"):
        monkeypatch.setattr(module, 3)
    monkeypatch.setattr("app.core.store.collection.DEEP_OFFSET", 2)
    ctx = project.context()
    for number in range(8):
        a_document(ctx, title=f"Loaf {number}", markdown="Rye and water" if number % 2 else "Rye")
    indexed(project)
    assert titles(rest, "text=rye&sort=title") == [f"Loaf {number}" for number in range(8)]
    assert titles(rest, "text=rye+water&sort=-title&offset=2&limit=5") == ["Loaf 3", "Loaf 1"]
    assert rest.get("/documents?text=rye&count=true&limit=1").headers["Total-Count"] == "8"


def test_the_present_text_is_searched_whichever_way_it_came(rest: Rest, project: Project) -> None:
    document = a_document(project.context(), title="One", markdown="Rye")
    path = f"/documents/{document['id']}"
    rest.put(f"{path}/content", {"markdown": "Wheat", "baseVersion": 1})
    indexed(project)
    assert (titles(rest, "text=rye"), titles(rest, "text=wheat")) == ([], ["One"])
    rest.post(f"{path}/revisions/1/restore", {"baseVersion": 2})
    indexed(project)
    assert (titles(rest, "text=rye"), titles(rest, "text=wheat")) == (["One"], [])
    rest.put(f"{path}/content", {"markdown": "", "baseVersion": 3})
    indexed(project)
    assert titles(rest, "text=rye") == []


def test_the_trash_is_searched_alone_and_purged_text_is_gone(rest: Rest, project: Project) -> None:
    document = a_document(project.context(), title="One", markdown="Rye")
    rest.delete(f"/documents/{document['id']}")
    indexed(project)
    assert (titles(rest, "text=rye"), titles(rest, "text=rye&deleted=true")) == ([], ["One"])
    purge_trash(project.store, this_instant() + timedelta(seconds=1), project.id)
    where = {"_id": ObjectId(document["id"])}
    assert project.store.database.searchedTexts.count_documents(where) == 0


def test_another_project_finds_nothing(rest: Rest, project: Project) -> None:
    other = a_project(project.store)
    a_document(other.context(), title="Theirs", markdown="Rye")
    indexed(other)
    assert titles(rest, "text=rye") == []


def test_texts_of_before_this_search_are_found(fresh_store: Any) -> None:
    project = a_project(fresh_store)
    a_document(project.context(), title="One", markdown="Rye")
    Outboxes(project.store).publish_all(project.id)
    fresh_store.database.searchedTexts.delete_many({})  # as a release without it left the database
    indexed(project)
    assert fresh_store[SearchedTexts].find_with(project.id, ["rye"])


def test_an_import_is_found(project: Project) -> None:
    a_document(project.context(), title="One", markdown="Rye")
    lines = [*export_lines(project.store, project.id)]
    other = a_project(project.store)
    import_lines(other.context(), lines)
    indexed(other)
    assert len(project.store[SearchedTexts].find_with(other.id, ["rye"])) == 1


def test_a_text_that_is_written_while_its_words_are_computed_is_computed_again(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document(project.context(), title="One", markdown="Rye")
    began, may_go_on = threading.Event(), threading.Event()

    def slow(markdown: str) -> list[str]:
        began.set()
        assert may_go_on.wait(60)
        return rules.words_of(markdown)

    with monkeypatch.context() as patch:
        patch.setattr("app.search.jobs.words_of", slow)
        thread = threading.Thread(target=partial(indexed, project))
        thread.start()
        assert began.wait(60)
        rest.put(f"/documents/{document['id']}/content", {"markdown": "Wheat", "baseVersion": 1})
        Outboxes(project.store).publish_all(project.id)
        may_go_on.set()
        thread.join()
    indexed(project)
    assert (titles(rest, "text=rye"), titles(rest, "text=wheat")) == ([], ["One"])


@pytest.mark.contract("decided-search.soon")
def test_a_write_is_found_within_five_seconds(fresh_store: Store) -> None:
    project = a_project(fresh_store)
    rest = Rest(an_app(fresh_store).test_client(), project.token())
    settings = settings_of(fresh_store.features)(mongodb_uri="mongodb://given")
    worker = Worker(jobs(fresh_store, settings)).start()
    try:
        a_document(project.context(), title="One", markdown="Rye " + "and more " * 2_000)
        assert until(lambda: titles(rest, "text=rye") == ["One"]) / slowdown() < 5
    finally:
        worker.stop()


def test_a_query_is_bounded(rest: Rest, project: Project) -> None:
    assert rest.get("/documents?text=" + "a" * 201).status_code == 400
    assert rest.get("/documents?text=" + "+".join("ab" for _ in range(60))).status_code == 200


@pytest.mark.parametrize(
    ("markdown", "query", "sentence"),
    [
        ("# Loaf\n\nFirst one. Rye is **dark** bread. Last one.", "dark", "Rye is [dark] bread."),
        ("Eat rye, and RYE again", "rye", "Eat [rye], and [RYE] again"),
        ("Rye.\n\nCrème brûlée", "brulee", "Crème [brûlée]"),
        ("用权利说话。再见。", "权利", "用[权][利]说话。"),
        ("Smørrebrød er godt", "smorrebrod", "[Smørrebrød] er godt"),
        ("<script>alert('rye')</script> of rye & <i>wheat</i>", "wheat", "of rye & [wheat]"),
        ("a rye " + "word " * 60, "rye", "a [rye] " + "word " * 15 + "word…"),
        ("Feed it.[^1]\n\n[^1]: Hedwig's *book*.", "hedwig", "[Hedwig]'s book."),
        ("Feed it.[^1] Wait.", "feed", "[Feed] it."),
        ("| a | rye |\n| - | - |", "rye", "a | [rye]"),
        ("Nothing here", "rye", ""),
    ],
)
def test_words_are_shown_in_their_sentence(markdown: str, query: str, sentence: str) -> None:
    parts = rules.sentence_with(markdown, query)
    assert "".join(f"[{one.text}]" if one.is_found else one.text for one in parts) == sentence
