"""What confirming a draft and writing a brief find wrong in a value of the right shape."""

import pytest

from app.schemas.briefs import BriefFields
from app.schemas.documents import ScheduleFields
from app.schemas.intents import DraftDocumentFields
from app.schemas.loading import cached_schema, problems
from app.schemas.named import DraftCategoryFields, DraftClusterFields
from app.schemas.webhooks import WebhookFields

TITLED = {"title": "Rye"}
CATEGORY = {"name": "Bread", "slug": "bread"}


def wrong(table, data) -> list[str]:
    return [problem["field"] for problem in problems(table, data)]


@pytest.mark.contract("intent-document.title", "intent-cluster.name", "intent-category.name", "decided-intents.title")
@pytest.mark.parametrize(
    ("table", "others", "name"),
    [
        (DraftDocumentFields, {}, "title"),
        (DraftClusterFields, {}, "name"),
        (DraftCategoryFields, {"slug": "bread"}, "name"),
    ],
)
def test_a_title_or_name_is_needed_and_not_blank(table, others, name) -> None:
    assert wrong(table, others) == [name]
    for blank in ("", " ", "\t\n", "\N{NO-BREAK SPACE}", "\N{IDEOGRAPHIC SPACE}"):
        assert wrong(table, {**others, name: blank}) == [name]
    assert wrong(table, {**others, name: " a "}) == []


@pytest.mark.contract("intent-category.slug", "decided-intents.category-slug")
@pytest.mark.parametrize("slug", ["bread", "b", "7", "rye-bread-2", "a-1-b"])
def test_what_a_category_slug_may_be(slug) -> None:
    assert wrong(DraftCategoryFields, {**CATEGORY, "slug": slug}) == []


@pytest.mark.contract("intent-category.slug", "decided-intents.category-slug")
@pytest.mark.parametrize(
    "slug",
    ["", "-", "Bread", "rye bread", "rye--bread", "-rye", "rye-", "rye_bread", "ryé", "rye\n", "٣", "a/b", "a.b"],
)
def test_what_a_category_slug_may_not_be(slug) -> None:
    assert wrong(DraftCategoryFields, {**CATEGORY, "slug": slug}) == ["slug"]


def test_a_category_needs_a_slug() -> None:
    assert wrong(DraftCategoryFields, {"name": "Bread"}) == ["slug"]


@pytest.mark.contract("intent-document.status")
@pytest.mark.parametrize("status", ["idea", "planned", "drafting"])
def test_a_document_may_begin_in_three_statuses(status) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "status": status}) == []


@pytest.mark.contract("intent-document.status")
@pytest.mark.parametrize("status", ["review", "approved", "scheduled", "published", "Idea", "", "draft", "idea "])
def test_a_document_may_begin_in_no_other_status(status) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "status": status}) == ["status"]


@pytest.mark.contract("intent-document.dueDate", "decided-intents.dueDate")
@pytest.mark.parametrize("day", ["2027-02-14", "2028-02-29", "0001-01-01", "9999-12-31"])
def test_a_due_date_is_a_day_of_the_calendar(day) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "dueDate": day}) == []


@pytest.mark.contract("intent-document.dueDate", "decided-intents.dueDate")
@pytest.mark.parametrize(
    "day",
    [
        *("", "soon", "2027-02-29", "2027-13-01", "2027-00-10", "2027-01-32", "0000-01-01", "2027-1-1", "20270101"),
        *("2027-W05-1", "2027-01-31T00:00:00Z", " 2027-01-31", "2027-01-31\n", "٢٠٢٧-٠١-٣١", "+2027-01-31"),
        "12027-01-31",
    ],
)
def test_a_due_date_is_nothing_else(day) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "dueDate": day}) == ["dueDate"]


@pytest.mark.parametrize(
    "instant",
    ["2027-01-31T09:00:00Z", "2027-01-31 09:00+01:00", "2027-01-31T09:00:00.123456-11:30", "9999-12-31T23:59Z"]
    + ["2027-01-31T09:00+01", "2027-01-31T09:00-0330", "2027-01-31T09:00+05:59"],
)
def test_a_timestamp_has_its_offset(instant) -> None:
    assert wrong(ScheduleFields, {"publishAt": instant}) == []


