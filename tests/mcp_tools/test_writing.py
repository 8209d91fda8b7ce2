"""The toolset of a writer: it mends every check, and a piece's conversation is short (decisions, sections 8 and 12)."""

from typing import Any

import pytest

from app.checks.vocabulary import CheckName
from app.features import ALL, CHECKS
from mcp_tools.tools import tools_of
from tests.make import Project, a_ready_brief, made
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

TOOLS = tools_of(ALL)

CONVERSATION_BYTES = 8_000

MINIMAL = {"id", "version", "status", "briefState"}

META = "What a sourdough starter is, how to begin one in a week, and what to do when it fails."
WORDS = "Flour and water stand in a jar for a week. " * 7
TEXT = f"""# A sourdough starter

A sourdough starter is flour and water. {WORDS}

## Feeding daily

Feed it [daily](/wild-yeast), as [bakers do](https://example.org/starter).

![A jar](/jar.jpg)
"""
BAD_LINKS = "[x](javascript:alert) [daily](/wild-yeast) [bakers](https://example.org/starter)"
WRONG: dict[CheckName, dict[str, Any]] = {
    CheckName.KEYWORD_IN_TITLE: {"title": "Bread"},
    CheckName.KEYWORD_IN_OPENING: {"markdown": "Bread.\n"},
    CheckName.KEYWORD_IN_SLUG: {"slug": "bread"},
    CheckName.LENGTH: {"markdown": "Bread.\n"},
    CheckName.OUTLINE_COVERED: {"markdown": "Bread.\n"},
    CheckName.INTERNAL_LINKS: {"markdown": "Bread.\n"},
    CheckName.REFERENCES: {"markdown": "Bread.\n"},
    CheckName.SOURCES_KNOWN: {"markdown": f"{TEXT}\nBakers say so.[^s7]\n"},
    CheckName.SOURCES_CITED: {"markdown": TEXT},
    CheckName.QUOTES_VERBATIM: {"markdown": f'{TEXT}\nThey say "a starter needs only two days".[^s1]\n'},
    CheckName.NUMBERS_SOURCED: {"markdown": f"{TEXT}\nThe starter is 45 % water.\n"},
    CheckName.HEADING_LEVELS: {"markdown": "# Bread\n\n### Rye\n"},
    CheckName.IMAGE_ALT: {"markdown": "![](/jar.jpg)\n"},
    CheckName.META_TITLE: {"metaTitle": None},
    CheckName.META_DESCRIPTION: {"metaDescription": None},
    CheckName.PLACEHOLDERS: {"markdown": "TODO: write.\n"},
    CheckName.MODEL_SLIPS: {"markdown": f"Sure! Here is the article you asked for:\n\n{TEXT}"},
    CheckName.REPEATED_PARAGRAPHS: {"markdown": f"{WORDS}\n\n{WORDS}\n"},
    CheckName.LINKS: {"markdown": BAD_LINKS},
    CheckName.HTML_KEPT: {"markdown": f"{TEXT}\n<iframe src='/a'></iframe>\n"},
}
"""For each check that the text or the fields can mend, what a document has that fails it."""
SOURCE = {"title": "Wild yeast", "excerpt": "A starter needs five days and 45 % of water."}
MENDED: dict[CheckName, str] = {
    CheckName.SOURCES_CITED: f"{TEXT}\nBakers say so.[^s1]\n",
    CheckName.QUOTES_VERBATIM: f'{TEXT}\nThey say "a starter needs five days and […] water".[^s1]\n',
    CheckName.NUMBERS_SOURCED: f"{TEXT}\nThe starter is 45 % water.[^s1]\n",
}
"""For each check that a source mends, the text that cites it; for the others the text that passes is `TEXT`."""
RIGHT = {
    "title": "A sourdough starter",
    "slug": "sourdough-starter",
    "metaTitle": "A sourdough starter",
    "metaDescription": META,
}


@pytest.mark.contract("decided-mcp.minimal", "decided-mcp.writing")
@pytest.mark.parametrize("check", [check.name for check in CHECKS if check.name != CheckName.KEYWORD_TAKEN])
def test_every_check_can_be_met_by_the_tools_of_a_writer(writer: Agent, project: Project, check: CheckName) -> None:
    ctx, wrong = project.context(), dict(WRONG[check])
    yeast = a_ready_brief(ctx, title="Wild yeast", slug="wild-yeast", dueDate="2099-01-01")
    markdown = wrong.pop("markdown", TEXT)
    brief = {
        "keyword": "sourdough starter",
        "wordCount": "80",
        "outline": "Feeding daily",
        "internalLinks": [yeast["id"]],
    }
    fields = {**RIGHT, **wrong, "brief": {**brief, "referenceUrls": ["https://example.org/starter"]}}
    a_ready_brief(ctx, **{name: value for name, value in fields.items() if value}, dueDate="2027-01-01")
    TOOLS["update_project"].operation(ctx, fields={"checks": {str(check): "error"}})

    claimed = writer.call("claim_next_brief", packet=True)
    document, mended = claimed["id"], MENDED.get(check, TEXT)
    if check in MENDED:
        assert writer.call("add_source", documentId=document, **SOURCE)["number"] == 1
    written = writer.call("write_content", documentId=document, markdown=markdown, baseVersion=claimed["version"])
    found = writer.call("check_document", documentId=document)
    assert {one["check"] for one in found["checks"] if one["level"] == "error"} == {check}
    assert (found["passed"], found["blocking"] > 0) == (False, True)
    assert writer.refused("submit_document", documentId=document)["_tag"] == "ChecksFailed"

    if markdown != mended:
        writer.call("write_content", documentId=document, markdown=mended, baseVersion=written["version"])
    if wrong:
        writer.call("update_document", documentId=document, **{name: RIGHT[name] for name in wrong})
    assert writer.call("check_document", documentId=document)["blocking"] == 0
    assert writer.call("submit_document", documentId=document)["status"] == "review"


