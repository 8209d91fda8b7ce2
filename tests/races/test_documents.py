"""Documents that many write at once: versions, slugs, moves (decisions, section 5)."""

from typing import Any

import pytest

from app.core.store.bodies import Bodies
from app.publications.store import Publications
from tests.documents.steps import a_document, a_document_in, events_of, ok, path_of, types_of
from tests.races.crowd import at_once, outcomes, refused, succeeded

pytestmark = pytest.mark.race


def calls(caller, method: str, path: str, body: Any = None):
    return lambda: caller.call(method, path, body)


@pytest.mark.contract("decided-documents.races", "versioning.base", "decided-documents.kept")
def test_of_thirty_writers_with_one_base_version_one_succeeds(rest, crowd, store) -> None:
    document = a_document(rest)
    writes = [
        calls(caller, "PUT", f"{path_of(document)}/content", {"markdown": f"Text {number}", "baseVersion": 1})
        for number, caller in enumerate(crowd(30))
    ]

    responses = at_once(writes)

    assert outcomes(responses) == {"200": 1, "VersionConflict": 29}
    assert {(lost.json["version"], lost.json["baseVersion"]) for lost in refused(responses)} == {(2, 1)}
    [won] = succeeded(responses)
    assert ok(rest.get(path_of(document))) == won.json
    assert ok(rest.get(f"{path_of(document)}/revisions/2"))["markdown"] == won.json["content"]
    assert types_of(store, document) == ["document.created", "document.content_updated"]


@pytest.mark.contract("decided-documents.version", "decided-documents.kept")
def test_versions_of_writers_and_editors_at_once_are_all_there_byte_for_byte(rest, crowd, store) -> None:
    document = a_document(rest)
    content, callers = f"{path_of(document)}/content", crowd(12)

    def edits(number, caller):
        return calls(caller, "PATCH", path_of(document), {"title": f"Title {number}"})

    def writes(number, caller):
        return lambda: caller.put(content, {"markdown": f"Text {number} \U0001f35e"}, If_Match="*")

    def plans(number, caller):
        return calls(caller, "PATCH", path_of(document), {"dueDate": f"2027-01-{number + 1:02}"})

    acts = (edits, writes, plans)
    responses = at_once([acts[number % 3](number, caller) for number, caller in enumerate(callers)])

    assert outcomes(responses) == {"200": 12}
    versions = {answer.json["version"]: answer.json for answer in responses[0::3] + responses[1::3]}
    assert sorted(versions) == list(range(2, 10))
    for version, answer in versions.items():
        kept = ok(rest.get(f"{path_of(document)}/revisions/{version}"))
        assert (kept["markdown"], kept["title"]) == (answer["content"], answer["title"])
    assert [event["data"]["version"] for event in events_of(store, document)] == sorted(
        event["data"]["version"] for event in events_of(store, document)
    )
    assert len(events_of(store, document)) == 13


@pytest.mark.contract("decided-documents.one-slug", "decided-http.SlugTaken")
def test_of_twenty_documents_that_take_one_slug_one_gets_it(rest, crowd) -> None:
    documents = [a_document(rest) for _ in range(20)]
    takes = [
        calls(caller, "PATCH", path_of(document), {"slug": "rye-of-all"})
        for document, caller in zip(documents, crowd(20), strict=True)
    ]

    assert outcomes(at_once(takes)) == {"200": 1, "SlugTaken": 19}


