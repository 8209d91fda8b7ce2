"""Sheets pasted into the console: columns as people call them, dates as they write them, corrections in the grid."""

import re
from datetime import date
from hashlib import sha256
from html import unescape
from typing import Any

import pytest
from bson import ObjectId

from app.planning.pages import SHOWN
from app.planning.pages.sheets import MOST_COLUMNS, day_comes_first, iso_date, recognised
from tests.console.visitor import Visitor
from tests.make import OPERATIONS, Project, a_document, made

GERMAN = (
    "Titel\tFällig am\tRubrik\tSuchbegriff\tWörter\tStatus\tZuständig\n"
    "Roggenbrot\t14.02.2099\tBrot\troggenbrot\t1200\tGeplant\t\n"
    "Stollen\t1. Dezember 2099\tKuchen\tstollen\t900\tIdee\tJun\n"
)
TODAY = date(2027, 3, 15)


def documents(project: Project) -> dict[str, dict[str, Any]]:
    """Returns the documents of a project by their titles."""
    fields = {"sort": "title", "limit": 100, "offset": 0}
    return {one["title"]: one for one in OPERATIONS["list_documents"](project.context(), fields=fields).body}


def sent(page: str) -> dict[str, str]:
    """Returns the fields of the grid as a browser would send them."""
    table = unescape(page.partition('aria-label="Table">\n')[2].partition("</textarea>")[0])
    ticked = re.findall(r'name="(order)" value="([^"]*)" checked|name="(made)" value="([^"]*)"', page)
    ticked = [tuple(filter(None, one)) for one in ticked]
    hidden = re.findall(r'name="(_key)" value="([^"]*)"', page)
    return {"table": table, **dict((*ticked, *hidden)), **chosen(page)}


def chosen(page: str) -> dict[str, str]:
    """Returns what is chosen for the names that are asked about, by the field."""
    asked = re.findall(r'<select id="(use\.[\d.]+)"(.*?)</select>', page, re.DOTALL)
    return {field: re.findall('value="([^"]*)" selected', options)[0] for field, options in asked}


def readings(page: str) -> list[str]:
    """Returns how cells are understood, of those that do not say it themselves."""
    return re.findall('<p class="hint">([^<]*)</p></td>', page)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("Title|Due date|Category|Keyword|Words", "title dueDate category brief.keyword brief.wordCount"),
        ("TITEL|fällig|Rubrik|Schlüsselwort|Länge", "title dueDate category brief.keyword brief.wordCount"),
        ("Status|Owner|Zielgruppe", "status assignee brief.audience"),
        ("Wer|Wörter", "assignee brief.wordCount"),
        ("key|title|brief.keyword|ready|internalLinks", "key title brief.keyword ready brief.internalLinks"),
        ("Target keyword|Sections|Section", "brief.keyword brief.outline category"),
        ("Titles|Deadlines|Kategorien", "title dueDate category"),
        ("Title|Headline|Colour||Title", "title    "),
    ],
)
def test_columns_are_recognised_by_what_people_call_them(header: str, columns: str) -> None:
    assert recognised(header.split("|")) == columns.split(" ")


@pytest.mark.parametrize(
    ("cell", "day_first", "iso"),
    [
        ("2027-04-02", None, "2027-04-02"),
        ("2.4.2027", False, "2027-04-02"),
        ("02. 04. 27", None, "2027-04-02"),
        ("4/2/2027", False, "2027-04-02"),
        ("2/4/2027", True, "2027-04-02"),
        ("Fr, 02.04.2027", None, "2027-04-02"),
        ("02.04.2027 00:00:00", None, "2027-04-02"),
        ("2. April 2027", None, "2027-04-02"),
        ("2 Mai 2027", None, "2027-05-02"),
        ("5. März 2027", None, "2027-03-05"),
        ("Apr 2, 2027", None, "2027-04-02"),
        ("2.4.", None, "2027-04-02"),
        ("2.1.", None, "2028-01-02"),
        ("31.2.2027", None, "2027-02-31"),
        ("31.11.", None, "2027-11-31"),
        ("29.2.", None, "2028-02-29"),
        ("Fri 18 Dec", None, "2027-12-18"),
        ("Friday, 18 December", None, "2027-12-18"),
        ("18 Dec", None, "2027-12-18"),
        ("18-Dec-27", None, "2027-12-18"),
        ("18th of Dec", None, "18th of Dec"),
        ("Dec 18", None, "2027-12-18"),
        ("December 18th", None, "2027-12-18"),
        ("Mo 18.1.", None, "2028-01-18"),
        ("Dec 2027", None, "Dec 2027"),
        ("Mon or so", None, "Mon or so"),
        ("soon", None, "soon"),
        ("", None, ""),
    ],
)
def test_dates_are_read_as_the_sheet_has_them(cell: str, day_first: bool | None, iso: str) -> None:
    assert iso_date(cell, day_first=day_first, today=TODAY) == iso


