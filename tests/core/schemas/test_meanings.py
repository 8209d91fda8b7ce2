"""What confirming a draft and writing a brief find wrong in a value of the right shape."""

import pytest

from app.categories.schemas import DraftCategoryFields, DraftClusterFields
from app.core.schemas.loading import cached_schema, problems
from app.documents.schemas import BriefFields, ScheduleFields
from app.intents.schemas import DraftDocumentFields

TITLED = {"title": "Rye"}
BLANK = ("", " ", "\t\n", "\N{NO-BREAK SPACE}", "\N{IDEOGRAPHIC SPACE}")

TABLES = {
    "a title": (DraftDocumentFields, {}, "title", (" a ",), BLANK),
    "the name of a cluster": (DraftClusterFields, {}, "name", (" a ",), BLANK),
    "the name of a category": (DraftCategoryFields, {"slug": "bread"}, "name", (" a ",), BLANK),
    "the slug of a category": (
        *(DraftCategoryFields, {"name": "Bread"}, "slug"),
        ("bread", "b", "7", "rye-bread-2", "a-1-b"),
        (
            *("", "-", "Bread", "rye bread", "rye--bread", "-rye", "rye-", "rye_bread", "ryé", "rye\n", "٣"),
            *("a/b", "a.b"),
        ),
    ),
    "the status of a draft": (
        *(DraftDocumentFields, TITLED, "status"),
        ("idea", "planned", "drafting"),
        ("review", "approved", "scheduled", "published", "Idea", "", "draft", "idea "),
    ),
    "a due date": (
        *(DraftDocumentFields, TITLED, "dueDate"),
        ("2027-02-14", "2028-02-29", "0001-01-01", "9999-12-31"),
        (
            *("", "soon", "2027-02-29", "2027-13-01", "2027-00-10", "2027-01-32", "0000-01-01", "2027-1-1", "20270101"),
            *("2027-W05-1", "2027-01-31T00:00:00Z", " 2027-01-31", "2027-01-31\n", "٢٠٢٧-٠١-٣١", "+2027-01-31"),
            "12027-01-31",
        ),
    ),
    "a timestamp": (
        *(ScheduleFields, {}, "publishAt"),
        (
            *("2027-01-31T09:00:00Z", "2027-01-31 09:00+01:00", "2027-01-31T09:00:00.123456-11:30"),
            *("9999-12-31T23:59Z", "2027-01-31T09:00+01", "2027-01-31T09:00-0330", "2027-01-31T09:00+05:59"),
        ),
        (
            *("", "now", "2027-01-31", "2027-01-31T09:00:00", "2027-02-29T09:00:00Z", "2027-01-31T25:00:00Z"),
            *("2027-01-31x09:00:00Z", "2027-01-31\U0001f35e09:00:00Z", "20270131T0900Z", "2027-W05-7T09:00Z"),
            *("2027-01-31T09Z", "2027-01-31T09:00:00Z\n", "٢٠٢٧-٠١-٣١T09:00:00Z", "0001-01-01T00:00:00+10:00"),
            *("2027-01-31T09:00:00+14:99", "2027-01-31T09:00-0060", "2027-01-31T09:00+01:30:75"),
            "2027-01-31T09:00+24:00",
        ),
    ),
    "a slug": (
        *(DraftDocumentFields, TITLED, "slug"),
        ("rye", "Rye", "rye_bread", "rye.html", "~rye", "brød", "хлеб", "面包", "a--b", "-"),
        (
            *("", " ", "rye bread", "rye/bread", "/rye", "rye?", "rye#1", "a%20b", "a&b", "a:b", "a@b", "a;b", "a,b"),
            *("a=b", "a+b", "a\\b", "[a]", "a'b", 'a"b', "a\tb", "a\x7fb", "a\x85b", "a\N{NO-BREAK SPACE}b", ".", ".."),
            "rye\n",
        ),
    ),
    "a search intent": (
        *(BriefFields, {}, "intent"),
        ("informational", "commercial", "transactional", "navigational"),
        ("", "Informational", "curious", "informational "),
    ),
}
"""By what it is: the table, its other fields, the name of the field, values that are right and that are wrong."""

URLS = (
    *("http://a.example", "https://a.example", "HTTPS://A.EXAMPLE/", "https://a.example:8443/p?q=1#f"),
    *("https://user@a.example", "http://127.0.0.1", "http://[::1]/", "https://bücher.example/ä"),
)
NO_URLS = (
    *(
        "",
        "a.example",
        "//a.example",
        "ftp://a.example",
        "javascript:alert(1)",
        "http:",
        "http://",
        "mailto:a@b.example",
    ),
    *("https:///path", "http:a.example", "http://:80", "http://a.example:port", "http://a.example:99999"),
    *("http://[::1", "http://[zz]", "http://a b.example", "https://a.example/a b", " https://a.example"),
    *("https://a.example\n", "mailto:a@b.example"),
)


def wrong(table, data) -> list[str]:
    return [problem["field"] for problem in problems(table, data)]


@pytest.mark.contract(
    "intent-document.title",
    "intent-cluster.name",
    "intent-category.name",
    "decided-intents.title",
    "intent-category.slug",
    "decided-intents.category-slug",
    "intent-document.status",
    "intent-document.dueDate",
    "decided-intents.dueDate",
    "decided-intents.slug-form",
    "brief.intent",
    "endpoints-briefs.rules",
)
@pytest.mark.parametrize("what", TABLES)
def test_what_a_field_may_hold_and_what_it_may_not(what) -> None:
    table, others, name, right, refused = TABLES[what]

    assert {value: wrong(table, {**others, name: value}) for value in right} == dict.fromkeys(right, [])
    assert {value: wrong(table, {**others, name: value}) for value in refused} == dict.fromkeys(refused, [name])


def test_titles_names_and_slugs_of_categories_are_needed() -> None:
    assert wrong(DraftDocumentFields, {}) == ["title"]
    assert wrong(DraftClusterFields, {}) == ["name"]
    assert wrong(DraftCategoryFields, {}) == ["name", "slug"]


@pytest.mark.contract("brief.referenceUrls", "decided-briefs.urls-parse")
def test_a_reference_is_an_http_or_https_url_with_a_host() -> None:
    assert wrong(BriefFields, {"referenceUrls": [*URLS]}) == []
    for url in NO_URLS:
        assert wrong(BriefFields, {"referenceUrls": ["https://a.example", url]}) == ["referenceUrls[1]"], url


@pytest.mark.contract("decided-intents.paths")
def test_problems_inside_the_brief_have_its_path_and_are_sorted_as_text() -> None:
    urls = ["ftp://a.example"] * 11
    draft = {"slug": "a b", "dueDate": "soon", "brief": {"intent": "x", "referenceUrls": urls}}

    assert wrong(DraftDocumentFields, draft) == [
        "brief.intent",
        "brief.referenceUrls[0]",
        "brief.referenceUrls[10]",
        *(f"brief.referenceUrls[{place}]" for place in range(1, 10)),
        "dueDate",
        "slug",
        "title",
    ]


def test_unset_fields_are_no_problem() -> None:
    nothing = dict.fromkeys(set(cached_schema(DraftDocumentFields).fields) - {"title"})

    assert wrong(DraftDocumentFields, {**TITLED, **nothing}) == []
    assert wrong(BriefFields, dict.fromkeys(cached_schema(BriefFields).fields)) == []