@pytest.mark.contract("decided-documents.one-slug")
def test_a_slug_is_one_documents_while_slugs_are_renamed_trashed_restored_and_published(rest, crowd, store) -> None:
    documents = [a_document_in(rest, "published", slug=f"slug-{number}-{rest.token.id}") for number in range(4)]
    slugs = [document["slug"] for document in documents]

    def story(number: int, caller):
        document, path = documents[number % 4], path_of(documents[number % 4])
        acts = [
            ("PATCH", path, {"slug": slugs[(number + number // 4) % 4]}),
            ("POST", f"{path}/publish", None),
            ("DELETE", path, None),
            ("POST", f"{path}/restore", None),
            ("POST", f"{path}/unpublish", None),
            ("POST", f"{path}/publish", None),
        ]
        return lambda: [caller.call(*act) for act in acts[number % 3 :] + acts[: number % 3]] + [document]

    stories = at_once([story(number, caller) for number, caller in enumerate(crowd(12))])

    told = outcomes([answer for story_ in stories for answer in story_[:-1]])
    assert told.keys() <= {"200", "SlugTaken", "NotFound", "InvalidTransition"}
    held: dict[str, set[str]] = {}
    for row in store.database.documents.find({"slugs": {"$in": slugs}, "deletedAt": None}):
        assert {row["slug"], (row["published"] or row)["slug"]} == set(row["slugs"])
        for slug in row["slugs"]:
            held.setdefault(slug, set()).add(str(row["_id"]))
    assert all(len(holders) == 1 for holders in held.values())


def test_two_documents_that_swap_their_slugs_at_once_never_share_one(rest, crowd) -> None:
    one, other = a_document(rest, slug="one"), a_document(rest, slug="other")
    first, second = crowd(2)

    responses = at_once(
        [
            calls(first, "PATCH", path_of(one), {"slug": "other"}),
            calls(second, "PATCH", path_of(other), {"slug": "one"}),
        ]
    )

    assert outcomes(responses) == {"SlugTaken": 2}


def test_confirming_and_renaming_to_one_slug_at_once_makes_one_of_it(rest, crowd) -> None:
    document = a_document(rest)
    drafts = [
        (caller, ok(caller.post("/document-intents", {"title": "x", "slug": "wanted"}), 201)["id"])
        for caller in crowd(6)
    ]
    confirms = [calls(caller, "POST", f"/document-intents/{draft}/confirm") for caller, draft in drafts]

    responses = at_once([*confirms, calls(rest.by(rest.token), "PATCH", path_of(document), {"slug": "wanted"})])

    assert len(succeeded(responses)) == 1
    assert outcomes(responses).keys() <= {"200", "201", "SlugTaken", "IntentInvalid"}


MOVES = [
    ("submit", "drafting", "InvalidTransition"),
    ("approve", "review", "InvalidTransition"),
    ("request-changes", "review", "InvalidTransition"),
    ("unschedule", "scheduled", "InvalidTransition"),
    ("unpublish", "published", "InvalidTransition"),
]


@pytest.mark.contract("decided-documents.races")
@pytest.mark.parametrize(("step", "status", "lost"), MOVES)
def test_of_ten_equal_moves_at_once_one_is_made_and_the_others_came_second(
    rest, crowd, store, project, step, status, lost
) -> None:
    document = a_document_in(rest, status)
    before = len(events_of(store, document))
    tokens = [project.token(f"Editor {number}") for number in range(3)]

    responses = at_once([calls(caller, "POST", f"{path_of(document)}/{step}") for caller in crowd(10, tokens)])

    assert outcomes(responses) == {"200": 1, lost: 9}
    assert {answer.json["status"] for answer in refused(responses)} == {succeeded(responses)[0].json["status"]}
    assert len(events_of(store, document)) == before + 1


@pytest.mark.contract("decided-documents.races", "decided-documents.snapshot")
def test_what_is_delivered_is_one_version_while_it_is_published_edited_and_unpublished(
    rest, crowd, store, project
) -> None:
    document = a_document_in(rest, "published")
    tokens = [project.token(f"Editor {number}") for number in range(3)]
    path = path_of(document)
    acts = {
        0: lambda caller, number: caller.post(f"{path}/publish"),
        1: lambda caller, number: caller.patch(path, {"title": f"Title {number}"}),
        2: lambda caller, number: caller.put(f"{path}/content", {"markdown": f"Text {number}"}, If_Match="*"),
        3: lambda caller, number: caller.post(f"{path}/unpublish"),
    }
    callers = list(enumerate(crowd(16, tokens)))

    responses = at_once([lambda c=caller, n=number: acts[n % 4](c, n) for number, caller in callers])

    assert outcomes(responses).keys() <= {"200", "InvalidTransition"}
    ok(rest.post(f"{path}/publish"))
    for answer in [*succeeded(responses), rest.get(path)]:
        seen = answer.json
        if seen["isPublished"]:
            version = ok(rest.get(f"{path}/revisions/{seen['publishedVersion']}"))
            assert seen["publishedMarkdown"] == version["markdown"]
            assert seen["hasUnpublishedChanges"] == (seen["version"] != seen["publishedVersion"])
        else:
            assert (seen["publishedMarkdown"], seen["publishedVersion"], seen["publishedAt"]) == (None, None, None)
    row = store[Publications].get(project.id, document["id"])
    html = store[Bodies].get_texts(project.id, [row["htmlId"]])[row["htmlId"]]
    assert html == f"<p>{ok(rest.get(path))['publishedMarkdown']}</p>\n"


def test_deleting_and_restoring_at_once_leaves_the_document_whole(rest, crowd, project) -> None:
    document = a_document_in(rest, "published")
    tokens = [project.token(f"Editor {number}") for number in range(3)]
    callers = crowd(10, tokens)
    deletes = [calls(caller, "DELETE", path_of(document)) for caller in callers[:5]]
    restores = [calls(caller, "POST", f"{path_of(document)}/restore") for caller in callers[5:]]

    told = outcomes(at_once([*deletes, *restores]))

    assert told.keys() <= {"200", "NotFound", "InvalidTransition"}
    rest.post(f"{path_of(document)}/restore")
    back = ok(rest.get(path_of(document)))
    assert (back["status"], back["publishedMarkdown"]) == ("published", document["publishedMarkdown"])
