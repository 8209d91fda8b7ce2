"""Several workers that publish what is due, against each other and against people (decisions, section 5)."""

from collections import Counter
from datetime import timedelta
from functools import partial

import pytest

from app.core.context import this_instant
from app.core.store.store import Store
from app.documents.publishing import publish_due
from tests.documents.steps import a_document, a_document_in, events_of, make_due, ok, path_of, types_of
from tests.races.crowd import at_once, outcome

pytestmark = pytest.mark.race


def published_now(store: Store, project_id: str) -> list[tuple[str, str | None]]:
    """Gives a project a turn at what is due now."""
    return list(publish_due(store, project_id, this_instant()))


@pytest.mark.contract("decided-documents.worker")
def test_three_workers_publish_what_came_due_while_none_ran_each_once(rest, fresh_store, store) -> None:
    documents = [a_document_in(rest, "scheduled", title=f"Loaf {number}") for number in range(25)]
    for document in documents:
        make_due(store, document)
    turn = partial(published_now, store, documents[0]["projectId"])
    done: list[tuple[str, str | None]] = []
    while round_ := [row for rows in at_once([turn] * 3) for row in rows]:
        done += round_

    assert Counter(done) == {(document["id"], None): 1 for document in documents}
    for document in documents:
        assert types_of(store, document).count("document.published") == 1
        assert ok(rest.get(path_of(document)))["status"] == "published"


@pytest.mark.contract("decided-documents.worker")
def test_three_workers_send_what_can_not_go_out_back_to_drafting_once(rest, store) -> None:
    document = a_document_in(rest, "scheduled")
    ok(rest.patch("/project", {"reviewRequired": True}))
    make_due(store, document)
    turn = partial(published_now, store, document["projectId"])
    done = [row for rows in at_once([turn] * 3) for row in rows]

    assert [row[0] for row in done].count(document["id"]) == 1
    assert types_of(store, document).count("document.publish_failed") == 1
    assert ok(rest.get(path_of(document)))["status"] == "drafting"


@pytest.mark.contract("decided-documents.worker", "decided-documents.races")
@pytest.mark.parametrize("act", ["unschedule", "publish", "delete"])
def test_a_worker_and_a_person_at_once_come_one_after_the_other(rest, store, act) -> None:
    for _ in range(5):
        document = a_document_in(rest, "scheduled")
        make_due(store, document)
        by_hand = {
            "unschedule": lambda d=document: rest.post(f"{path_of(d)}/unschedule"),
            "publish": lambda d=document: rest.post(f"{path_of(d)}/publish"),
            "delete": lambda d=document: rest.delete(path_of(d)),
        }[act]

        answer, done = at_once([by_hand, partial(published_now, store, document["projectId"])])

        worked = (document["id"], None) in done
        published = types_of(store, document).count("document.published")
        if act == "unschedule":
            assert (outcome(answer), published) == (("InvalidTransition", 1) if worked else ("200", 0))
        elif act == "publish":
            assert outcome(answer) == "200"
            assert published == (2 if worked else 1)
        else:
            assert (outcome(answer), published) == ("200", 1 if worked else 0)


@pytest.mark.contract("decided-documents.worker", "decided-documents.html-limit")
def test_a_scheduled_document_whose_html_is_over_15_mb_goes_back_to_drafting_and_says_why(rest, store) -> None:
    document = a_document(rest, markdown="a@b.c " * 349_525)
    assert rest.post(f"{path_of(document)}/publish").status_code == 422
    at = this_instant() + timedelta(hours=1)
    ok(rest.post(f"{path_of(document)}/schedule", {"publishAt": at.isoformat()}))
    make_due(store, document)

    [(_, reason)] = published_now(store, document["projectId"])

    assert reason is not None
    assert "15 MB" in reason
    assert ok(rest.get(path_of(document)))["status"] == "drafting"
    event = events_of(store, document)[-1]
    assert (event["type"], event["data"]["reason"]) == ("document.publish_failed", reason)
