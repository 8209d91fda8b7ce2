"""One draft makes one record, and the caps hold, however many requests there are at once (decisions, section 4)."""

import pytest
from bson import ObjectId

from app.categories.rules import CATEGORIES_PER_PROJECT, CLUSTERS_PER_PROJECT
from app.categories.store import Categories
from app.projects.store import Projects
from tests.make import OPERATIONS, Project, fill_with_categories
from tests.races.crowd import at_once, outcome, outcomes, refused, succeeded

pytestmark = pytest.mark.race

FIELDS = {"document": {"title": "Rye"}, "cluster": {"name": "Rye"}, "category": {"name": "Rye", "slug": "rye"}}
COLLECTIONS = {"document": "documents", "cluster": "clusters", "category": "categories"}


def a_draft(project: Project, token, kind: str, **fields) -> str:
    ctx = project.context(token)
    return OPERATIONS[f"create_{kind}_intent"](ctx, fields={**FIELDS[kind], **fields}).body["id"]


def records(project: Project, kind: str) -> list[dict]:
    return list(project.store.database[COLLECTIONS[kind]].find({"projectId": ObjectId(project.id)}))


def drafts(project: Project) -> int:
    return project.store.database.intents.count_documents({"projectId": ObjectId(project.id)})


@pytest.mark.contract("decided-intents.one-transaction", "intent-lifecycle.forever")
@pytest.mark.parametrize("kind", FIELDS)
def test_thirty_confirms_of_one_draft_make_one_record(crowd, project, kind) -> None:
    token = project.token()
    draft = a_draft(project, token, kind)

    responses = at_once([lambda c=c: c.post(f"/{kind}-intents/{draft}/confirm") for c in crowd(30, [token])])

    assert outcomes(responses) == {"201": 1, "NotFound": 29}
    assert len(records(project, kind)) == 1
    assert drafts(project) == 0


def test_a_draft_is_either_confirmed_or_discarded(crowd, project) -> None:
    token = project.token()
    draft = a_draft(project, token, "document")
    confirm = [lambda c=c: c.post(f"/document-intents/{draft}/confirm") for c in crowd(10, [token])]
    discard = [lambda c=c: c.delete(f"/document-intents/{draft}") for c in crowd(10, [token])]

    responses = at_once([*confirm, *discard])

    [won] = succeeded(responses)
    assert {outcome(lost) for lost in refused(responses)} == {"NotFound"}
    assert len(records(project, "document")) == (1 if won.status_code == 201 else 0)


def test_an_update_at_the_time_of_a_confirm_is_in_the_record_or_refused(crowd, project) -> None:
    token = project.token()
    draft = a_draft(project, token, "document")
    titles = [f"Rye {number}" for number in range(10)]
    update = [
        lambda c=c, title=title: c.patch(f"/document-intents/{draft}", {"title": title})
        for c, title in zip(crowd(10, [token]), titles, strict=True)
    ]
    confirm = [lambda c=c: c.post(f"/document-intents/{draft}/confirm") for c in crowd(1, [token])]

    *updated, confirmed = at_once([*update, *confirm])

    assert confirmed.status_code == 201
    assert {outcome(response) for response in updated} <= {"200", "NotFound"}
    written = {response.json["fields"]["title"] for response in succeeded(updated)}
    assert confirmed.json["document"]["title"] in (written or {"Rye"})


@pytest.mark.contract("limits.drafts", "decided-intents.caps")
def test_fifty_creators_at_ninety_five_drafts_leave_exactly_a_hundred(crowd, project) -> None:
    token = project.token()
    for _ in range(95):
        a_draft(project, token, "cluster")

    kinds = ["document", "cluster", "category"] * 17
    responses = at_once(
        [lambda c=c, k=k: c.post(f"/{k}-intents", {}) for c, k in zip(crowd(50, [token]), kinds, strict=False)]
    )

    assert outcomes(responses) == {"201": 5, "BadRequest": 45}
    assert drafts(project) == 100


