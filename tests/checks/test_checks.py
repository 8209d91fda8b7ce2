"""A document's checks: read, demanded by the project, and the gate before a submit (decisions, section 12)."""

from typing import Any

import pytest

from app.checks import feature
from app.checks.vocabulary import CheckName
from app.core.store.store import Store
from tests.documents.steps import NOBODY, a_document, ok, path_of, refused, types_of
from tests.live import quickest
from tests.make import OPERATIONS, Project
from tests.races.crowd import at_once
from tests.rest.client import Rest

GOOD = "Rye bread keeps for a week.\n\n## Flour\n\nRye flour."
PARAGRAPH = "A **paragraph** with [a link](/rye) about rye bread, number {}, and what it takes to bake it.\n\n"


def checks_of(rest: Rest, document: Any) -> dict[str, list[dict[str, Any]]]:
    """Returns the entries of a document's checks, by check."""
    body = ok(rest.get(f"{path_of(document)}/checks"))
    found: dict[str, list[dict[str, Any]]] = {}
    for one in body["checks"]:
        found.setdefault(one["check"], []).append(one)
    return found


def demand(rest: Rest, **levels: str) -> None:
    ok(rest.patch("/project", {"checks": levels}))


def submit(rest: Rest, document: Any) -> Any:
    return rest.post(f"{path_of(document)}/submit")


@pytest.mark.contract("decided-checks.read")
def test_every_check_is_listed_in_order_with_its_outcome(rest: Rest) -> None:
    linked = a_document(rest, title="Oats")
    brief = {
        "keyword": "rye bread",
        "wordCount": "about 500 words",
        "outline": "Flour\nBaking the loaf",
        "internalLinks": [linked["id"]],
        "referenceUrls": ["https://rye.example/"],
    }
    document = a_document(rest, title="Rye bread", markdown=f"{GOOD}\n\nTODO", brief=brief)

    found = checks_of(rest, document)

    assert list(found) == list(CheckName)
    failed = {check for check, entries in found.items() if entries[0]["outcome"] == "failed"}
    assert failed == {
        *("length", "outline_covered", "internal_links", "references"),
        *("meta_title", "meta_description", "placeholders"),
    }
    assert found["placeholders"][0] == {
        "check": "placeholders",
        "level": "warning",
        "outcome": "failed",
        "message": "'TODO' is a placeholder: write what belongs there.",
        "line": 7,
    }


@pytest.mark.contract("decided-checks.read")
def test_a_check_is_skipped_where_the_document_lacks_what_it_compares_with(rest: Rest) -> None:
    found = checks_of(rest, a_document(rest, brief={"wordCount": "long"}))

    assert {check for check, entries in found.items() if entries[0]["outcome"] == "skipped"} == {
        *("keyword_in_title", "keyword_in_opening", "keyword_in_slug", "length"),
        *("outline_covered", "internal_links", "references", "quotes_verbatim", "keyword_taken"),
    }
    assert rest.get(f"/documents/{NOBODY}/checks").status_code == 404


@pytest.mark.contract("decided-checks.levels")
def test_the_project_switches_checks_off_or_makes_them_errors(rest: Rest) -> None:
    document = a_document(rest)
    demand(rest, meta_title="error", links="off")

    body = ok(rest.get(f"{path_of(document)}/checks"))

    assert body["passed"] is False
    assert [one["level"] for one in body["checks"] if one["check"] == "meta_title"] == ["error"]
    assert not [one for one in body["checks"] if one["check"] == "links"]
    demand(rest, meta_description="warning")
    assert ok(rest.get("/project"))["checks"] == {"meta_description": "warning"}  # replaced whole
    assert ok(rest.get(f"{path_of(document)}/checks"))["passed"] is True
    ok(rest.patch("/project", {"checks": None}))
    assert ok(rest.get("/project"))["checks"] == {}


@pytest.mark.contract("decided-checks.levels")
def test_unknown_names_and_levels_are_refused_all_at_once(rest: Rest) -> None:
    body = refused(rest.patch("/project", {"checks": {"meta_titel": "error", "links": "fatal"}}), "BadRequest")

    assert [one["field"] for one in body["errors"]] == ["checks.links", "checks.meta_titel"]
    for wrong in ({"links": 1}, {"links": None}, [], "error"):
        assert rest.patch("/project", {"checks": wrong}).status_code == 400, wrong


@pytest.mark.contract("decided-checks.gate")
def test_a_document_is_submitted_only_when_no_error_fails(rest: Rest, store: Store) -> None:
    document = a_document(rest)
    demand(rest, meta_title="error", links="error", meta_description="warning")

    body = refused(submit(rest, document), "ChecksFailed")

    assert body["checks"] == [
        {
            "check": "meta_title",
            "level": "error",
            "outcome": "failed",
            "message": "The meta title is missing.",
            "line": None,
        }
    ]
    assert "document.submitted" not in types_of(store, document)
    ok(rest.patch(path_of(document), {"metaTitle": "Rye"}))
    assert ok(submit(rest, document))["status"] == "review"


