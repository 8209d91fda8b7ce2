"""A document's content by sections: its outline, one section, and edits that lose nothing (decisions, section 12)."""

from typing import Any

import pytest

from app.documents.schemas import MAX_MARKDOWN
from app.sections.rules import hash_of
from tests.documents.steps import a_document, claimed, ok, path_of, refused
from tests.make import OPERATIONS, Project
from tests.races.crowd import at_once
from tests.rest.client import Rest

EMPTY_HASH = "e3b0c44298fc1c14"
"""The hash of no text, as the contract names it."""

INTRO, DOUGH, BAKE = "Bread.\n\n", "# Dough\n\nFlour and water.\n\n", "## Bake\n\nHot.\n"


@pytest.fixture
def document(rest: Rest) -> dict[str, Any]:
    return a_document(rest, markdown=INTRO + DOUGH + BAKE)


def content(rest: Rest, document: Any) -> str:
    return ok(rest.get(path_of(document)))["content"]


def edit(rest: Rest, document: Any, *edits: dict[str, Any], **fields: Any) -> Any:
    return rest.call("PATCH", f"{path_of(document)}/content", {"edits": list(edits), **fields})


@pytest.mark.contract("decided-sections.outline")
def test_the_outline_lists_the_sections_with_their_hashes(rest: Rest, document: Any) -> None:
    outline = ok(rest.get(f"{path_of(document)}/outline"))

    assert (outline["version"], outline["words"]) == (1, 7)
    assert [(one["number"], one["level"], one["title"], one["line"], one["words"]) for one in outline["sections"]] == [
        (0, 0, "", 1, 1),
        (1, 1, "Dough", 3, 4),
        (2, 2, "Bake", 7, 2),
    ]
    assert [one["hash"] for one in outline["sections"]] == [hash_of(INTRO), hash_of(DOUGH), hash_of(BAKE)]


@pytest.mark.contract("decided-sections.outline")
def test_a_document_without_content_has_no_sections(rest: Rest) -> None:
    assert ok(rest.get(f"{path_of(a_document(rest, markdown=None))}/outline"))["sections"] == []


@pytest.mark.contract("decided-sections.read")
def test_a_section_is_read_by_its_number(rest: Rest, document: Any) -> None:
    section = ok(rest.get(f"{path_of(document)}/sections/1"))

    assert (section["markdown"], section["title"], section["version"]) == (DOUGH, "Dough", 1)
    for number in ("3", "01", "-1", "x", "1000000000"):
        assert rest.get(f"{path_of(document)}/sections/{number}").status_code == 404


@pytest.mark.contract("decided-sections.edit")
def test_edits_make_one_new_version_and_leave_other_sections_as_they_are(rest: Rest, document: Any) -> None:
    edited = ok(
        edit(
            rest,
            document,
            {"hash": hash_of(DOUGH), "markdown": "# Dough\n\nRye.\n\n"},
            {"hash": hash_of(BAKE), "markdown": "## Rest\n\nLong.\n", "insertAfter": True},
        )
    )

    assert edited["version"] == 2
    assert content(rest, document) == INTRO + "# Dough\n\nRye.\n\n" + BAKE + "\n## Rest\n\nLong.\n"
    assert ok(rest.get(f"{path_of(document)}/activity"))[0]["type"] == "document.content_updated"


@pytest.mark.contract("decided-sections.edit")
def test_an_edit_that_changes_nothing_makes_no_version(rest: Rest, document: Any) -> None:
    assert ok(edit(rest, document, {"hash": hash_of(DOUGH), "markdown": DOUGH}))["version"] == 1

    without_blank_lines = a_document(rest, markdown="# A\none\n# B\n")
    same = {"hash": hash_of("# A\none\n"), "markdown": "# A\none\n"}
    assert ok(edit(rest, without_blank_lines, same))["version"] == 1


@pytest.mark.contract("decided-sections.edit")
def test_a_document_without_content_is_written_by_the_hash_of_nothing(rest: Rest) -> None:
    document = a_document(rest, markdown=None)

    assert ok(edit(rest, document, {"hash": EMPTY_HASH, "markdown": "# First\n"}))["version"] == 2
    assert content(rest, document) == "# First\n"


@pytest.mark.contract("decided-sections.conflict")
def test_sections_that_are_gone_are_a_conflict_that_names_them_and_nothing_is_written(
    rest: Rest, document: Any
) -> None:
    gone = ["0" * 16, EMPTY_HASH]
    edits = [{"hash": one, "markdown": "x"} for one in (gone[0], hash_of(DOUGH), gone[1])]

    refusal = refused(edit(rest, document, *edits), "VersionConflict")

    assert (refusal["version"], refusal["hashes"]) == (1, gone)
    assert content(rest, document) == INTRO + DOUGH + BAKE


@pytest.mark.contract("decided-sections.conflict")
def test_a_number_that_is_not_the_outlines_is_named_in_the_conflict(rest: Rest, document: Any) -> None:
    refusal = refused(edit(rest, document, {"hash": hash_of(DOUGH), "number": 9, "markdown": "x"}), "VersionConflict")

    assert (refusal["hashes"], "`number`" in refusal["message"]) == ([hash_of(DOUGH)], True)


