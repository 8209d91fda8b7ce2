"""The list of documents: every filter, every sort, in pages that neither skip nor repeat (decisions, section 5)."""

from itertools import pairwise
from typing import Any

import pytest

from app.core.store.store import Store
from app.documents.schemas import SORTS
from tests.documents.steps import (
    NOBODY,
    a_category,
    a_cluster,
    a_document,
    a_document_in,
    a_member,
    claimed,
    expire_claim,
    ok,
    path_of,
    refused,
)
from tests.make import Project
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod


def ids(rest: Rest, query: str = "") -> list[str]:
    return [document["id"] for document in ok(rest.get(f"/documents?limit=100&{query}"))]


def titles(rest: Rest, query: str = "") -> list[str]:
    return [document["title"] for document in ok(rest.get(f"/documents?limit=100&{query}"))]


@pytest.mark.contract("decided-documents.list")
def test_a_list_has_records_with_the_brief_and_without_the_long_texts(rest: Rest) -> None:
    document = a_document_in(rest, "published", brief={"keyword": "rye"})

    [listed] = ok(rest.get("/documents"))

    assert listed == {name: value for name, value in document.items() if name not in ("content", "publishedMarkdown")}
    assert listed["brief"]["keyword"] == "rye"


SORT_BY = {
    "updatedAt": lambda one: one["updatedAt"],
    "createdAt": lambda one: one["createdAt"],
    "title": lambda one: one["title"].casefold(),
    "dueDate": lambda one: one["dueDate"],
}


@pytest.fixture
def shelf(rest: Rest) -> list[dict[str, Any]]:
    """Twelve documents with titles in either case and due dates that occur twice, or not at all."""
    names = ("rye", "RYE", "Ähre", "ähre", "Spelt", "oats")
    days = ("2027-03-01", None, "2027-01-31", None, "2027-01-31", "2026-12-24")
    made = [a_document(rest, title=names[number % 6], dueDate=days[number % 6]) for number in range(12)]
    for document in made[::3]:
        ok(rest.patch(path_of(document), {"subtitle": "changed"}))
    return ok(rest.get("/documents"))


@pytest.mark.contract("decided-documents.list-sorts")
@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_is_a_total_order_that_pages_follow(rest: Rest, shelf: list[dict[str, Any]], sort: str) -> None:
    whole = ok(rest.get(f"/documents?sort={sort}"))
    key = SORT_BY[sort.removeprefix("-")]

    assert {one["id"] for one in whole} == {one["id"] for one in shelf}
    dated = [one for one in whole if key(one) is not None]
    assert whole[: len(dated)] == dated  # no due date comes last both ways
    pairs = [((key(one), one["id"]), (key(other), other["id"])) for one, other in pairwise(dated)]
    assert all(one > other if sort.startswith("-") else one < other for one, other in pairs)
    pages = [ok(rest.get(f"/documents?sort={sort}&limit=5&offset={offset}")) for offset in (0, 5, 10, 15)]
    assert [one for page in pages for one in page] == whole


@pytest.mark.contract("decided-documents.list-sorts")
def test_without_a_sort_the_latest_change_comes_first(rest: Rest, shelf: list[dict[str, Any]]) -> None:
    assert ok(rest.get("/documents")) == ok(rest.get("/documents?sort=-updatedAt"))


@pytest.mark.contract("decided-documents.list-filters")
def test_documents_are_found_by_status(rest: Rest) -> None:
    made = {
        status: a_document_in(rest, status)["id"] for status in ("idea", "drafting", "review", "scheduled", "published")
    }

    assert ids(rest, "status=review") == [made["review"]]
    assert set(ids(rest, "status=idea,published,published")) == {made["idea"], made["published"]}
    assert ids(rest, "status=approved") == []
    assert ids(rest, "isPublished=true") == [made["published"]]
    assert set(ids(rest, "isPublished=false")) == set(made.values()) - {made["published"]}