@pytest.mark.contract("decided-checks.gate")
def test_checks_are_the_last_reason_to_refuse_a_submit(rest: Rest) -> None:
    demand(rest, meta_title="error")

    refused(submit(rest, a_document(rest, markdown=None)), "BadRequest")
    submitted = a_document(rest)
    ok(rest.patch(path_of(submitted), {"metaTitle": "Rye"}))
    ok(submit(rest, submitted))
    refused(submit(rest, submitted), "InvalidTransition")
    assert rest.post(f"/documents/{NOBODY}/submit").status_code == 404
    stale = rest.post(f"{path_of(submitted)}/submit", If_Match='"0-0"')
    assert stale.status_code == 412


@pytest.mark.contract("decided-checks.gate")
def test_what_changed_while_the_checks_ran_is_checked_again(
    rest: Rest, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = a_document(rest)
    ok(rest.patch(path_of(document), {"metaTitle": "Rye"}))
    demand(rest, meta_title="error")
    run, ctx = feature.checks_of, project.context()

    def overtaken(*arguments: Any) -> Any:
        results = run(*arguments)
        monkeypatch.setattr(feature, "checks_of", run)
        OPERATIONS["update_document"](ctx, document["id"], fields={"metaTitle": ""})
        return results

    monkeypatch.setattr(feature, "checks_of", overtaken)

    refused(submit(rest, document), "ChecksFailed")


@pytest.mark.race
@pytest.mark.needs_mongod
@pytest.mark.contract("decided-checks.gate")
def test_no_text_that_fails_is_submitted_however_many_write_it_meanwhile(rest: Rest) -> None:
    document = a_document(rest, markdown="Good.")
    demand(rest, placeholders="error")

    def write() -> Any:
        return rest.put(f"{path_of(document)}/content", {"markdown": "TODO", "baseVersion": 1})

    at_once([write, *([lambda: submit(rest, document)] * 4)])

    history = [one["type"] for one in ok(rest.get(f"{path_of(document)}/activity"))]
    assert history.count("document.submitted") <= 1
    if "document.submitted" in history:  # while the text was still good: before the write, or there was none
        written = history.index("document.content_updated") if "document.content_updated" in history else -1
        assert written < history.index("document.submitted")
    refused(submit(rest, document), "ChecksFailed" if "document.submitted" not in history else "InvalidTransition")


@pytest.mark.contract("decided-checks.keyword-taken")
@pytest.mark.needs_mongod
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Crème  Brûlée", "creme brulee", True),
        ("sourdough", "SOUR DOUGH", True),
        ("Straße", "STRASSE", True),
        ("Łódź Đà", "lodz da", True),
        ("пицца", "ПИЦЦА", True),
        ("酵母", "酵母", True),
        ("酵母", "酵素", False),
        ("rye bread", "rye breads", False),
        ("c++", "c", False),
    ],
)
def test_a_keyword_is_compared_without_case_accents_and_spaces(rest: Rest, one: str, other: str, same: bool) -> None:
    first = a_document(rest, title="First", brief={"keyword": one})
    second = a_document(rest, title="Second", brief={"keyword": other})

    [entry] = checks_of(rest, second)["keyword_taken"]

    assert entry["outcome"] == ("failed" if same else "passed")
    if same:
        assert "'First'" in entry["message"]
        ok(rest.delete(path_of(first)))
        assert checks_of(rest, second)["keyword_taken"][0]["outcome"] == "passed"  # the trash takes no keyword


@pytest.mark.contract("decided-checks.keyword-taken")
def test_a_draft_is_warned_of_a_keyword_that_is_taken(rest: Rest) -> None:
    for number in range(5):
        a_document(rest, title=f"Rye {number}", brief={"keyword": "rye"})
    draft = ok(rest.post("/document-intents", {"title": "Rye", "brief": {"keyword": "rye"}}), 201)
    validate = f"/document-intents/{draft['id']}/validate"

    body = ok(rest.post(validate))

    assert body["valid"] is True
    [warning] = body["warnings"]
    assert (warning["check"], warning["outcome"], warning["level"]) == ("keyword_taken", "failed", "warning")
    assert warning["message"].count("'Rye ") == 3
    demand(rest, keyword_taken="off")
    assert ok(rest.post(validate))["warnings"] == []
    bare = ok(rest.post("/document-intents"), 201)
    assert ok(rest.post(f"/document-intents/{bare['id']}/validate"))["warnings"] == []
    cluster = ok(rest.post("/cluster-intents", {"name": "Rye"}), 201)
    assert "warnings" not in ok(rest.post(f"/cluster-intents/{cluster['id']}/validate"))


@pytest.mark.slow
@pytest.mark.contract("decided-checks.fast")
def test_two_megabytes_of_text_are_checked_in_a_second(rest: Rest) -> None:
    markdown = "".join(PARAGRAPH.format(number) for number in range(30_000))[:2_097_152]
    document = a_document(rest, markdown=markdown, brief={"keyword": "rye bread", "outline": "Flour"})

    assert quickest(lambda: checks_of(rest, document), 3) < 3, "a second on a processor of its own"


