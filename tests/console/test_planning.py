"""Planning in the console: a piece in a form, many from a table, and what they are filed under."""

import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from io import BytesIO

import pytest
from werkzeug.test import TestResponse, encode_multipart

from app.core.vocabulary import Scope
from app.http.callers import SESSION_COOKIE
from app.planning import pages as plan_sheets
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, made

TABLE = "key\ttitle\tbrief.keyword\tready\nrye\tRye bread\trye\tyes\nstollen\tStollen\t\t\n"


def documents(project: Project) -> list[dict[str, str]]:
    """Returns the documents of a project, by title."""
    found: list[dict[str, str]] = OPERATIONS["list_documents"](
        project.context(), fields={"sort": "title", "limit": 100, "offset": 0}
    ).body
    return found


@pytest.mark.parametrize(("then", "state"), [("plan", "none"), ("offer", "ready")])
def test_a_piece_is_planned_with_its_brief_and_offered(
    editor: Visitor, project: Project, then: str, state: str
) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")
    sent = {"title": "Rye bread", "status": "planned", "categoryId": category["id"], "dueDate": "2099-01-31"}
    brief = {"brief.keyword": "rye", "brief.outline": "One\r\nTwo", "brief.referenceUrls": "https://a.example\r\n"}
    page = editor.post("/console/plan", then=then, **sent, **brief)

    (document,) = documents(project)
    assert page.request.path == f"/console/documents/{document['id']}"
    assert {name: document[name] for name in sent} == sent
    assert document["brief"]["outline"] == "One\nTwo"
    assert document["brief"]["referenceUrls"] == ["https://a.example"]
    assert document["brief"]["state"] == state


def test_a_piece_is_planned_like_another_and_for_a_day(editor: Visitor, project: Project) -> None:
    ctx = project.context()
    category = made(ctx, "category", name="Bread", slug="bread")["id"]
    like = a_document(ctx, title="Rye", categoryId=category, dueDate="2027-01-31", brief={"audience": "beginners"})

    page = editor.get(f"/console/plan?like={like['id']}").text
    empty = editor.get("/console/plan?dueDate=2099-01-31").text

    assert f'<option value="{category}" selected>' in page
    assert 'value="beginners"' in page
    assert "2027-01-31" not in page
    assert 'value="2099-01-31"' in empty
    assert f"/console/plan?like={like['id']}" in editor.get(f"/console/documents/{like['id']}").text
    assert "/console/plan?dueDate=2099-01-31" in editor.get("/console/calendar?view=month&day=2099-01-15").text
    assert editor.get(f"/console/plan?like={'0' * 24}").status_code == 404


def test_problems_are_shown_beside_the_fields_and_the_draft_is_confirmed_once_it_is_right(
    editor: Visitor, project: Project
) -> None:
    sent = {"title": " ", "status": "planned", "dueDate": "2099-02-30", "brief.referenceUrls": "ftp://a.example"}
    refused = editor.post("/console/plan", then="plan", **sent)

    assert refused.status_code == 422
    assert {'id="e-title"', 'id="e-dueDate"'} <= set(re.findall(r'id="e-[^"]*"', refused.text))
    assert 'value="2099-02-30"' in refused.text
    (draft,) = re.findall(r'name="draft" value="(\w+)"', refused.text)
    editor.post("/console/plan", then="plan", draft=draft, title="Rye bread")

    assert [document["title"] for document in documents(project)] == ["Rye bread"]
    assert OPERATIONS["list_intents"](project.context(), fields={}).body == []


def test_a_draft_waits_is_gone_on_with_and_discarded(editor: Visitor) -> None:
    page = editor.post("/console/plan", then="draft", title="Rye", **{"brief.keyword": "rye"})
    (draft,) = re.findall(r'name="draft" value="(\w+)"', page.text)
    assert 'value="rye"' in editor.get(f"/console/plan?draft={draft}").text

    assert "The draft is discarded" in editor.post(f"/console/plan/drafts/{draft}/discard").text
    assert editor.get(f"/console/plan?draft={draft}").status_code == 404
    assert editor.post("/console/plan", then="plan", draft=draft, title="Rye").status_code == 404


@pytest.mark.needs_mongod
@pytest.mark.parametrize("draft", [False, True])
def test_a_form_that_is_sent_twice_makes_one_piece(editor: Visitor, project: Project, draft: bool) -> None:
    page = editor.get("/console/plan")
    if draft:
        page = editor.post("/console/plan", then="draft", title="Rye")
    sent = {"then": "offer", "title": "Rye", "brief.keyword": "rye", **hidden(page.text)}
    with ThreadPoolExecutor(2) as clicks:
        first, second = clicks.map(lambda _: another(editor).post("/console/plan", **sent), range(2))

    (document,) = documents(project)
    assert {first.request.path, second.request.path} == {f"/console/documents/{document['id']}"}
    assert document["brief"]["state"] == "ready"

    other = another(editor).post("/console/plan", **sent | {"title": "Stollen", "draft": ""})
    assert other.status_code == 200
    assert [one["title"] for one in documents(project)] == ["Rye", "Stollen"]