@pytest.mark.contract("decided-documents.list-filters")
@pytest.mark.parametrize("field", ["categoryId", "clusterId", "assigneeId"])
def test_documents_are_found_by_what_they_are_filed_under(rest: Rest, field: str) -> None:
    make = {"categoryId": a_category, "clusterId": a_cluster, "assigneeId": a_member}[field]
    one, other = (make(rest, name)["id"] for name in ("One", "Other"))
    first, second, third = (a_document(rest, **fields)["id"] for fields in ({field: one}, {field: other}, {}))

    assert ids(rest, f"{field}={one}") == [first]
    assert set(ids(rest, f"{field}={one},{other.upper()}")) == {first, second}
    assert ids(rest, f"{field}=none") == [third]
    assert set(ids(rest, f"{field}=none,{one}")) == {first, third}
    assert ids(rest, f"{field}={NOBODY}") == []
    refused(rest.get(f"/documents?{field}=nonsense"), "HttpApiDecodeError")
    refused(rest.get(f"/documents?{field}={one},"), "HttpApiDecodeError")


@pytest.mark.contract("decided-documents.list-filters", "decided-briefs.ended-by-worker")
def test_documents_are_found_by_the_state_of_their_brief(rest: Rest, project: Project, store: Store) -> None:
    holder = rest.by(project.token("Night writer", agent="writer-1"))
    unwritten, none, ready, taken, expired = (
        a_document(rest, **fields) for fields in ({}, {"brief": {}}, {"brief": {}}, {"brief": {}}, {"brief": {}})
    )
    ok(rest.post(f"{path_of(ready)}/brief/ready"))
    claimed(rest, taken, holder)
    claimed(rest, expired, holder, leaseSeconds=60)
    expire_claim(store, expired)

    assert set(ids(rest, "briefState=none")) == {unwritten["id"], none["id"]}
    assert set(ids(rest, "briefState=ready")) == {ready["id"], expired["id"]}
    assert ids(rest, "briefState=claimed") == [taken["id"]]
    assert ids(rest, "briefState=drafted") == []
    assert set(ids(rest, "briefState=claimed,none")) == {unwritten["id"], none["id"], taken["id"]}


@pytest.mark.contract("decided-documents.list-filters")
def test_due_dates_are_bounds_that_count_themselves(rest: Rest) -> None:
    days = ("2027-01-30", "2027-01-31", "2027-02-01")
    a_document(rest, title="undated")
    for day in days:
        a_document(rest, title=day, dueDate=day)

    assert titles(rest, "sort=dueDate&dueBefore=2027-01-31") == [*days[:2]]
    assert titles(rest, "sort=dueDate&dueAfter=2027-01-31") == [*days[1:]]
    assert titles(rest, "dueAfter=2027-01-31&dueBefore=2027-01-31") == [days[1]]


@pytest.mark.contract("decided-documents.list-filters")
def test_documents_changed_since_an_instant_are_found_that_instant_counted(rest: Rest) -> None:
    first = a_document(rest)
    second = a_document(rest)
    since = second["updatedAt"]

    assert ids(rest, f"updatedSince={since}") == [second["id"]]
    for offset in ("%2B00:00", "+00:00", " 00:00"):  # the last two are a space
        shown = ids(rest, f"updatedSince={first['updatedAt'].replace('Z', offset)}")
        assert set(shown) == {first["id"], second["id"]}


def test_a_copy_by_time_of_change_misses_no_document_that_others_move_or_delete_meanwhile(rest: Rest) -> None:
    """As docs/api.md says under "Lists", in pages of 3."""
    pieces = [{"key": str(number), "title": f"Planned {number}"} for number in range(7)]
    ok(rest.post("/plan", {"pieces": pieces}))  # with one time of change
    for number in range(9):
        a_document(rest, title=f"Rye {number}")
    copied, since, offset, page = {}, "1970-01-01T00:00:00Z", 0, [{}] * 3
    while len(page) == 3:
        page = ok(rest.get(f"/documents?sort=updatedAt&limit=3&offset={offset}&updatedSince={since}"))
        copied |= {document["id"]: document["title"] for document in page}
        offset = offset + 3 if page[-1]["updatedAt"] == since else 0
        since = page[-1]["updatedAt"]
        if len(copied) in (9, 12):
            ok(rest.delete(f"/documents/{page[0]['id']}"))
            ok(rest.patch(f"/documents/{page[1]['id']}", {"subtitle": "Changed"}))

    assert {one["id"]: one["title"] for one in ok(rest.get("/documents?limit=100"))}.items() <= copied.items()


