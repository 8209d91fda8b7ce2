"""The table of the console: what it lists, and what is done with many documents at once."""

import re
from html import unescape

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from app.core.schemas.fields import MAX_LISTED
from app.core.vocabulary import Scope
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, made

TEXT = "Flour, water and *patience*.\n"


def titles(page: str) -> list[str]:
    """Returns the titles of a table's rows, in order."""
    return [unescape(title) for title in re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', page)]


@pytest.fixture
def three(project: Project) -> list[dict[str, str]]:
    """Three documents."""
    ctx = project.context()
    return [
        a_document(ctx, title="Rye bread", status="drafting", markdown=TEXT, dueDate="2020-01-31"),
        a_document(ctx, title="Stollen", status="planned", brief={"keyword": "stollen"}),
        a_document(ctx, title="Apple bread", status="idea", dueDate="2099-01-31"),
    ]


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("", ["Apple bread", "Stollen", "Rye bread"]),
        ("sort=title", ["Apple bread", "Rye bread", "Stollen"]),
        ("sort=-dueDate", ["Apple bread", "Rye bread", "Stollen"]),
        ("q=bread&sort=title", ["Apple bread", "Rye bread"]),
        ("status=planned", ["Stollen"]),
        ("due=overdue", ["Rye bread"]),
        ("deleted=true", []),
        ("page=2", []),
        ("page=-7&page=x", ["Apple bread", "Stollen", "Rye bread"]),
    ],
)
@pytest.mark.usefixtures("three")
def test_filters_order_and_page_are_in_the_address(editor: Visitor, query: str, listed: list[str]) -> None:
    assert titles(editor.get(f"/console/table?{query}").text) == listed


@pytest.mark.parametrize("page", ["table?sort=title", "board?", "calendar?view=month&day=2099-01-15"])
def test_a_filter_by_a_category_brings_its_subcategories(editor: Visitor, project: Project, page: str) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    rye = made(ctx, "category", name="Rye", slug="rye", categoryId=bread)["id"]
    sour = made(ctx, "category", name="Sourdough", slug="sourdough", categoryId=rye)["id"]
    cake = made(ctx, "category", name="Cake", slug="cake")["id"]
    for title, category in (("Loaf", bread), ("Dark loaf", rye), ("Sour loaf", sour), ("Stollen", cake)):
        a_document(ctx, title=title, categoryId=category, dueDate="2099-01-10")

    def found(category: str) -> set[str]:
        shown = editor.get(f"/console/{page}&categoryId={category}").text
        return {title for title in ("Loaf", "Dark loaf", "Sour loaf", "Stollen") if f">{title}</a>" in shown}

    assert found(bread) == {"Loaf", "Dark loaf", "Sour loaf"}
    assert found(rye) == {"Dark loaf", "Sour loaf"}
    assert found(cake) == {"Stollen"}
    filters = unescape(editor.get(f"/console/{page}&categoryId={bread}").text)
    assert f'<option value="{bread}" selected>Bread and all below</option>' in filters
    assert f'<option value="{sour}" >Bread › Rye › Sourdough</option>' in filters


def test_a_category_with_more_below_it_than_a_list_takes_is_a_filter_by_itself(
    editor: Visitor, project: Project
) -> None:
    ctx = project.context()
    bread = made(ctx, "category", name="Bread", slug="bread")["id"]
    for number in range(MAX_LISTED):
        made(ctx, "category", name=f"Bread {number}", slug=f"bread-{number}", categoryId=bread)
    a_document(ctx, title="Loaf", categoryId=bread)

    page = editor.get(f"/console/table?categoryId={bread}").text

    assert titles(page) == ["Loaf"]
    assert f'<option value="{bread}" selected>Bread</option>' in page


@pytest.mark.parametrize("query", ["sort=nothing", "status=nowhere", "deleted=maybe"])
def test_an_address_that_makes_no_sense_is_refused(editor: Visitor, query: str) -> None:
    assert editor.get(f"/console/table?{query}").status_code == 400


@pytest.mark.usefixtures("three")
def test_columns_are_chosen_in_the_address(editor: Visitor) -> None:
    usual = editor.get("/console/table").text
    chosen = editor.get("/console/table?column=slug&column=updatedAt&column=nothing").text

    assert 'data-label="Status"' in usual
    assert 'data-label="Slug"' not in usual
    assert 'data-label="Slug"' in chosen
    assert 'data-label="Status"' not in chosen
    assert "column=slug&amp;column=updatedAt" in chosen