@pytest.mark.parametrize(
    ("cells", "first"),
    [
        (["3/4/2027", "14/4/2027"], True),
        (["3/4/2027", "4/14/2027"], False),
        (["3/4/2027", "2.4.2027"], None),
        (["2.4.2027", "2027-04-02", "soon"], True),
    ],
)
def test_which_of_day_and_month_comes_first_is_learnt_from_the_column(cells: list[str], first: bool | None) -> None:
    assert day_comes_first(cells) is first


@pytest.mark.needs_mongod
def test_a_german_sheet_is_planned_and_its_categories_are_made(editor: Visitor, project: Project) -> None:
    OPERATIONS["create_member"](project.context(), fields={"name": "Jun"})
    made(project.context(), "category", name="Brot", slug="brot")
    tried = editor.post("/console/plan/many", table=GERMAN)
    assert "<strong>1</strong> new, <strong>1</strong> to correct" in tried.text
    assert chosen(tried.text) == {"use.1.2": ""}

    outcome = editor.post("/console/plan/many", confirmed="yes", **sent(tried.text) | {"use.1.2": "new"})
    rye, stollen = documents(project)["Roggenbrot"], documents(project)["Stollen"]
    assert "<strong>2</strong> created" in outcome.text
    assert (rye["key"], rye["status"], rye["dueDate"], rye["brief"]["wordCount"]) == (
        *("Roggenbrot", "planned", "2099-02-14"),
        "1200",
    )
    assert (stollen["dueDate"], stollen["status"], bool(stollen["assigneeId"])) == ("2099-12-01", "idea", True)
    categories = OPERATIONS["list_categories"](project.context(), fields={"limit": 10, "offset": 0}).body
    assert sorted(one["name"] for one in categories) == ["Brot", "Kuchen"]

    again = editor.post("/console/plan/many", table=GERMAN)
    assert "<strong>2</strong> unchanged" in again.text
    assert 'name="confirmed"' not in again.text


def test_a_title_that_comes_twice_a_day_that_is_past_and_a_status_of_other_words_are_pointed_out(
    editor: Visitor,
) -> None:
    table = "Title\tDue\tStatus\nRye\t2020-02-14\tTo do\nSalt\t2099-02-14\tplanned\nrye \t3.4.2020\tidea\n"
    page = editor.post("/console/plan/many", table=table).text
    twice = "Line 2 has this title, too. Is it meant twice? If not, empty this row."
    assert readings(page) == ["14 Feb 2020, in the past", "Planned", twice, "3 Apr 2020, in the past"]