TITLES = {"Crème brûlée", "Die Straße", "Of crumbs", "Rye & friends", "黒パン", "Smørrebrød à Łódź"}
QUERIES = {
    "rye": {"Rye & friends", "Of crumbs"},
    "RYE FRIENDS": {"Rye & friends"},
    "crème": {"Crème brûlée"},
    "creme brulee": {"Crème brûlée"},
    "brul": {"Crème brûlée"},
    "BRÛ crème": set(),
    "crème BRÛ": {"Crème brûlée"},
    "br ": {"Crème brûlée"},
    "b": set(),
    "rye f": set(),
    "gol rye": set(),
    "rye gol": {"Of crumbs"},
    "l'étr": set(),
    "str": {"Die Straße"},
    "黒": {"黒パン"},
    "黒パ": set(),
    "^cr.*": {"Crème brûlée", "Of crumbs"},
    "strasse": {"Die Straße"},
    "smorrebrod lodz": {"Smørrebrød à Łódź"},
    "SMØRRE": {"Smørrebrød à Łódź"},
    "brioche": {"Crème brûlée"},
    "golden": {"Of crumbs"},
    "golden rye": {"Of crumbs"},
    "golden crumbs": {"Of crumbs"},
    "hansen": set(),
    "黒パン": {"黒パン"},
    **dict.fromkeys(("", " ", "!!!"), TITLES),
}


@pytest.mark.contract("decided-documents.q")
@pytest.mark.parametrize("q", QUERIES)
def test_words_are_found_ignoring_case_and_accents_the_last_one_by_its_beginning(rest: Rest, q: str) -> None:
    a_document(rest, title="Rye & friends", slug="one")
    a_document(rest, title="Crème brûlée", slug="brioche-nanterre")
    a_document(rest, title="Die Straße", slug="three")
    a_document(rest, title="Of crumbs", slug="four", brief={"keyword": "golden rye"})
    a_document(rest, title="黒パン", slug="five", markdown="hansen")
    a_document(rest, title="Smørrebrød à Łódź", slug="six")

    response = rest.client.get(
        "/documents", query_string={"q": q}, headers={"Authorization": f"Bearer {rest.token.secret}"}
    )

    assert {document["title"] for document in ok(response)} == QUERIES[q]


@pytest.mark.contract("decided-documents.q")
def test_words_that_are_gone_find_nothing_any_more(rest: Rest) -> None:
    document = a_document(rest, title="Rye", slug="dark", brief={"keyword": "levain"})
    ok(rest.patch(path_of(document), {"title": "Spelt"}))
    ok(rest.patch(f"{path_of(document)}/brief", {"keyword": "starter"}))

    found = {word: len(ids(rest, f"q={word}")) for word in ("rye", "spelt", "dark", "levain", "starter")}

    assert found == {"rye": 0, "spelt": 1, "dark": 1, "levain": 0, "starter": 1}


@pytest.mark.contract("decided-documents.list-filters")
def test_the_trash_is_a_list_of_its_own_with_the_same_filters(rest: Rest) -> None:
    kept, planned, idea = a_document(rest), a_document(rest, status="planned"), a_document(rest, status="idea")
    for document in (planned, idea):
        ok(rest.delete(path_of(document)))

    assert ids(rest) == ids(rest, "deleted=false") == [kept["id"]]
    assert ids(rest, "deleted=true") == [idea["id"], planned["id"]]
    assert ids(rest, "deleted=true&status=planned") == [planned["id"]]