def test_a_page_has_fifty_rows_and_says_of_how_many(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    for number in range(51):
        a_document(ctx, title=f"Idea {number}")

    first, second = editor.get("/console/table").text, editor.get("/console/table?page=2").text
    assert (len(titles(first)), len(titles(second))) == (50, 1)
    assert "1 to 50 of 51" in first
    assert "51 to 51 of 51" in second
    assert len(first) < 100_000


@pytest.mark.parametrize(
    ("query", "said"), [("q=pple", "the last one by its beginning"), ("status=review", "Nothing matches")]
)
@pytest.mark.usefixtures("three")
def test_filters_that_leave_nothing_say_why(editor: Visitor, query: str, said: str) -> None:
    for page in ("table", "board") if query.startswith("q") else ("table",):
        assert said in editor.get(f"/console/{page}?{query}").text


def test_many_are_assigned_and_each_result_is_shown(
    editor: Visitor, project: Project, three: list[dict[str, str]]
) -> None:
    member = OPERATIONS["create_member"](project.context(), fields={"name": "Jun"}).body["id"]
    ids = [document["id"] for document in three]
    page = post_many(editor, "assign", [*ids, "0" * 24, "nonsense"], assigneeId=member).text

    assert "Assign: 3 of 4 done" in page
    assert page.count('data-ok="false"') == 1
    assert {now(project, id)["assigneeId"] for id in ids} == {member}
    post_many(editor, "assign", ids, assigneeId="")
    assert {now(project, id)["assigneeId"] for id in ids} == {None}


@pytest.mark.parametrize(("bulk", "field"), [("category", "categoryId"), ("cluster", "clusterId")])
def test_many_are_filed(editor: Visitor, project: Project, three: list[dict[str, str]], bulk: str, field: str) -> None:
    ctx = project.context()
    filed = made(ctx, bulk, name="Bread", **({"slug": "bread"} if bulk == "category" else {}))["id"]
    ids = [document["id"] for document in three]

    assert f"Set {bulk}: 3 of 3 done" in post_many(editor, bulk, ids, **{field: filed}).text
    assert {now(project, id)[field] for id in ids} == {filed}
    post_many(editor, bulk, ids, **{field: ""})
    assert {now(project, id)[field] for id in ids} == {None}


def test_subcategories_of_one_name_are_told_apart_by_the_categories_above_them(
    editor: Visitor, project: Project, three: list[dict[str, str]]
) -> None:
    ctx = project.context()
    for above in ("Bread", "Cake"):
        parent = made(ctx, "category", name=above, slug=above.lower())["id"]
        news = made(ctx, "category", name="News", slug=f"{above.lower()}-news", categoryId=parent)["id"]
    post_many(editor, "category", [three[0]["id"]], categoryId=news)

    page = editor.get("/console/table").text
    chosen = re.findall(r"<option[^>]*>((?:Bread|Cake)[^<]*)</option>", page.partition("b-category")[2])
    assert chosen == ["Bread", "Bread › News", "Cake", "Cake › News"]
    for path in ("board", "table", f"documents/{three[0]['id']}"):
        assert re.search(r"<(p|td|dd)[^>]*>Cake › News<", editor.get(f"/console/{path}").text)


def test_due_dates_are_set_and_cleared(editor: Visitor, project: Project, three: list[dict[str, str]]) -> None:
    ids = [document["id"] for document in three]
    assert "Set due date: 3 of 3 done" in post_many(editor, "due", ids, dueDate="2027-02-14").text
    assert {now(project, id)["dueDate"] for id in ids} == {"2027-02-14"}
    assert "0 of 1 done" in post_many(editor, "due", ids[:1], dueDate="2027-02-30").text


@pytest.mark.parametrize(("bulk", "sent"), [("assign", {}), ("category", {}), ("due", {}), ("due", {"dueDate": ""})])
def test_nothing_is_cleared_where_nothing_was_chosen(
    editor: Visitor, project: Project, three: list[dict[str, str]], bulk: str, sent: dict[str, str]
) -> None:
    refused = post_many(editor, bulk, [three[0]["id"]], **sent)

    assert (refused.status_code, "Choose what to set first." in refused.text) == (422, True)
    assert now(project, three[0]["id"])["dueDate"] == "2020-01-31"


def test_briefs_are_offered_and_approved_where_the_operation_allows_it(
    editor: Visitor, project: Project, three: list[dict[str, str]]
) -> None:
    ids = [document["id"] for document in three]
    OPERATIONS["submit_document"](project.context(), ids[0], fields={})

    offered = post_many(editor, "offer", ids).text
    approved = post_many(editor, "approve", ids).text

    assert "Offer briefs: 2 of 3 done" in offered
    assert "once it is back in drafting" in offered
    assert "Approve: 1 of 3 done" in approved
    assert "which does not allow this" in approved
    assert [now(project, id)["status"] for id in ids] == ["approved", "planned", "idea"]


def test_what_changed_since_it_was_shown_is_not_approved(
    editor: Visitor, project: Project, three: list[dict[str, str]]
) -> None:
    id = three[0]["id"]
    OPERATIONS["write_content"](project.context(), id, fields={"markdown": "Other.", "baseVersion": 1})
    page = post_many(editor, "approve", [id], **{f"version.{id}": "1", f"title.{id}": "Rye <bread>"}).text

    assert "The text changed since this page was shown" in page
    assert "Rye &lt;bread&gt;" in page


def test_documents_are_published_and_moved_to_the_trash_and_restored_together(
    editor: Visitor, project: Project, three: list[dict[str, str]]
) -> None:
    ids = [document["id"] for document in three]
    published = post_many(editor, "publish", ids, **{f"version.{ids[0]}": "1"}).text
    assert "Publish: 1 of 3 done" in published
    assert published.count("has no content") == 2
    assert now(project, ids[0])["isPublished"]

    trashed = post_many(editor, "trash", ids).text
    assert "Move to trash: 3 of 3 done" in trashed
    assert f"/console/documents/{ids[0]}" not in trashed
    assert "No documents yet" in editor.get("/console/table").text

    trash = editor.get("/console/table?deleted=true").text
    assert re.findall(r'name="bulk" value="(\w+)"', trash) == ["restore"]
    assert "Restore: 3 of 3 done" in post_many(editor, "restore", ids).text
    assert now(project, ids[0])["isPublished"]


def test_who_is_signed_in_comes_first_among_the_members(app: Flask, project: Project) -> None:
    for name in ("Ann", "Zoe"):
        OPERATIONS["create_member"](project.context(), fields={"name": name})
    visitor = Visitor(app)
    visitor.sign_in(project.token("Zoe"))

    for page in ("table", "board", "plan"):
        select = re.search(r'<select id="\w-assigneeId".*?</select>', visitor.get(f"/console/{page}").text, re.DOTALL)
        assert select is not None
        assert re.findall(r">([^<]*)</option>", select[0])[-2:] == ["Zoe (me)", "Ann"]


@pytest.mark.parametrize(("bulk", "number"), [("approve", 0), ("destroy", 1), ("approve", 51)])
def test_nothing_unknown_none_and_too_many_are_refused(editor: Visitor, bulk: str, number: int) -> None:
    assert post_many(editor, bulk, [f"{one:024}" for one in range(number)]).status_code == 422


@pytest.mark.parametrize(
    ("scopes", "offered"),
    [
        ([Scope.READ], []),
        ([Scope.READ, Scope.WRITE], ["assign", "due", "category", "cluster", "status", "offer"]),
        ([Scope.READ, Scope.PUBLISH], ["approve", "publish", "trash"]),
    ],
)
def test_only_what_the_token_may_do_is_offered_and_done(
    editor: Visitor, project: Project, three: list[dict[str, str]], scopes: list[Scope], offered: list[str]
) -> None:
    visitor = Visitor(editor.app)
    visitor.sign_in(project.token("Restricted", scopes=scopes))

    page = visitor.get("/console/table").text
    assert re.findall(r'name="bulk" value="(\w+)"', page) == offered
    refused = {"assign", "due", "category", "cluster", "offer", "approve", "publish", "trash"} - set(offered)
    if "trash" in refused:
        refused.add("restore")
    for bulk in refused:
        assert "needs a token with the scope" in post_many(visitor, bulk, [three[0]["id"]]).text
    assert now(project, three[0]["id"])["status"] == "drafting"


def post_many(visitor: Visitor, bulk: str, ids: list[str], **fields: str) -> TestResponse:
    """Sends the form of the table with some rows selected."""
    data = {"_csrf": visitor.csrf, "bulk": bulk, "id": ids, **fields}
    return visitor.client.post("/console/table", data=data, content_type="multipart/form-data")


def now(project: Project, id: str) -> dict[str, str]:
    """Returns a document as it is now."""
    record: dict[str, str] = OPERATIONS["get_document"](project.context(), id).body
    return record


@pytest.mark.usefixtures("three")
def test_what_is_shown_is_saved_under_a_name_that_everybody_sees(editor: Visitor, reader: Visitor) -> None:
    address = "/console/table?status=planned&sort=title"
    saved = editor.post(f"/console/table/views?page=2&q=&{address[15:]}", name="Planned <first>")
    assert "Planned &lt;first&gt; is saved." in saved.text
    assert titles(saved.text) == ["Stollen"]

    page = reader.get("/console/table").text

    [link] = re.findall(r'<a href="([^"]+)" >Planned &lt;first&gt;</a>', page)
    assert titles(reader.get(unescape(link)).text) == ["Stollen"]
    assert 'aria-current="page">Planned &lt;first&gt;' in reader.get(address).text
    assert "table/views" not in reader.get(address).text
    refused = reader.post(f"/console/table/views?{address[15:]}", name="Mine")
    assert refused.status_code == 403


@pytest.mark.usefixtures("three")
def test_a_view_is_renamed_replaced_and_deleted(editor: Visitor, project: Project) -> None:
    def views() -> list[dict[str, str]]:
        found: list[dict[str, str]] = OPERATIONS["get_project"](project.context()).body["views"]
        return found

    editor.post("/console/table/views?status=planned", name="Planned")
    editor.post("/console/table/views?status=planned", name="Next", was="Planned")
    assert views() == [{"name": "Next", "query": "status=planned"}]

    editor.post("/console/table/views?status=idea&column=slug&column=key", name="NEXT")
    assert views() == [{"name": "NEXT", "query": "column=key&column=slug&status=idea"}]

    blank = editor.post("/console/table/views?status=planned", name=" ")
    assert blank.status_code == 422
    assert titles(blank.text) == ["Stollen"]
    assert "NEXT is deleted." in editor.post("/console/table/views?status=idea", was="NEXT", delete="yes").text
    assert views() == []