def test_a_date_that_is_not_whole_shows_the_day_that_is_taken(editor: Visitor) -> None:
    table = "Title\tDue\nRye\t9.12.\nStollen\t2099-04-02\nZopf\t9. April 2099\nOven\tsoon\nPizza\t\n"
    page = editor.post("/console/plan/many", table=table).text

    days = readings(page)
    assert len(days) == 2
    assert re.fullmatch(r"9 Dec 20\d\d", days[0])
    assert days[1] == "9 Apr 2099"


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("31.11.2026", "November has 30 days."),
        ("31. November 2026", "November has 30 days."),
        ("2026-11-31", "November has 30 days."),
        ("31.4.", "April has 30 days."),
        ("29.2.2027", "February 2027 has 28 days."),
        ("31/14/2026", "A year has 12 months."),
        ("0.4.2026", "April has 30 days."),
        ("soon", "Not a date, like 14.2.2027 or 2027-02-14."),
    ],
)
def test_a_day_that_no_month_has_is_named(editor: Visitor, cell: str, says: str) -> None:
    page = editor.post("/console/plan/many", table=f"Title\tDue\nRye\t{cell}\n").text
    assert re.findall('id="e-cell.0.1">([^<]*)<', page) == [says]


def test_no_day_is_taken_before_it_is_said_whether_the_day_comes_first(editor: Visitor) -> None:
    table = "Title\tDue\nRye\t3/4/2099\n"
    assert "3 Apr 2099" not in editor.post("/console/plan/many", table=table).text
    assert "4 Mar 2099" in editor.post("/console/plan/many", table=table, order="month").text


def test_what_is_wrong_stands_in_its_cell_and_is_corrected_there(editor: Visitor, project: Project) -> None:
    table = f"Title\tDue\tOwner\nRye\tsoon\tNobody\n{'x' * 301}\t\t\n"
    long = editor.post("/console/plan/many", table=table).text
    assert 'aria-describedby="e-cell.1.0"' in long

    wrong = editor.post("/console/plan/many", table=table, **{"cell.1.0": "Stollen"}).text
    assert re.findall(r'id="e-([^"]+)"', wrong) == ["cell.0.1", "cell.0.2"]
    assert "<strong>1</strong> new, <strong>1</strong> to correct" in wrong
    assert "`" not in wrong

    right = {"cell.0.1": "2.4.2099", "cell.0.2": ""}
    assert "<strong>2</strong> new" in editor.post("/console/plan/many", **sent(wrong) | right).text
    editor.post("/console/plan/many", confirmed="yes", **sent(wrong) | right)
    assert {title: one["dueDate"] for title, one in documents(project).items()} == {
        "Rye": "2099-04-02",
        "Stollen": None,
    }


def test_a_row_that_is_emptied_is_gone_and_moves_no_other(editor: Visitor, project: Project) -> None:
    table = "title\tdue\nRye\t2099-04-03\nSalt\tsoon\nFlour\t2099-04-04\n"
    page = editor.post("/console/plan/many", table=table, **{"cell.1.0": "", "cell.1.1": ""}).text

    cells = dict(re.findall(r'<input name="(cell[\d.]+)"[^>]* value="([^"]*)"', page))
    editor.post("/console/plan/many", **sent(page), **cells, confirmed="yes")

    assert {title: one["dueDate"] for title, one in documents(project).items()} == {
        "Rye": "2099-04-03",
        "Flour": "2099-04-04",
    }


def test_a_column_of_authors_says_that_it_fills_the_assignee(editor: Visitor) -> None:
    says = "fills the assignee, who writes the piece"
    assert f"“Author” {says}" in editor.post("/console/plan/many", table="Title\tAuthor\nRye\t\n").text
    assert says not in editor.post("/console/plan/many", table="Title\tAuthor\nRye\t\n", **{"column.1": ""}).text
    assert says not in editor.post("/console/plan/many", table="Title\tOwner\nRye\t\n").text


def test_the_columns_to_choose_from_are_those_of_people(editor: Visitor) -> None:
    page = editor.post("/console/plan/many", table="Title\tgeneration.model\tBody\nRye\texample-4\tDark.\n").text
    assert '<option value="markdown" >Text</option>' in page
    assert "<option selected>generation.model</option>" in page
    assert "nput tokens" not in page


def test_a_length_shows_the_number_of_words_that_checks_read(editor: Visitor) -> None:
    page = editor.post(
        "/console/plan/many", table="Title\tWords\nA\t900\nB\t1.200\nC\tca. 900\nD\t800 bis 1.000\n"
    ).text
    assert readings(page) == ["1,200 words", "900 words", "800–1,000 words"]