PARTS = {
    "keyword": ("wheat", "keyword_in_slug"),
    "wordCount": ("60", "length"),
    "outline": ("Oven", "outline_covered"),
    "internalLinks": ([], "internal_links"),
    "referenceUrls": ([], "references"),
}
"""For each part of a brief another value, and a check that reads it."""


@pytest.mark.contract("decided-guards.gates-stay")
@pytest.mark.parametrize("part", PARTS)
def test_an_agent_does_not_move_what_a_demanded_check_reads(rest: Rest, project: Project, part: str) -> None:
    agent, (value, check) = rest.by(project.token(agent="writer-1")), PARTS[part]
    linked = a_document(rest)
    brief = {"keyword": "rye", "wordCount": "500", "outline": "Flour"}
    brief |= {"internalLinks": [linked["id"]], "referenceUrls": ["https://rye.example/"]}
    written, begun = a_document(rest, brief=brief), a_document(rest, brief=brief, markdown="")
    patched = {part: value}

    ok(agent.patch(f"{path_of(written)}/brief", patched))
    ok(rest.patch(f"{path_of(written)}/brief", {part: brief[part]}))
    demand(rest, **{check: "error"})

    for send in (agent.patch, agent.put):
        assert f" {part}" in refused(send(f"{path_of(written)}/brief", patched), "ReviewRequired")["message"]
    ok(agent.patch(f"{path_of(written)}/brief", {part: brief[part], "audience": "Bakers"}))
    ok(agent.patch(f"{path_of(begun)}/brief", patched))
    ok(rest.patch(f"{path_of(begun)}/brief", {part: brief[part]}))
    ok(rest.post(f"{path_of(begun)}/brief/ready"))
    ok(agent.post(f"{path_of(begun)}/brief/claim"))
    refused(agent.patch(f"{path_of(begun)}/brief", patched), "ReviewRequired")
    ok(rest.patch(f"{path_of(begun)}/brief", patched))


@pytest.mark.contract("decided-guards.gates-stay")
def test_nor_by_a_plan(rest: Rest, project: Project) -> None:
    agent = rest.by(project.token(agent="writer-1"))
    piece = {"key": "rye", "title": "Rye", "markdown": "Rye is dark.", "brief": {"keyword": "rye"}}
    ok(agent.post("/plan", {"pieces": [piece]}))
    demand(rest, keyword_in_title="error")

    planned = {"pieces": [{**piece, "brief": {"keyword": "wheat"}}]}

    [told] = ok(agent.post("/plan", planned))["pieces"]
    assert [one["field"] for one in told["errors"]] == ["brief"]
    assert ok(rest.post("/plan", planned))["pieces"][0]["outcome"] == "updated"


@pytest.mark.contract("decided-site.links")
def test_a_link_to_a_document_that_is_not_published_fails(rest: Rest) -> None:
    ok(rest.patch("/project", {"siteUrl": "https://crust.example/blog/"}))
    for title in ("Draft", "Live", "Gone", "Left", "Again"):
        a = a_document(rest, title=title, markdown="Rye.")
        if title != "Draft":
            ok(rest.post(f"{path_of(a)}/publish"))
        if title == "Gone":
            ok(rest.post(f"{path_of(a)}/unpublish"))
        if title in ("Left", "Again"):
            ok(rest.delete(path_of(a)))
    ok(rest.post(f"{path_of(a_document(rest, title='Again', markdown='Rye.'))}/publish"))
    site = "https://crust.example/blog"
    dead = ("draft", "./draft", f"{site}/draft/", f"{site}/gone?a#b", "/blog/draft/", "//crust.example/blog/gone")
    dead += (
        "../draft/",
        "draft/",
        "draft#a",
        "http://crust.example/blog/draft",
        "HTTPS://Crust.example/blog/draft",
        "left",
        "/blog/left",
    )
    fine = (f"{site}/live", "live", "/blog/live/", "elsewhere", "/elsewhere/draft", "//rye.example/blog/draft")
    fine += ("again", f"{site}/own", "own", "/draft", "mailto:draft@crust.example")
    own = a_document(rest, title="Own", markdown="\n\n".join(f"[a]({link})" for link in (*dead, *fine)))
    failed = [one["message"].split("'")[1] for one in checks_of(rest, own)["links"] if one["outcome"] == "failed"]
    assert failed == [*dead]


def test_a_link_that_the_brief_demands_before_its_document_is_published_has_one_advice(rest: Rest) -> None:
    linked = a_document(rest, title="Oats", markdown="Oats.")
    without, with_link = (
        a_document(rest, title=title, markdown=text, brief={"internalLinks": [linked["id"]]})
        for title, text in (("Rye", "Rye."), ("Wheat", "[Oats](../oats/)"))
    )
    told = [
        one["message"]
        for document, check in ((without, "internal_links"), (with_link, "links"))
        for one in checks_of(rest, document)[check]
    ]

    assert [one.partition(", which is not published yet: ")[2] for one in told] == [told[0].partition("yet: ")[2]] * 2
    assert "wants this link all the same. Only if the check `links` then blocks submitting, leave it out" in told[0]
