"""What a website is told of how a text came about (decisions, section 18)."""

import pytest

from tests.documents.steps import a_document, ok, path_of

pytestmark = pytest.mark.needs_mongod

QUERY = "{ documents(includeDrafts: true) { title disclosure { value models reviewedAt responsible } } }"
REVIEW = {"facts": True, "examined": "Every step.", "responsible": "Ada"}


def disclosures(preview) -> dict[str, tuple[str, list[str], str | None]]:
    found = preview.data(QUERY)["documents"]
    return {
        one["title"]: (one["disclosure"]["value"], one["disclosure"]["models"], one["disclosure"]["responsible"])
        for one in found
    }


@pytest.fixture
def agent(rest, project):
    return rest.by(project.token("Night writer", agent="writer-1"))


@pytest.mark.contract("decided-disclosures.delivery")
def test_a_document_discloses_how_its_published_text_came_about(rest, agent, preview) -> None:
    human, machine, reviewed = (
        a_document(rest, title="Human"),
        a_document(agent, title="Machine", generation={"model": "example-4"}),
        a_document(agent, title="Reviewed"),
    )
    ok(rest.post(f"{path_of(reviewed)}/approve", {"review": REVIEW}))
    for one in (human, machine, reviewed):
        ok(rest.post(f"{path_of(one)}/publish"))

    assert disclosures(preview) == {
        "Human": ("human-only", [], None),
        "Machine": ("ai-autonomous", ["example-4"], None),
        "Reviewed": ("ai-assisted", [], "Ada"),
    }

    ok(rest.put(f"{path_of(human)}/content", {"markdown": "More."}, If_Match="*"))
    ok(agent.put(f"{path_of(human)}/content", {"markdown": "Still more."}, If_Match="*"))
    assert disclosures(preview)["Human"][0] == "human-only"


def test_one_that_is_not_published_discloses_its_present_text_without_a_record(rest, agent, preview) -> None:
    a_document(rest, title="Human")
    a_document(rest, title="Empty", markdown=None)
    machine = a_document(agent, title="Machine", generation={"model": "example-4"})
    ok(rest.post(f"{path_of(machine)}/approve", {"review": REVIEW}))
    gone = a_document(agent, title="Gone")
    ok(rest.put(f"{path_of(gone)}/content", {"markdown": ""}, If_Match="*"))
    ok(rest.put(f"{path_of(gone)}/content", {"markdown": "By hand."}, If_Match="*"))

    assert disclosures(preview) == {
        "Human": ("human-only", [], None),
        "Empty": ("human-only", [], None),
        "Machine": ("ai-autonomous", ["example-4"], None),
        "Gone": ("human-only", [], None),
    }


def test_disclosures_cost_published_documents_no_read_and_drafts_two(rest, preview, watched, agent) -> None:
    for number in range(3):
        document = a_document(agent, title=f"Live {number}")
        ok(rest.post(f"{path_of(document)}/publish"))
    api = preview.through(watched.app)

    def reads(selected: str, *, drafts: bool) -> int:
        api.data(f"{{ documents(limit: 1, includeDrafts: {str(drafts).lower()}) {{ title {selected} }} }}")
        watched.commands.clear()
        api.data(f"{{ documents(includeDrafts: {str(drafts).lower()}) {{ title {selected} }} }}")
        return len(watched.commands)

    with_it = "disclosure { value models }"
    assert reads(with_it, drafts=False) == reads("", drafts=False)
    for number in range(3):
        a_document(agent, title=f"Draft {number}")
    reads(with_it, drafts=True)  # computes who wrote them, once
    assert reads(with_it, drafts=True) == reads("", drafts=True) + 2