PEOPLE = ("Ingrid Solberg", "Jun Takeda", "Jun Ito", "Anna-Lena Meier")


@pytest.fixture
def people(project: Project) -> dict[str, str]:
    """The ids of members by name."""
    return {name: OPERATIONS["create_member"](project.context(), fields={"name": name}).body["id"] for name in PEOPLE}


@pytest.mark.parametrize("name", ["ingrid", "Ingrid", "IS", "is", "Ingrid Solberg"])
def test_the_beginning_of_one_members_name_is_asked_about_with_that_member_chosen(
    editor: Visitor, project: Project, people: dict[str, str], name: str
) -> None:
    page = editor.post("/console/plan/many", table=f"Titel\tWer\nRoggen\t{name}\n").text
    assert readings(page) == ([] if name in people else ["Ingrid Solberg"])
    assert chosen(page) == ({} if name in people else {"use.0.1": people["Ingrid Solberg"]})

    editor.post("/console/plan/many", confirmed="yes", **sent(page))
    assert documents(project)["Roggen"]["assigneeId"] == people["Ingrid Solberg"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Jun", ("Is it Jun Takeda or Jun Ito?", "Is it Jun Ito or Jun Takeda?")),
        ("Ing", ("Is it Ingrid Solberg?",)),
        ("Anna", ("Is it Anna-Lena Meier?",)),
        ("Xaver", ("Unknown.",)),
    ],
)
def test_a_name_of_no_member_or_several_is_asked_about_and_names_who_is_near(
    editor: Visitor, people: dict[str, str], name: str, says: tuple[str, ...]
) -> None:
    page = editor.post("/console/plan/many", table=f"Titel\tWer\nRoggen\t{name}\n").text
    assert re.findall('id="e-cell.0.1">([^<]*)<', page)[0].strip() in says
    assert chosen(page) == {"use.0.1": ""}
    assert 'href="/console/administration/members"' in page


def test_a_choice_for_an_unknown_name_holds_for_all_its_rows_until_it_is_changed(
    editor: Visitor, project: Project, people: dict[str, str]
) -> None:
    bread = made(project.context(), "category", name="Brot", slug="brot")["id"]
    table = "Titel\tRubrik\tWer\nA\tBrote\tJun\nB\tKuchen\tXaver\nC\tBrote\tJun\n"
    asked = editor.post("/console/plan/many", table=table).text
    assert chosen(asked) == {"use.0.1": bread, "use.1.1": "", "use.0.2": "", "use.1.2": ""}
    assert "<strong>3</strong> to correct" in asked

    choices = {"use.0.1": bread, "use.1.1": "empty", "use.0.2": people["Jun Ito"], "use.1.2": "empty"}
    told = editor.post("/console/plan/many", **sent(asked) | choices).text
    assert chosen(told) == choices
    assert readings(told) == ["Brot", "Jun Ito", "Left empty", "Left empty", "Brot", "Jun Ito"]
    assert "<strong>3</strong> new" in told

    editor.post("/console/plan/many", confirmed="yes", **sent(told) | {"use.1.1": "new"})
    found = {title: (one["categoryId"], one["assigneeId"]) for title, one in documents(project).items()}
    cake = found["B"][0]
    assert cake not in (None, bread)
    assert found == {"A": (bread, people["Jun Ito"]), "B": (cake, None), "C": (bread, people["Jun Ito"])}


def test_nothing_is_asked_once_it_is_chosen_for_every_name(editor: Visitor, people: dict[str, str]) -> None:
    question, known = "<legend>Which members are these?", "<summary>Change which members these are"
    asked = editor.post("/console/plan/many", table="Titel\tWer\nA\tJun\n").text
    assert (question in asked, known in asked) == (True, False)

    told = editor.post("/console/plan/many", **sent(asked) | {"use.0.1": people["Jun Ito"]}).text
    assert (question in told, known in told) == (False, True)
    assert chosen(told) == {"use.0.1": people["Jun Ito"]}