@pytest.mark.needs_mongod
@pytest.mark.parametrize("kind", ["plan/categories", "plan/clusters", "administration/members"])
def test_a_form_that_is_sent_twice_makes_one_record(editor: Visitor, project: Project, kind: str) -> None:
    key = hidden(editor.get(f"/console/{kind}").text)
    pages = [editor.post(f"/console/{kind}", name="Rye", role="writer", **key) for _ in range(2)]

    assert [page.status_code for page in pages] == [200, 200]
    assert [one["name"] for one in listed(project, kind.rpartition("/")[2])] == ["Rye"]


@pytest.mark.needs_mongod
def test_a_table_that_is_sent_twice_is_planned_once_and_shown_alike(editor: Visitor) -> None:
    key = hidden(editor.post("/console/plan/many", table=TABLE).text)
    pages = [editor.post("/console/plan/many", table=TABLE, confirmed="yes", **key) for _ in range(2)]

    assert ["<strong>2</strong> created" in page.text for page in pages] == [True, True]


@pytest.mark.needs_mongod
def test_a_table_is_tried_without_effect_and_then_planned(editor: Visitor, project: Project) -> None:
    tried = editor.post("/console/plan/many", table=TABLE.replace("\n", "\r\n"))
    assert "<strong>2</strong> new" in tried.text
    assert documents(project) == []
    again = unescape(tried.text.partition('aria-label="Table">\n')[2].partition("</textarea>")[0])

    planned = editor.post("/console/plan/many", table=again, confirmed="yes")
    assert "new ones begin as Planned" in tried.text
    statuses = re.findall('data-label="Status"><span class="status" data-status="([a-z]+)"', planned.text)
    assert statuses == [one["status"] for one in documents(project)] == ["planned", "planned"]
    assert [(one["key"], one["brief"]["state"]) for one in documents(project)] == [
        ("rye", "ready"),
        ("stollen", "none"),
    ]

    unchanged = editor.post("/console/plan/many", table=again)
    assert "<strong>2</strong> unchanged" in unchanged.text
    assert 'name="confirmed"' not in unchanged.text


def test_the_column_of_assignees_offers_the_members(editor: Visitor, project: Project) -> None:
    OPERATIONS["create_member"](project.context(), fields={"name": "Hannah Okafor"})
    page = editor.post("/console/plan/many", table="Titel\tAutor\nRoggen\tHanna\n").text
    assert re.search(r'name="cell.0.1"[^>]* list="members" aria-invalid="true"', page)
    assert '<datalist id="members"><option value="Hannah Okafor">' in page
    assert "<datalist" not in editor.post("/console/plan/many", table="Titel\nRoggen\n").text


def test_a_table_that_does_not_hold_together_says_in_which_lines_and_how_many_more(editor: Visitor) -> None:
    page = editor.post("/console/plan/many", table="key\ttitle\n" + "rye\tRye\tx\n" * 1_250).text

    assert page.partition('role="alert"')[2].partition("</ul>")[0].count("<li>") == 51
    assert "Line 2 has more cells than the header" in page
    assert "<li>And 1,200 more.</li>" in page


@pytest.mark.needs_mongod
def test_a_file_is_taken_and_what_is_refused_says_why(editor: Visitor, project: Project) -> None:
    content = "key;title;category\nrye;Rye bread;Nowhere\nx;<b>Bold</b>;\n".encode("utf-16")
    data = {"_csrf": editor.csrf, "file": (BytesIO(content), "plan.csv")}
    page = editor.client.post("/console/plan/many", data=data, content_type="multipart/form-data").text

    assert "<strong>1</strong> new, <strong>1</strong> to correct" in page
    assert re.search(r'<select id="use\.0\.2" [^>]*><option value="" selected>', page)
    assert "<b>Bold" not in page
    assert documents(project) == []


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("", "Paste a table"),
        ("key\n", "no pieces"),
        ("\t".join(f"column {number}" for number in range(1_250)) + "\nRye", "1,250 columns"),
        ("key\n" + "".join(f"{number}\n" for number in range(501)), "501 pieces"),
        ("a" * (plan_sheets.LONGEST + 1), "too long for the console"),
        ("\n" * (plan_sheets.MOST_LINES + 1) + "key", "too long for the console"),
        ('key,title\nrye,"Rye\n', "quotes"),
    ],
)
def test_a_table_that_is_none_says_what_is_wrong(editor: Visitor, table: str, says: str) -> None:
    refused = send_table(editor, table)

    assert refused.status_code in (400, 422)
    assert says in unescape(refused.text)