@pytest.mark.contract("decided-sections.refused")
def test_edits_of_the_wrong_form_or_meaning_are_refused(rest: Rest, document: Any) -> None:
    same = {"hash": hash_of(DOUGH), "markdown": "x"}
    twice = edit(rest, document, same, same)
    assert (twice.status_code, twice.json["errors"][0]["field"]) == (422, "edits[1].hash")
    for edits in ([], None, [{"hash": "x", "markdown": ""}], [{"hash": EMPTY_HASH}], [same] * 51, ["x"]):
        wrong = rest.call("PATCH", f"{path_of(document)}/content", {"edits": edits})
        assert (wrong.status_code, wrong.json["_tag"]) == (400, "HttpApiDecodeError"), edits
    long = edit(rest, document, {"hash": hash_of(DOUGH), "markdown": "x" * MAX_MARKDOWN})
    assert (long.status_code, long.json["issues"][0]["path"]) == (400, "edits")


@pytest.mark.contract("decided-sections.refused")
def test_claims_and_conditions_hold_as_for_a_content_write(rest: Rest, project: Project, document: Any) -> None:
    change = {"hash": hash_of(DOUGH), "markdown": ""}
    refused(
        rest.call("PATCH", f"{path_of(document)}/content", {"edits": [change]}, If_Match='"7-1"'), "VersionConflict"
    )
    ready = a_document(rest, markdown=None, brief={"keyword": "rye"})
    claimed(rest, ready, rest.by(project.token("Night writer", agent="writer-1")))
    other = rest.by(project.token("Day writer", agent="writer-2"))
    refused(edit(other, ready, {"hash": EMPTY_HASH, "markdown": "x"}), "BriefClaimed")


EDITS = 10
LONG = f"{'bread' * 40} " * 5_000
"""A section of a megabyte, so that two are nearly the longest text; of long words, as each edit counts the words."""


def section(number: int, count: int) -> str:
    return f"# {number}\n\n{LONG} count={count}\n\n"


@pytest.mark.race
@pytest.mark.slow
@pytest.mark.contract("decided-sections.both")
def test_two_agents_edit_different_sections_without_a_pause_and_none_is_refused_or_lost(project: Project) -> None:
    writers = [project.context(project.token(f"Writer {n}")) for n in range(2)]
    made = OPERATIONS["create_document_intent"](
        writers[0], fields={"title": "Two", "markdown": "".join(section(number, 0) for number in range(2))}
    ).body
    document = OPERATIONS["confirm_intent"](writers[0], made["id"], fields={}).body["document"]

    def read(number: int) -> str:
        text: str = OPERATIONS["read_section"](writers[number], document["id"], str(number + 1)).body["markdown"]
        return text

    def write(number: int) -> None:
        for count in range(1, EDITS + 1):
            edits = [{"hash": hash_of(section(number, count - 1)), "markdown": section(number, count)}]
            OPERATIONS["edit_content"](writers[number], document["id"], fields={"edits": edits})

    at_once([lambda: write(0), lambda: write(1)])

    outline = OPERATIONS["get_outline"](writers[0], document["id"]).body
    assert outline["version"] == 1 + 2 * EDITS
    assert [read(number) for number in range(2)] == [section(number, EDITS) for number in range(2)]


@pytest.mark.contract("decided-sections.headings")
def test_an_edit_says_which_headings_it_dropped(rest: Rest) -> None:
    document = a_document(rest, markdown="# Dough\n\nRye.\n\n# Oven\n\nHot.\n\n# Salt\n\nLittle.\n")
    path = path_of(document)
    sections = {one["title"]: one["hash"] for one in ok(rest.get(f"{path}/outline"))["sections"]}

    def edited(title: str, markdown: str, **headers: str) -> Any:
        return ok(
            rest.patch(f"{path}/content", {"edits": [{"hash": sections[title], "markdown": markdown}]}, **headers)
        )

    assert edited("Dough", "Rye and water.\n", Prefer="return=minimal")["headingsRemoved"] == ["Dough"]
    assert edited("Oven", "# The oven\n\nHotter.\n")["headingsRemoved"] == []
    assert edited("Salt", "")["headingsRemoved"] == ["Salt"]
    sections = {one["title"]: one["hash"] for one in ok(rest.get(f"{path}/outline"))["sections"]}
    assert edited("", "```\nRye.\n")["headingsRemoved"] == ["The oven"]


@pytest.mark.contract("decided-sections.outline")
def test_a_byte_order_mark_hides_no_heading_and_stays_in_the_first_section(rest: Rest) -> None:
    text = "\ufeff# Rye\n\nDark.\n\n# Spelt\n"
    document = a_document(rest, markdown=text)

    sections = ok(rest.get(f"{path_of(document)}/outline"))["sections"]

    assert [(one["number"], one["level"], one["title"], one["line"]) for one in sections] == [
        (1, 1, "Rye", 1),
        (2, 1, "Spelt", 5),
    ]
    assert ok(rest.get(f"{path_of(document)}/sections/1"))["markdown"] == text.removesuffix("# Spelt\n")
    assert ok(rest.post(f"{path_of(document)}/publish"))["publishedMarkdown"] == text