def test_no_member_and_no_unknown_id_comes_of_a_choice(editor: Visitor, project: Project) -> None:
    for choice in ("new", "0" * 24):
        page = editor.post("/console/plan/many", table="Titel\tWer\nA\tJun\n", confirmed="yes", **{"use.0.1": choice})
        assert "<strong>1</strong> refused" in page.text
    assert OPERATIONS["list_members"](project.context(), fields={"limit": 10, "offset": 0}).body == []


@pytest.mark.parametrize("name", ["Bread > Rye", "bread›rye", "Bread › Rye"])
def test_a_category_is_named_by_its_path_as_the_console_writes_it(editor: Visitor, project: Project, name: str) -> None:
    bread, cake = (made(project.context(), "category", name=one, slug=one.lower()) for one in ("Bread", "Cake"))
    rye, _ = (
        made(project.context(), "category", name="Rye", slug=f"r-{one['slug']}", categoryId=one["id"])
        for one in (bread, cake)
    )
    page = editor.post("/console/plan/many", table=f"Title\tCategory\nLoaf\t{name}\n").text
    assert chosen(page) == {"use.0.1": rye["id"]}
    assert readings(page) == ["Bread › Rye"]


def test_who_is_the_assignee_and_me_is_who_asks(editor: Visitor, project: Project) -> None:
    ada = OPERATIONS["create_member"](project.context(), fields={"name": "Ada"}).body["id"]
    editor.sign_in(project.token(memberId=ObjectId(ada)))
    page = editor.post("/console/plan/many", table="Title\tWho\nRye\tme\n").text
    assert chosen(page) == {"use.0.1": ada}


def test_a_category_that_is_new_is_not_made_before_it_was_asked_about(editor: Visitor, project: Project) -> None:
    page = editor.post("/console/plan/many", table="Titel\tRubrik\nA\tKuchen\n", confirmed="yes").text
    assert "<strong>1</strong> refused" in page
    assert OPERATIONS["list_categories"](project.context(), fields={"limit": 10, "offset": 0}).body == []


@pytest.mark.parametrize(
    ("name", "means"), [("sourdoug", True), ("Sour dough", True), ("Dough", False), ("Sour", False)]
)
def test_a_typo_means_the_category_that_it_is_near_and_another_name_has_to_be_chosen_for(
    editor: Visitor, project: Project, name: str, means: bool
) -> None:
    sourdough = made(project.context(), "category", name="Sourdough", slug="sourdough")["id"]
    page = editor.post("/console/plan/many", table=f"Title\tCategory\nRye\t{name}\n").text
    assert chosen(page) == {"use.0.1": sourdough if means else ""}
    assert ('name="confirmed"' in page) == means
    assert readings(page) == (["Sourdough"] if means else [])

    chose = editor.post("/console/plan/many", **sent(page) | {"use.0.1": "new"}).text
    assert chosen(chose) == {"use.0.1": "new"}
    assert 'name="confirmed"' in chose


def test_a_name_that_is_equally_near_to_two_categories_has_to_be_chosen_for(editor: Visitor, project: Project) -> None:
    for slug in ("recipes-a", "recipes-b"):
        made(project.context(), "category", name=slug, slug=slug)
    page = editor.post("/console/plan/many", table="Title\tCategory\nRye\trecipes-c\n").text
    assert chosen(page) == {"use.0.1": ""}
    assert 'name="confirmed"' not in page