def test_a_draft_that_ends_makes_room_for_exactly_one(crowd, project) -> None:
    token = project.token()
    ids = [a_draft(project, token, "cluster") for _ in range(100)]
    discard = [
        lambda c=c, one=one: c.delete(f"/cluster-intents/{one}")
        for c, one in zip(crowd(10, [token]), ids, strict=False)
    ]
    create = [lambda c=c: c.post("/cluster-intents", {}) for c in crowd(30, [token])]

    responses = at_once([*discard, *create])

    assert outcomes(responses[:10]) == {"200": 10}
    made = len(succeeded(responses[10:]))
    assert made <= 10
    assert drafts(project) == 90 + made


@pytest.mark.contract("limits.clusters", "decided-intents.cluster-cap", "decided-intents.caps")
def test_of_fifty_confirms_at_five_below_the_cap_of_clusters_five_succeed(crowd, project) -> None:
    token, below = project.token(), 5
    waiting = [a_draft(project, token, "cluster", name=f"Topic {number}") for number in range(50)]
    for _ in range(CLUSTERS_PER_PROJECT - below):
        project.store[Projects].count_up(project.id, "clusters", CLUSTERS_PER_PROJECT)

    responses = at_once(
        [
            lambda c=c, one=one: c.post(f"/cluster-intents/{one}/confirm")
            for c, one in zip(crowd(50, [token]), waiting, strict=True)
        ]
    )

    assert outcomes(responses) == {"201": below, "IntentInvalid": 45}
    assert {tuple(e["field"] for e in lost.json["errors"]) for lost in refused(responses)} == {("name",)}
    assert len(records(project, "cluster")) == below
    assert drafts(project) == 45


@pytest.mark.contract("decided-intents.category-cap", "decided-intents.caps")
def test_of_twenty_confirms_at_five_below_the_cap_of_categories_five_succeed(crowd, project) -> None:
    token, below = project.token(), 5
    waiting = [a_draft(project, token, "category", name=f"Kind {n}", slug=f"kind-{n}") for n in range(20)]
    fill_with_categories(project, CATEGORIES_PER_PROJECT - below)

    responses = at_once(
        [
            lambda c=c, one=one: c.post(f"/category-intents/{one}/confirm")
            for c, one in zip(crowd(20, [token]), waiting, strict=True)
        ]
    )

    assert outcomes(responses) == {"201": below, "IntentInvalid": 15}
    assert {tuple(e["field"] for e in lost.json["errors"]) for lost in refused(responses)} == {("name",)}
    assert project.store[Categories].count(project.id) == CATEGORIES_PER_PROJECT


UNIQUE = [
    ("cluster", "name", ["Straße", "STRASSE", " strasse ", "Strasse", "straße"]),
    ("category", "slug", ["rye"] * 5),
    ("document", "slug", ["rye"] * 5),
]


@pytest.mark.contract("intent-cluster.name", "intent-category.slug", "decided-intents.slug-unique")
@pytest.mark.parametrize(("kind", "field", "values"), UNIQUE, ids=[f"{kind}-{field}" for kind, field, _ in UNIQUE])
def test_of_fifty_confirms_with_one_name_or_slug_one_succeeds(crowd, project, kind, field, values) -> None:
    token = project.token()
    ids = [a_draft(project, token, kind, **{field: value}) for value in values * 10]

    responses = at_once(
        [
            lambda c=c, one=one: c.post(f"/{kind}-intents/{one}/confirm")
            for c, one in zip(crowd(50, [token]), ids, strict=True)
        ]
    )

    assert outcomes(responses) == {"201": 1, "IntentInvalid": 49}
    assert {tuple(e["field"] for e in lost.json["errors"]) for lost in refused(responses)} == {(field,)}
    assert len(records(project, kind)) == 1


@pytest.mark.contract("decided-intents.slug-made")
def test_fifty_documents_with_one_title_at_once_get_fifty_slugs(crowd, project) -> None:
    token = project.token()
    ids = [a_draft(project, token, "document") for _ in range(50)]

    responses = at_once(
        [
            lambda c=c, one=one: c.post(f"/document-intents/{one}/confirm")
            for c, one in zip(crowd(50, [token]), ids, strict=True)
        ]
    )

    assert outcomes(responses) == {"201": 50}
    slugs = {response.json["document"]["slug"] for response in responses}
    assert slugs == {"rye", *(f"rye-{number}" for number in range(2, 51))}
