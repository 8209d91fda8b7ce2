"""Lines that no export has: refused, or imported as documents that can be read and moved."""

import copy
import json
import re
from typing import Any, get_type_hints

import pytest
from flask import Flask

from app.core.context import Context, system
from app.core.store.store import Store
from app.core.vocabulary import Channel
from app.projects.responses import Project as ShownProject
from app.transfers.operations import check_import, export_lines, import_lines
from app.transfers.rules import LINES
from tests.make import Project, a_document, a_project
from tests.rest.client import Rest
from tests.transfers.steps import read_and_move

pytestmark = pytest.mark.needs_mongod

ACTOR = {"type": "token", "id": None, "name": "Ada", "agent": ""}
TIME = "2027-01-31T09:00:00.000Z"
ODD_DOCUMENTS: dict[str, dict[str, Any]] = {
    "a past slug that is null": {"pastSlugs": [None]},
    "past slugs that are null": {"pastSlugs": None},
    "nobody who created it": {"createdBy": None},
    "nobody who wrote it": {"contentUpdatedBy": None},
    "a claim of nobody": {"brief": {"state": "claimed"}},
    "a claim without a time": {"brief": {"state": "claimed", "claimedBy": ACTOR}},
    "a claim of a brief that is not claimed": {"brief": {"state": "ready", "claimedBy": ACTOR}},
    "a lease without an end": {
        "brief": {"state": "claimed", "claimedBy": ACTOR, "claimedAt": TIME, "leaseSeconds": 60}
    },
    "an end without a lease": {
        "brief": {"state": "claimed", "claimedBy": ACTOR, "claimedAt": TIME, "claimExpiresAt": TIME}
    },
    "a link that is null": {"brief": {"state": "ready", "internalLinks": [None]}},
    "no time to publish at": {"status": "scheduled"},
    "a time to publish at of what is not scheduled": {"publishAt": TIME},
    "no status before": {"status": "scheduled", "publishAt": TIME},
    "published, and not delivered": {"status": "published"},
    "a review of nobody": {"review": {"note": "", "at": TIME, "by": None}},
    "a body that is none of its own": {"contentId": "0" * 24},
    "delivered without a snapshot": {"isPublished": True},
    "delivered or not": {"isPublished": None},
}


@pytest.mark.parametrize("what", ODD_DOCUMENTS)
def test_an_odd_document_of_an_export_is_refused_or_can_be_read_and_moved(
    app: Flask, store: Store, project: Project, what: str
) -> None:
    document = a_document(project.context(), title="Rye", markdown="Dark.", brief={"keyword": "rye"})
    *lines, end = [json.loads(line) for line in export_lines(store, project.id)]
    odd = {**copy.deepcopy(lines[-1]), **ODD_DOCUMENTS[what]}
    other = a_project(store)
    ctx = Context(store, system(other.id, other.team_id), Channel.CLI)
    sent = [json.dumps(line).encode() for line in (*lines[:-1], odd, end)]
    refused = check_import(ctx, sent).refused
    if not refused:
        import_lines(ctx, sent)

    assert document["id"] == lines[-1]["id"]
    read = read_and_move(Rest(app.test_client(), other.token()))
    assert [json.loads(line)["type"] for line in export_lines(store, other.id)][0] == "export"
    assert len(refused) + read == 1


@pytest.mark.parametrize("kind", sorted(LINES.keys() - {"export", "end"}))
def test_wrong_values_of_a_line_are_refused_in_the_words_of_requests(store: Store, project: Project, kind: str) -> None:
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)
    fields = get_type_hints(ctx.features.response_of(ShownProject) if kind == "project" else LINES[kind])
    wrong = [{"type": kind, **dict.fromkeys(fields, value)} for value in ("publishd", "{sour}", 5, [1], {}, True)]
    lines = [{"type": "export", "version": 1}, *wrong, {"type": "end", "lines": len(wrong) + 1}]

    refused = check_import(ctx, [json.dumps(line).encode() for line in lines]).refused

    assert len(refused) == len(wrong)
    why = " ".join(one.why for one in refused)
    assert not re.search("Input should|should match|Field required|is not a valid", why), why
    assert kind != "document" or "published. Did you mean `published`?" in why


def test_a_line_of_an_export_without_a_setting_that_is_never_null_leaves_it_as_it_is(
    store: Store, project: Project
) -> None:
    before = [json.loads(line) for line in export_lines(store, project.id)]
    ctx = Context(store, system(project.id, project.team_id), Channel.CLI)
    settings = b'{"type": "project", "siteUrl": "https://crust.example"}'
    lines = [b'{"type": "export", "version": 1}', settings, b'{"type": "end", "lines": 2}']

    assert check_import(ctx, lines).settings == {"siteUrl": "https://crust.example"}
    import_lines(ctx, lines)

    after = [json.loads(line) for line in export_lines(store, project.id)]
    assert after == [before[0], {**before[1], "siteUrl": "https://crust.example"}, before[2]]


def test_slugs_are_imported_in_composed_form(app: Flask, store: Store, project: Project) -> None:
    a_document(project.context(), title="Café", slug="café", markdown="Dark.")
    lines = [line.replace("café".encode(), b"cafe\xcc\x81") for line in export_lines(store, project.id)]
    assert lines != [*export_lines(store, project.id)]
    other = a_project(store)

    import_lines(Context(store, system(other.id, other.team_id), Channel.CLI), lines)

    [found] = Rest(app.test_client(), other.token()).get("/documents?slug=café").json
    assert (found["title"], found["slug"]) == ("Café", "café")