def test_rows_that_were_refused_stay_on_the_page_to_be_corrected_and_added(editor: Visitor, project: Project) -> None:
    table = "Title\tDue\tCategory\nRye\t2.4.2099\t\nRye\tsoon\t\nStollen\t3.4.2099\tCake\n"
    page = editor.post("/console/plan/many", table=table).text
    outcome = editor.post("/console/plan/many", confirmed="yes", **sent(page)).text
    assert "<strong>1</strong> created, <strong>2</strong> refused" in outcome
    assert "2 to correct" in outcome
    assert 'name="confirmed"' not in outcome
    assert re.findall(r'id="e-([^"]+)"', outcome) == ["cell.0.1", "cell.1.2"]
    assert "Not a date" in outcome
    assert chosen(outcome) == {"use.1.2": ""}

    right = {"cell.0.1": "5.4.2099", "use.1.2": "new"}
    checked = editor.post("/console/plan/many", **sent(outcome) | right).text
    assert "<strong>2</strong> new. Nothing is changed yet." in checked
    added = editor.post("/console/plan/many", confirmed="yes", **sent(checked)).text
    assert "<strong>2</strong> created" in added
    assert "to correct" not in added
    assert re.findall(r'<a href="/console/documents/\w+">([^<]+)</a>', added) == ["Rye", "Rye", "Stollen"]
    found = OPERATIONS["list_documents"](project.context(), fields={"sort": "title", "limit": 9, "offset": 0}).body
    assert sorted((one["key"], one["dueDate"]) for one in found) == [
        ("Rye", "2099-04-02"),
        ("Rye-2", "2099-04-05"),
        ("Stollen", "2099-04-03"),
    ]


def test_a_length_without_a_number_is_said_in_its_cell_and_keeps_nothing_from_being_planned(
    editor: Visitor, project: Project
) -> None:
    page = editor.post("/console/plan/many", table="Title\tWords\nRye\t900\nStollen\tviele\n").text
    assert re.findall(r'id="e-([^"]+)"', page) == ["cell.1.1"]
    assert "Not a number of words" in page
    assert "<strong>2</strong> new" in page

    planned = editor.post("/console/plan/many", confirmed="yes", **sent(page)).text
    assert "Not a number of words" not in planned
    assert documents(project)["Stollen"]["brief"]["wordCount"] == "viele"


def test_the_widest_sheet_is_checked_again(editor: Visitor) -> None:
    table = "\t".join(["Title", *map(str, range(MOST_COLUMNS - 1))]) + "\n" + "Rye\n" * SHOWN
    cells = {f"cell.{row}.{place}": "x" for row in range(SHOWN) for place in range(MOST_COLUMNS)}
    assert editor.post("/console/plan/many", table=table, **cells).status_code == 200


def test_the_widest_sheet_is_checked_again_with_the_keys_of_rows_that_were_refused(editor: Visitor) -> None:
    table = "\t".join(["Title", "Due", *map(str, range(MOST_COLUMNS - 2))]) + "\nRye\nRye\tsoon\n"
    outcome = editor.post("/console/plan/many", confirmed="yes", table=table).text
    assert 'value="Rye-2"' in outcome
    assert "1 to correct" in outcome
    checked = editor.post("/console/plan/many", **sent(outcome), **{"cell.0.1": "5.4.2099"}).text
    assert "<strong>1</strong> new. Nothing is changed yet." in checked


def test_a_column_that_is_not_recognised_is_mapped_above_it(editor: Visitor, project: Project) -> None:
    table = "Working name;Colour\nRye;blue\n"
    tried = editor.post("/console/plan/many", table=table)
    assert "choose it above its column" in tried.text
    assert "Columns left out: Working name, Colour<" in tried.text

    mapped = {"column.0": "title", "column.1": "brief.notes"}
    editor.post("/console/plan/many", confirmed="yes", table=table, **mapped)
    assert documents(project)["Rye"]["brief"]["notes"] == "blue"


def test_the_order_of_a_date_is_asked_once_where_the_sheet_does_not_tell(editor: Visitor, project: Project) -> None:
    table = "Title\tDue\nRye\t3/4/2099\n"
    asked = editor.post("/console/plan/many", table=table).text
    assert 'name="order"' in asked
    assert "To go on, answer below what comes first in the dates." in asked
    assert 'name="confirmed"' not in asked

    told = editor.post("/console/plan/many", table=table, order="month").text
    assert "To go on" not in told
    assert 'name="confirmed"' in told
    editor.post("/console/plan/many", confirmed="yes", **sent(told))
    assert documents(project)["Rye"]["dueDate"] == "2099-03-04"


