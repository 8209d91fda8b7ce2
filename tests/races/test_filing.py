"""Categories and clusters that are moved, taken and deleted at once (decisions, section 5)."""

import pytest

from tests.documents.steps import a_category, a_cluster, a_document, ok, path_of
from tests.races.crowd import at_once, outcome, outcomes

pytestmark = pytest.mark.race


@pytest.fixture
def pair(crowd, project):
    return crowd(2, [project.token("One"), project.token("Other")])


def post(caller, path, body=None):
    return lambda: caller.post(path, body)


@pytest.mark.contract("decided-documents.tree")
def test_a_category_goes_below_another_while_that_goes_below_it_and_no_circle_comes_of_it(rest, pair) -> None:
    first, second = pair
    a, b = a_category(rest, "A"), a_category(rest, "B")
    for _ in range(5):
        told = outcomes(
            at_once(
                [
                    lambda: first.patch(f"/categories/{a['id']}", {"categoryId": b["id"]}),
                    lambda: second.patch(f"/categories/{b['id']}", {"categoryId": a["id"]}),
                ]
            )
        )
        assert told == {"200": 1, "BadRequest": 1}
        for one in (a, b):
            ok(rest.patch(f"/categories/{one['id']}", {"categoryId": None}))


@pytest.mark.contract("decided-documents.tree")
def test_three_categories_that_go_below_each_other_in_a_ring_make_no_ring(rest, crowd, project) -> None:
    ring = [a_category(rest, name) for name in ("A", "B", "C")]
    callers = crowd(3, [project.token("One")])
    moves = [
        lambda c=caller, one=one, above=above: c.patch(f"/categories/{one['id']}", {"categoryId": above["id"]})
        for caller, one, above in zip(callers, ring, [*ring[1:], ring[0]], strict=True)
    ]

    assert outcomes(at_once(moves)) == {"200": 2, "BadRequest": 1}
    parents = {one["id"]: one["categoryId"] for one in ok(rest.get("/categories"))}
    assert list(parents.values()).count(None) == 1


KINDS = {
    "category": ("categories", "categoryId", a_category, "CategoryInUse"),
    "cluster": ("clusters", "clusterId", a_cluster, "ClusterInUse"),
}
kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.mark.contract("decided-documents.in-use", "decided-http.InUse")
@kinds
def test_what_a_document_takes_is_not_deleted_at_the_same_time(rest, pair, kind) -> None:
    path, field, make, in_use = KINDS[kind]
    editor, other = pair
    for _ in range(5):
        one, document = make(rest), a_document(rest)
        taken, deleted = at_once(
            [
                lambda d=document, o=one: editor.patch(path_of(d), {field: o["id"]}),
                lambda o=one: other.delete(f"/{path}/{o['id']}"),
            ]
        )
        assert (outcome(taken), outcome(deleted)) in {("200", in_use), ("BadRequest", "200")}
        now = ok(rest.get(path_of(document)))[field]
        assert (now is None) == (deleted.status_code == 200)
        if now:
            ok(rest.patch(path_of(document), {field: None}))
            ok(rest.delete(f"/{path}/{one['id']}"))


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_what_a_draft_takes_is_not_deleted_while_it_is_confirmed(rest, pair, kind) -> None:
    path, field, make, in_use = KINDS[kind]
    editor, other = pair
    for _ in range(5):
        one = make(rest)
        draft = ok(editor.post("/document-intents", {"title": "Rye", field: one["id"]}), 201)
        confirmed, deleted = at_once(
            [post(editor, f"/document-intents/{draft['id']}/confirm"), lambda o=one: other.delete(f"/{path}/{o['id']}")]
        )
        assert (outcome(confirmed), outcome(deleted)) in {("201", in_use), ("IntentInvalid", "200")}
        if confirmed.status_code == 201:
            ok(rest.delete(path_of(confirmed.json["document"])))
            ok(rest.delete(f"/{path}/{one['id']}"))


@pytest.mark.contract("decided-documents.in-use")
@kinds
def test_a_trashed_documents_category_and_cluster_stay_or_are_null_when_it_is_restored_meanwhile(
    rest, pair, kind
) -> None:
    path, field, make, in_use = KINDS[kind]
    editor, other = pair
    for _ in range(5):
        one = make(rest)
        document = a_document(rest, **{field: one["id"]})
        ok(rest.delete(path_of(document)))
        restored, deleted = at_once(
            [post(editor, f"{path_of(document)}/restore"), lambda o=one: other.delete(f"/{path}/{o['id']}")]
        )
        assert outcome(restored) == "200"
        assert outcome(deleted) in {in_use, "200"}
        assert (restored.json[field] is None) == (deleted.status_code == 200)
        if restored.json[field]:
            ok(rest.delete(path_of(document)))
            ok(rest.delete(f"/{path}/{one['id']}"))


@pytest.mark.contract("decided-documents.in-use")
def test_a_parent_is_not_deleted_while_a_category_goes_below_it(rest, pair) -> None:
    editor, other = pair
    child = a_category(rest, "Child")
    for _ in range(5):
        parent = a_category(rest, "Parent")
        moved, deleted = at_once(
            [
                lambda p=parent: editor.patch(f"/categories/{child['id']}", {"categoryId": p["id"]}),
                lambda p=parent: other.delete(f"/categories/{p['id']}"),
            ]
        )
        assert (outcome(moved), outcome(deleted)) in {("200", "CategoryInUse"), ("BadRequest", "200")}
        if moved.status_code == 200:
            ok(rest.patch(f"/categories/{child['id']}", {"categoryId": None}))
            ok(rest.delete(f"/categories/{parent['id']}"))


def test_a_document_that_goes_into_a_category_while_it_is_renamed_shows_the_new_name(rest, pair) -> None:
    editor, other = pair
    category = a_category(rest, "Old")
    for number in range(5):
        document = a_document(rest, brief={})
        ok(rest.post(f"{path_of(document)}/brief/ready"))
        at_once(
            [
                lambda d=document: editor.patch(path_of(d), {"categoryId": category["id"]}),
                lambda n=number: other.patch(f"/categories/{category['id']}", {"name": f"New {n}"}),
            ]
        )
        assert {item["category"] for item in ok(rest.get("/briefs"))} == {f"New {number}"}


def test_of_ten_members_with_one_email_address_at_once_one_is_added(crowd, project) -> None:
    callers = crowd(10, [project.token("One")])
    member = {"name": "Ada", "email": "ada@example.org"}

    assert outcomes(at_once([post(caller, "/members", member) for caller in callers])) == {"201": 1, "BadRequest": 9}


@pytest.mark.contract("decided-authors.slug")
def test_ten_members_of_one_name_at_once_get_ten_slugs_and_of_ten_with_one_slug_one_is_added(
    crowd, project, rest
) -> None:
    callers = crowd(10, [project.token("One")])

    def add(**fields):
        return outcomes(at_once([post(caller, "/members", {"name": "Ada", **fields}) for caller in callers]))

    assert add() == {"201": 10}
    assert {one["slug"] for one in ok(rest.get("/members"))} == {"ada", *(f"ada-{n}" for n in range(2, 11))}
    assert add(slug="king") == {"201": 1, "BadRequest": 9}
