"""Plans at once: each piece is made once, and no change of another is lost (decisions, section 14)."""

import time
from collections import Counter

import pytest
from werkzeug.test import TestResponse

from tests.documents.steps import a_category, ok
from tests.races.crowd import at_once, outcomes

pytestmark = pytest.mark.race

PIECES = [
    {"key": f"piece-{number}", "title": "Rye", "category": "Bread", "brief": {"keyword": "rye"}, "ready": True}
    for number in range(40)
]


@pytest.mark.contract("decided-plans.once")
def test_ten_identical_plans_at_once_make_each_piece_once(crowd, project) -> None:
    first, *others = crowd(10)
    a_category(first.by(project.token()), "Bread")

    responses = at_once([lambda c=c: c.post("/plan", {"pieces": PIECES}) for c in (first, *others)])

    assert outcomes(responses) == {"200": 10}
    made = Counter((one["key"], one["outcome"]) for response in responses for one in response.json["pieces"])
    assert made == {(piece["key"], what): n for piece in PIECES for what, n in (("created", 1), ("unchanged", 9))}
    ids = {one["id"] for response in responses for one in response.json["pieces"]}
    assert len(ids) == len(ok(first.get("/documents?limit=100"))) == len(PIECES)


def test_plans_that_overlap_and_claims_at_once_are_all_answered(crowd, project) -> None:
    planners, writers = crowd(4), crowd(8)
    a_category(planners[0], "Bread")
    ok(planners[0].post("/plan", {"pieces": PIECES[:20]}))

    responses = at_once(
        [
            *(
                lambda c=c, n=n: c.post("/plan", {"pieces": PIECES[10 * n : 10 * n + 20]})
                for n, c in enumerate(planners)
            ),
            *(lambda c=c: c.post("/briefs/claim") for c in writers),
        ]
    )

    assert outcomes(responses) == {"200": 12}
    assert len({response.json["id"] for response in responses[4:]}) == 8
    keys = [one["key"] for one in ok(planners[0].get("/documents?limit=100"))]
    assert sorted(keys) == sorted(piece["key"] for piece in PIECES)


@pytest.mark.parametrize("delay", [0, 0.005, 0.01])
def test_a_category_that_is_deleted_at_once_is_never_named(crowd, project, delay) -> None:
    owner, other = crowd(2, [project.token()])
    category = a_category(owner, "Bread")
    piece = {"key": "rye", "title": "Rye", "category": "Bread"}

    def delete() -> TestResponse:
        time.sleep(delay)
        return other.delete(f"/categories/{category['id']}")

    planned, deleted = at_once([lambda: owner.post("/plan", {"pieces": [piece]}), delete])

    created = planned.json["pieces"][0]["outcome"] == "created"
    assert created != (deleted.status_code == 200), (planned.json, deleted.json)