def test_the_order_of_a_date_holds_for_rows_that_were_refused_where_others_told_it(editor: Visitor) -> None:
    table = "Title\tDue\tOwner\nRye\t12/25/2099\t\nStollen\t3/4/2099\tNobody\n"
    outcome = editor.post("/console/plan/many", confirmed="yes", table=table).text
    assert readings(outcome) == ["4 Mar 2099"]
    checked = editor.post("/console/plan/many", **sent(outcome), **{"cell.0.2": ""}).text
    assert readings(checked) == ["4 Mar 2099"]
    assert 'name="confirmed"' in checked


def test_pieces_with_one_title_get_keys_of_their_own(editor: Visitor, project: Project) -> None:
    editor.post("/console/plan/many", confirmed="yes", table="Title\tKey\nRye\t\nRye\t\nRye\tRye-3\n")
    for title in ("C", "C++", "🎉", "🎂", "A, B", "A B"):  # of which some make equal slugs
        editor.post("/console/plan/many", confirmed="yes", table=f'Title\n"{title}"\n')
    fields = {"sort": "title", "limit": 100, "offset": 0}
    found = OPERATIONS["list_documents"](project.context(), fields=fields).body
    keys = {"A B", f"A  B-{sha256(b'A, B').hexdigest()[:8]}", "C", "C++", "Rye", "Rye-2", "Rye-3", "🎂", "🎉"}
    assert {one["key"] for one in found} == keys


def test_the_template_is_read_as_it_is(editor: Visitor, project: Project) -> None:
    (address,) = re.findall('href="([^"]+)" download', editor.get("/console/plan/many").text)
    response = editor.get(address, buffered=True)
    assert response.mimetype == "text/csv"
    made(project.context(), "category", name="Bread", slug="bread")

    page = editor.post("/console/plan/many", table=response.get_data(as_text=True).removeprefix("\ufeff")).text
    assert "<strong>1</strong> new. Nothing" in page
    assert "data-left-out" not in page


def test_a_document_is_found_by_the_beginning_of_a_word(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="How to begin a sourdough starter")
    a_document(project.context(), title="Rye")

    (found,) = editor.get("/console/find?q=sour").json
    url = f"/console/documents/{document['id']}"
    assert found["title"] == document["title"]
    assert (found["status"], found["url"], found["address"]) == ("Drafting", url, "how-to-begin-a-sourdough-starter")
    assert len(editor.get("/console/find").json) == 2


def planned(editor: Visitor, table: str, **choices: str) -> str:
    """Pastes a sheet and confirms it with the choices that the grid proposes, or others."""
    tried = editor.post("/console/plan/many", table=table).text
    return editor.post("/console/plan/many", confirmed="yes", **sent(tried) | asked(tried) | choices).text


def asked(page: str) -> dict[str, str]:
    """Returns what is chosen for the rows that can mean several documents."""
    found = re.findall(r'name="(piece\.\d+)"(.*?)</select>', page, re.DOTALL)
    return {name: (re.findall('value="([^"]*)" selected', options) or [""])[0] for name, options in found}


def all_due(project: Project) -> list[tuple[str, str, str | None]]:
    """Returns the title, the key and the due date of each document, by key."""
    fields = {"sort": "title", "limit": 100, "offset": 0}
    found = OPERATIONS["list_documents"](project.context(), fields=fields).body
    return sorted((one["title"], one["key"], one["dueDate"]) for one in found)


@pytest.mark.needs_mongod
def test_a_title_that_comes_again_makes_a_new_document_once_the_one_before_is_published(
    editor: Visitor, project: Project
) -> None:
    planned(editor, "Title\tDue\nWeekly letter\t1.3.2099\n")
    first = documents(project)["Weekly letter"]
    OPERATIONS["write_content"](project.context(), first["id"], fields={"markdown": "Dear all.", "baseVersion": 1})
    OPERATIONS["publish_document"](project.context(), first["id"], fields={})
    same = editor.post("/console/plan/many", table="Title\tDue\nWeekly letter\t1.3.2099\n").text
    assert ("<strong>1</strong> unchanged" in same, asked(same)) == (True, {})

    tried = editor.post("/console/plan/many", table="Title\tDue\nWeekly letter\t8.3.2099\n").text
    assert asked(tried) == {"piece.0": "new"}
    planned(editor, "Title\tDue\nWeekly letter\t8.3.2099\n")
    both = [("Weekly letter", "Weekly letter", "2099-03-01"), ("Weekly letter", "Weekly letter-2", "2099-03-08")]
    assert all_due(project) == both

    planned(editor, "Title\tDue\nweekly  Letter\t9.3.2099\n", **{"piece.0": "Weekly letter-2"})
    assert [due for *_, due in all_due(project)] == ["2099-03-01", "2099-03-09"]
    planned(editor, "Title\tDue\nWeekly letter\t2.3.2099\n", **{"piece.0": "Weekly letter"})
    assert [due for *_, due in all_due(project)] == ["2099-03-02", "2099-03-09"]