@pytest.mark.contract("decided-pages.slug")
def test_documents_are_found_by_their_present_slugs(rest: Rest) -> None:
    rye, spelt, oats = (a_document(rest, title=name, slug=name) for name in ("rye", "spelt", "oats"))
    live = a_document_in(rest, "published", slug="barley")
    ok(rest.patch(path_of(live), {"slug": "pearl-barley"}))
    ok(rest.delete(path_of(oats)))
    again = a_document(rest, slug="oats")

    assert set(ids(rest, "slug=rye,spelt,nothing")) == {rye["id"], spelt["id"]}
    assert ids(rest, "slug=Rye") == ids(rest, "slug=") == ids(rest, "slug=barley") == []
    assert ids(rest, "slug=pearl-barley") == [live["id"]]
    assert ids(rest, "slug=oats") == [again["id"]]
    assert ids(rest, "slug=oats&deleted=true") == [oats["id"]]
    assert ids(rest, "slug=rye,spelt&q=rye&status=drafting") == [rye["id"]]
    assert ids(rest, f"slug={','.join([*map(str, range(99)), 'rye'])}") == [rye["id"]]


@pytest.mark.contract("decided-pages.count")
def test_the_documents_of_all_pages_are_counted_where_that_is_asked_for(rest: Rest) -> None:
    for number in range(5):
        a_document(rest, title=f"Loaf {number}", status=("idea", "planned")[number % 2])

    def total(query: str) -> str | None:
        response = rest.get(f"/documents?{query}")
        assert response.status_code == 200
        return response.headers.get("Total-Count")

    assert total("limit=2&count=true") == total("limit=2&offset=4&count=true") == total("offset=900&count=true") == "5"
    assert total("status=planned&count=true") == "2"
    assert total("q=loaf&count=true") == total("q=!!!&count=true") == "5"
    assert total("slug=none&count=true") == total("deleted=true&count=true") == "0"
    assert total("limit=2") is total("limit=2&count=false") is total("q=!!!") is None


WRONG = (
    *(
        "limit=0",
        "limit=101",
        "limit=ten",
        "offset=-1",
        "offset=100001",
        "sort=name",
        "sort=",
        "status=done",
        "status=",
    ),
    *("briefState=open", "isPublished=yes", "isPublished=1", "deleted=TRUE", "dueBefore=soon", "dueAfter=2027-02-29"),
    *(f"slug={'x' * 201}", f"slug={','.join(map(str, range(101)))}", "count=1", "count=yes"),
    *("updatedSince=2027-01-31", "updatedSince=2027-01-31T00:00:00", f"q={'x' * 501}"),
)


@pytest.mark.contract("decided-documents.list")
@pytest.mark.parametrize("query", WRONG)
def test_a_parameter_of_the_wrong_form_is_refused(rest: Rest, query: str) -> None:
    response = rest.get(f"/documents?{query}")

    assert response.status_code == 400
    assert [issue["path"] for issue in refused(response, "HttpApiDecodeError")["issues"]] == [query.partition("=")[0]]


@pytest.mark.contract("decided-documents.list", "limits.last-page")
def test_a_page_has_50_documents_by_default_and_100_at_most(rest: Rest, project: Project) -> None:
    from tests.make import a_document as quickly

    ctx = project.context(rest.token)
    for number in range(101):
        quickly(ctx, title=f"Loaf {number}")

    sizes = {
        query: len(ok(rest.get(f"/documents?{query}")))
        for query in ("", "limit=100", "limit=100&offset=100", "offset=100000")
    }

    rows = ok(rest.get("/documents?limit=100"))
    named = f"slug={','.join(row['slug'] for row in rows)}"
    assert len(ok(rest.get(f"/documents?{named}"))) == 100
    assert len(ok(rest.get(f"/documents?{named}&limit=7"))) == 7
    assert sizes == {"": 50, "limit=100": 100, "limit=100&offset=100": 1, "offset=100000": 0}