def test_categories_are_added_below_each_other_changed_and_deleted(editor: Visitor, project: Project) -> None:
    editor.post("/console/plan/categories", name="Bread", slug="", description="Loaves")
    (bread,) = listed(project, "categories")
    assert (bread["slug"], bread["description"]) == ("bread", "Loaves")
    editor.post("/console/plan/categories", name="Rye breads", slug="rye", categoryId=bread["id"])
    page = editor.get("/console/plan/categories").text
    assert page.index(">Bread<") < page.index('data-depth="1"') < page.index(">Rye breads<")

    fields = {"name": "Loaves", "was.name": "Bread", "slug": "bread", "was.slug": "bread"}
    assert "Loaves is saved" in editor.post(f"/console/plan/categories/{bread['id']}", **fields).text
    editor.post(f"/console/plan/categories/{bread['id']}/delete")
    assert bread["id"] in {one["id"] for one in listed(project, "categories")}
    (rye,) = [one for one in listed(project, "categories") if one["name"] == "Rye breads"]
    assert "Rye breads is deleted" in editor.post(f"/console/plan/categories/{rye['id']}/delete").text


def test_clusters_are_added_changed_and_deleted(editor: Visitor, project: Project) -> None:
    editor.post("/console/plan/clusters", name="Rye", keywords="rye\r\nrye bread\r\n")
    (cluster,) = listed(project, "clusters")
    assert cluster["keywords"] == ["rye", "rye bread"]
    path = f"/console/plan/clusters/{cluster['id']}"
    editor.post(path, keywords="rye", **{"was.keywords": "rye\nrye bread", "name": "Rye", "was.name": "Rye"})
    assert listed(project, "clusters")[0]["keywords"] == ["rye"]
    assert "Rye is deleted" in editor.post(f"{path}/delete").text


@pytest.mark.parametrize("kind", ["categories", "clusters"])
def test_problems_of_a_category_or_a_cluster_are_shown_beside_its_field_and_leave_no_draft(
    editor: Visitor, project: Project, kind: str
) -> None:
    refused = editor.post(f"/console/plan/{kind}", name=" ", description="Kept")
    assert refused.status_code == 422
    assert 'id="e-name"' in refused.text
    assert "Kept" in refused.text
    assert OPERATIONS["list_intents"](project.context(), fields={}).body == []

    editor.post(f"/console/plan/{kind}", name="Rye")
    (record,) = listed(project, kind)
    wrong = editor.post(f"/console/plan/{kind}/{record['id']}", name="", **{"was.name": "Rye"})
    assert wrong.status_code == 422
    assert 'id="e-name"' in wrong.text


def test_who_may_not_write_is_neither_offered_planning_nor_can(reader: Visitor, project: Project) -> None:
    assert "/console/plan" not in reader.get("/console/board").text
    category = made(project.context(), "category", name="Bread", slug="bread")
    paths = ("plan", "plan/many", "plan/categories", f"plan/categories/{category['id']}")
    assert {reader.get(f"/console/{path}").status_code for path in paths} == {403}
    for path in (*paths, f"plan/categories/{category['id']}/delete"):
        answer = reader.post(f"/console/{path}", then="plan", title="Rye", name="Rye", table=TABLE, confirmed="yes")
        assert "needs a token with the scope" in answer.text, path
    assert documents(project) == []
    assert len(listed(project, "categories")) == 1


def test_a_writer_is_not_offered_to_delete(editor: Visitor, project: Project) -> None:
    category = made(project.context(), "category", name="Bread", slug="bread")
    visitor = Visitor(editor.app)
    visitor.sign_in(project.token("Writer", scopes=[Scope.READ, Scope.WRITE]))

    assert "/delete" not in visitor.get(f"/console/plan/categories/{category['id']}").text


def send_table(visitor: Visitor, table: str) -> TestResponse:
    """Sends the form that takes a table as a browser does."""
    boundary, form = encode_multipart({"_csrf": visitor.csrf, "table": table})
    kind = f"multipart/form-data; boundary={boundary}"
    return visitor.client.post("/console/plan/many", data=form, content_type=kind)


def hidden(page: str) -> dict[str, str]:
    """Returns the hidden fields of the form that makes something: its key, and the draft that it goes on with."""
    found = dict(re.findall(r'<input type="hidden" name="(_key|draft)" value="([^"]*)"', page))
    assert found["_key"]
    return found


def another(visitor: Visitor) -> Visitor:
    """Returns the same browser's next request, which doesn't wait for the one before."""
    copy = Visitor(visitor.app)
    cookie = visitor.client.get_cookie(SESSION_COOKIE, path="/console")
    assert cookie
    copy.client.set_cookie(SESSION_COOKIE, cookie.value, path="/console")
    copy.csrf = visitor.csrf
    return copy


def listed(project: Project, kind: str) -> list[dict[str, str]]:
    """Returns the categories or clusters of a project."""
    found: list[dict[str, str]] = OPERATIONS[f"list_{kind}"](project.context(), fields={"limit": 10, "offset": 0}).body
    return found