def test_the_conversation_about_a_piece_is_short(writer: Agent, project: Project) -> None:
    brief = {"keyword": "sourdough starter", "outline": "Feeding daily", "notes": "Say plainly that a week is enough."}
    a_ready_brief(project.context(), title="A sourdough starter", brief=brief)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("write_content", {"markdown": "# A sourdough starter\n\nFlour.\n", "baseVersion": 1}),
        ("check_document", {}),
        ("update_document", {"metaTitle": "A sourdough starter", "metaDescription": META}),
        ("renew_claim", {"leaseSeconds": 600}),
        ("write_content", {"markdown": TEXT, "baseVersion": 3}),
        ("check_document", {}),
        ("submit_document", {}),
    ]

    answers = [
        writer.post("tools/call", {"name": "claim_next_brief", "arguments": {"leaseSeconds": 600, "packet": True}})
    ]
    document = answers[0].json["result"]["structuredContent"]["id"]
    for tool, arguments in calls:
        asked = {"name": tool, "arguments": {"documentId": document, **arguments}}
        answers.append(writer.post("tools/call", asked))

    bodies = [answer.json["result"]["structuredContent"] for answer in answers]
    assert set(bodies[0]) == MINIMAL | {"packet"}
    renewed = MINIMAL | {"claimExpiresAt"}
    assert [set(body) for body in bodies[1:] if "checks" not in body] == [MINIMAL, MINIMAL, renewed, MINIMAL, MINIMAL]
    assert bodies[-1]["status"] == "review"
    assert sum(len(answer.data) for answer in answers) <= CONVERSATION_BYTES


@pytest.mark.contract("decided-mcp.checks")
def test_checks_over_mcp_are_those_that_failed_unless_all_are_asked_for(agent: Agent, project: Project) -> None:
    document = a_ready_brief(project.context(), brief={"keyword": "rye"})["id"]

    short, whole = (
        agent.call("check_document", documentId=document),
        agent.call("check_document", documentId=document, all=True),
    )

    assert {one["outcome"] for one in short["checks"]} == {"failed"}
    assert [one for one in whole["checks"] if one["outcome"] == "failed"] == short["checks"]
    assert len(whole["checks"]) >= len(CHECKS)
    assert {name: short[name] for name in ("passed", "blocking", "warnings")} == {
        "passed": True,
        "blocking": 0,
        "warnings": len(short["checks"]),
    }


@pytest.mark.parametrize("guarded", [{"dryRun": True}, {"idempotencyKey": "once"}, {}])
def test_a_packet_of_a_claim_has_the_categorys_path_inside_of_a_transaction_too(
    writer: Agent, project: Project, guarded: dict[str, Any]
) -> None:
    ctx = project.context()
    food = made(ctx, "category", name="Food", slug="food")["id"]
    bread = made(ctx, "category", name="Bread", slug="bread", categoryId=food)["id"]
    document = a_ready_brief(ctx, categoryId=bread)["id"]

    claimed = writer.call(
        "claim_brief", documentId=document, packet=True, **guarded
    )  # the router refuses lookups there

    assert claimed["packet"]["category"]["path"] == ["Food", "Bread"]


@pytest.mark.contract("decided-mcp.minimal")
def test_a_claim_has_the_packet_that_it_asks_for(rest: Rest, project: Project) -> None:
    one, other = (a_ready_brief(project.context(), title=title)["id"] for title in ("One", "Two"))

    claimed = rest.post(f"/documents/{one}/brief/claim", {"packet": True}, Idempotency_Key="once").json
    again = rest.post(f"/documents/{one}/brief/claim", {"packet": True}, Idempotency_Key="once").json
    following = rest.post("/briefs/claim", {"packet": True}, Prefer="return=minimal").json

    assert claimed["packet"] == again["packet"] == rest.get(f"/documents/{one}/packet").json
    assert claimed["packet"]["brief"]["state"] == "claimed"
    assert set(following) == MINIMAL | {"packet"}
    assert following["packet"] == rest.get(f"/documents/{other}/packet").json
    assert "packet" not in rest.post(f"/documents/{one}/brief/renew", {"leaseSeconds": 60}).json


@pytest.mark.contract("decided-mcp.minimal")
@pytest.mark.parametrize(
    ("prefer", "applied"),
    [
        ("return=minimal", "return=minimal"),
        ('handling=strict, Return="Minimal"', "handling=strict, return=minimal"),
        ("return=representation", None),
        ("return=representation, return=minimal", None),
    ],
)
def test_a_write_of_a_document_answers_with_little_where_that_is_preferred(
    rest: Rest, project: Project, prefer: str, applied: str | None
) -> None:
    document = a_ready_brief(project.context())["id"]

    answer = rest.patch(f"/documents/{document}", {"title": "Rye"}, Prefer=prefer)
    read = rest.get(f"/documents/{document}", Prefer="return=minimal")

    assert answer.headers.get("Preference-Applied") == applied
    assert answer.headers["ETag"] == read.headers["ETag"]
    expected = {"id": document, "version": 2, "status": "idea", "briefState": "ready"}
    assert (answer.json == expected) == (applied is not None)
    assert read.json["title"] == "Rye"
    assert "Preference-Applied" not in read.headers