@pytest.mark.parametrize(
    "instant",
    [
        *("", "now", "2027-01-31", "2027-01-31T09:00:00", "2027-02-29T09:00:00Z", "2027-01-31T25:00:00Z"),
        *("2027-01-31x09:00:00Z", "2027-01-31\U0001f35e09:00:00Z", "20270131T0900Z", "2027-W05-7T09:00Z"),
        *("2027-01-31T09Z", "2027-01-31T09:00:00Z\n", "٢٠٢٧-٠١-٣١T09:00:00Z", "0001-01-01T00:00:00+10:00"),
        *("2027-01-31T09:00:00+14:99", "2027-01-31T09:00-0060", "2027-01-31T09:00+01:30:75", "2027-01-31T09:00+24:00"),
    ],
)
def test_a_timestamp_is_nothing_else(instant) -> None:
    assert wrong(ScheduleFields, {"publishAt": instant}) == ["publishAt"]


@pytest.mark.contract("decided-intents.slug-form")
@pytest.mark.parametrize("slug", ["rye", "Rye", "rye_bread", "rye.html", "~rye", "brød", "хлеб", "面包", "a--b", "-"])
def test_a_slug_is_one_path_segment(slug) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "slug": slug}) == []


@pytest.mark.contract("decided-intents.slug-form")
@pytest.mark.parametrize(
    "slug",
    [
        *("", " ", "rye bread", "rye/bread", "/rye", "rye?", "rye#1", "a%20b", "a&b", "a:b", "a@b", "a;b", "a,b"),
        *("a=b", "a+b", "a\\b", "[a]", "a'b", 'a"b', "a\tb", "a\x7fb", "a\x85b", "a\N{NO-BREAK SPACE}b", ".", ".."),
        "rye\n",
    ],
)
def test_a_slug_holds_no_space_slash_control_or_reserved_character(slug) -> None:
    assert wrong(DraftDocumentFields, {**TITLED, "slug": slug}) == ["slug"]


@pytest.mark.contract("brief.intent", "endpoints-briefs.rules")
@pytest.mark.parametrize("intent", ["informational", "commercial", "transactional", "navigational"])
def test_a_search_intent_is_one_of_four(intent) -> None:
    assert wrong(BriefFields, {"intent": intent}) == []


@pytest.mark.contract("brief.intent", "endpoints-briefs.rules")
@pytest.mark.parametrize("intent", ["", "Informational", "curious", "informational "])
def test_a_search_intent_is_no_other_word(intent) -> None:
    assert wrong(BriefFields, {"intent": intent}) == ["intent"]


@pytest.mark.contract("brief.referenceUrls", "decided-briefs.urls-parse")
@pytest.mark.parametrize(
    "url",
    [
        *("http://a.example", "https://a.example", "HTTPS://A.EXAMPLE/", "https://a.example:8443/p?q=1#f"),
        *("https://user@a.example", "http://127.0.0.1", "http://[::1]/", "https://bücher.example/ä"),
    ],
)
def test_a_reference_is_an_http_or_https_url_with_a_host(url) -> None:
    assert wrong(BriefFields, {"referenceUrls": [url]}) == []


@pytest.mark.contract("brief.referenceUrls", "decided-briefs.urls-parse")
@pytest.mark.parametrize(
    "url",
    [
        *("", "a.example", "//a.example", "ftp://a.example", "javascript:alert(1)", "http:", "http://"),
        *("https:///path", "http:a.example", "http://:80", "http://a.example:port", "http://a.example:99999"),
        *("http://[::1", "http://[zz]", "http://a b.example", "https://a.example/a b", " https://a.example"),
        *("https://a.example\n", "mailto:a@b.example"),
    ],
)
def test_a_reference_is_no_other_url(url) -> None:
    assert wrong(BriefFields, {"referenceUrls": ["https://a.example", url]}) == ["referenceUrls[1]"]


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


def test_a_wrong_type_of_event_is_told_all_there_are() -> None:
    webhook = {"url": "https://a.example", "events": ["brief.ready", "document.publish"]}

    [problem] = problems(WebhookFields, webhook)

    assert problem["field"] == "events[1]"
    assert problem["message"].startswith("Must be one of document.created, ")