def test_a_document_that_has_another_title_now_is_changed_only_if_that_is_chosen(
    editor: Visitor, project: Project
) -> None:
    planned(editor, "Title\nC# basics\n")
    old = documents(project)["C# basics"]
    OPERATIONS["update_document"](project.context(), old["id"], fields={"title": "Sharp basics"})
    table = "Title\tDue\nC# basics\t1.3.2099\nC++ basics\t\n"
    tried = editor.post("/console/plan/many", table=table).text
    assert asked(tried) == {"piece.0": ""}
    assert "<strong>1</strong> new, <strong>1</strong> to correct" in tried
    assert "would happen" in planned(editor, table, **{"piece.0": ""})
    assert list(documents(project)) == ["Sharp basics"]

    planned(editor, table, **{"piece.0": "new"})
    assert [title for title, *_ in all_due(project)] == ["C# basics", "C++ basics", "Sharp basics"]


def test_a_title_that_a_document_without_a_key_has_is_pointed_out(editor: Visitor, project: Project) -> None:
    document = a_document(project.context(), title="Rye")
    page = editor.post("/console/plan/many", table="Title\nrye\nOats\n").text
    assert "<strong>2</strong> new" in page
    assert page.count("has this title.") == 1
    assert f'href="/console/documents/{document["id"]}">A document</a> has this title.' in page


def test_what_is_in_the_trash_does_not_hold_its_title(editor: Visitor, project: Project) -> None:
    planned(editor, "Title\nRye\n")
    OPERATIONS["delete_document"](project.context(), documents(project)["Rye"]["id"])
    assert "<strong>1</strong> created" in planned(editor, "Title\nRye\n")


def test_an_unknown_status_is_asked_about_once_for_all_its_rows(editor: Visitor, project: Project) -> None:
    table = "Title\tStatus\nRye\tWaiting\nSalt\tgeplant\nOats\tWaiting\n"
    tried = editor.post("/console/plan/many", table=table).text
    assert chosen(tried) == {"use.0.1": ""}
    assert "<strong>1</strong> new, <strong>2</strong> to correct" in tried
    planned(editor, table, **{"use.0.1": "idea"})
    statuses = {title: one["status"] for title, one in documents(project).items()}
    assert statuses == {"Rye": "idea", "Salt": "planned", "Oats": "idea"}


def test_rows_without_a_status_begin_as_planned_as_the_form_of_a_document_does(
    editor: Visitor, project: Project
) -> None:
    table = "Title\tStatus\tKeyword\nRye\t\trye\nSalt\t\t\nOats\tWaiting\t\nSpelt\tidea\t\n"
    planned(editor, table, **{"use.2.1": "empty"})
    statuses = {title: one["status"] for title, one in documents(project).items()}
    assert statuses == {"Rye": "planned", "Salt": "planned", "Oats": "planned", "Spelt": "idea"}


@pytest.mark.parametrize("page", ["board", "table", "calendar"])
def test_a_sheet_is_reached_from_where_documents_are_listed(editor: Visitor, reader: Visitor, page: str) -> None:
    link = '<a class="button wide" href="/console/plan/many">From a sheet</a>'
    assert (link in editor.get(f"/console/{page}").text, link in reader.get(f"/console/{page}").text) == (True, False)
