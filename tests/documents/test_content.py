"""Content writes and their history: base versions, claims, revisions, diffs (decisions, sections 5 and 6)."""

from typing import Any

import pytest

from app.core.context import Context
from app.core.errors import BriefClaimed
from app.core.store.store import Store
from app.core.vocabulary import Channel, Scope
from tests.documents.steps import (
    NOBODY,
    a_category,
    a_document,
    a_document_in,
    claimed,
    events_of,
    expire_claim,
    ok,
    path_of,
    refused,
    types_of,
)
from tests.make import OPERATIONS, Project, Token
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

AGENT = (Scope.READ, Scope.WRITE)


def write(rest: Rest, document: dict[str, Any], markdown: str, base: int | None = None, **headers: str) -> Any:
    body = {"markdown": markdown} | ({} if base is None else {"baseVersion": base})
    return rest.put(f"{path_of(document)}/content", body, **headers)


@pytest.mark.contract("decided-documents.content", "versioning.base", "decided-documents.version", "record.wordCount")
def test_content_is_written_whole_as_a_new_version(rest: Rest, store: Store) -> None:
    document = a_document(rest, markdown=None)
    assert (document["content"], document["wordCount"], document["version"]) == ("", 0, 1)

    written = ok(write(rest, document, "# Rye\n\nIt **is** dark.", base=1))

    assert (written["content"], written["wordCount"], written["version"]) == ("# Rye\n\nIt **is** dark.", 4, 2)
    assert written["contentUpdatedAt"] == written["updatedAt"] > document["contentUpdatedAt"]
    token = rest.token
    assert written["contentUpdatedBy"] == {"type": "token", "id": token.id, "name": "A script", "agent": ""}
    assert types_of(store, document) == ["document.created", "document.content_updated"]


@pytest.mark.contract("decided-documents.word-count")
def test_words_are_those_of_the_text_in_any_script(rest: Rest) -> None:
    document = a_document(rest, markdown="| a | b |\n|---|---|\n| c | d |\n\n- [ ] ~~task~~ <https://example.org/>")
    counted = ok(write(rest, document, "Roggenbrot 黒パン хлеб", base=1))["wordCount"]

    assert document["wordCount"] > 4
    assert counted >= 3


def test_content_can_be_emptied(rest: Rest) -> None:
    document = a_document(rest)

    emptied = ok(write(rest, document, "", base=1))

    assert (emptied["content"], emptied["wordCount"], emptied["version"]) == ("", 0, 2)
    refused(rest.post(f"{path_of(document)}/submit"), "BadRequest")


@pytest.mark.contract("decided-documents.version")
def test_the_same_content_is_no_new_version(rest: Rest, store: Store) -> None:
    document = a_document(rest)

    assert ok(write(rest, document, document["content"], base=1)) == document
    assert types_of(store, document) == ["document.created"]


@pytest.mark.contract("versioning.base", "decided-http.VersionConflict")
def test_a_write_from_another_version_is_refused_and_overwrites_nothing(rest: Rest) -> None:
    document = a_document(rest)
    ok(write(rest, document, "Mine.", base=1))

    refusal = refused(write(rest, document, "Yours.", base=1), "VersionConflict")

    assert (refusal["version"], refusal["baseVersion"]) == (2, 1)
    assert ok(rest.get(path_of(document)))["content"] == "Mine."
    refused(write(rest, document, "Yours.", base=3), "VersionConflict")


@pytest.mark.contract("decided-documents.content")
def test_a_write_must_say_which_version_it_was_made_from(rest: Rest) -> None:
    document = a_document(rest)
    issues = refused(rest.put(f"{path_of(document)}/content", {"markdown": "x"}), "HttpApiDecodeError")["issues"]
    assert [issue["path"] for issue in issues] == ["baseVersion"]

    issues = refused(rest.put(f"{path_of(document)}/content", {"baseVersion": 1}), "HttpApiDecodeError")["issues"]
    assert [issue["path"] for issue in issues] == ["markdown"]

    for sent, based, paths in (
        ({}, {}, ["baseVersion", "markdown"]),
        ({"markdown": 5, "claimedAt": 5}, {}, ["baseVersion", "claimedAt", "markdown"]),
        ({"baseVersion": "1"}, {}, ["baseVersion", "markdown"]),
        ({}, {"If-Match": '"1"'}, ["markdown"]),
    ):
        refusal = refused(rest.put(f"{path_of(document)}/content", sent, **based), "HttpApiDecodeError")
        assert [issue["path"] for issue in refusal["issues"]] == paths


@pytest.mark.contract("decided-http.if-match-content")
def test_if_match_of_a_content_write_compares_the_version_alone(rest: Rest) -> None:
    document = a_document(rest)
    etag = rest.get(path_of(document)).headers["ETag"]
    ok(rest.patch(path_of(document), {"dueDate": "2027-01-31"}))  # another state of the record, the same version
    assert rest.get(path_of(document)).headers["ETag"] != etag

    assert ok(write(rest, document, "First.", If_Match=etag))["version"] == 2
    refusal = refused(write(rest, document, "Second.", If_Match=etag), "VersionConflict")
    assert (refusal["version"], refusal["baseVersion"]) == (2, 1)


@pytest.mark.contract("decided-http.if-match-content")
def test_if_match_with_a_star_takes_any_version(rest: Rest) -> None:
    document = a_document(rest)

    assert ok(write(rest, document, "First.", If_Match="*"))["version"] == 2
    refused(write(rest, document, "Second.", base=2, If_Match='"1-1"'), "VersionConflict")
    refused(write(rest, document, "Second.", base=1, If_Match="*"), "VersionConflict")


@pytest.mark.contract("decided-documents.content-order")
def test_refusals_of_a_content_write_come_in_their_order(rest: Rest, project: Project) -> None:
    other = rest.by(project.token("Other", agent="other", scopes=AGENT))
    approved = a_document_in(rest, "approved")
    assert write(other, {"id": NOBODY}, "x", base=7).status_code == 404
    refused(write(rest, approved, "x", base=7), "VersionConflict")
    for caller, base in ((rest, 1), (other, 1), (other, 7)):  # an agent need not merge what no status would take
        refused(write(caller, approved, "x", base=base), "InvalidTransition")

    document = a_document(rest, brief={})
    claimed(rest, document, rest.by(project.token("Night writer", agent="writer-1")))
    refused(write(other, document, "x", base=7), "BriefClaimed")


# A claim protects the work


@pytest.fixture
def holder(rest: Rest, project: Project) -> Rest:
    return rest.by(project.token("Night writer", agent="writer-1", scopes=AGENT))


@pytest.fixture
def piece(rest: Rest, holder: Rest) -> dict[str, Any]:
    """A document with two versions whose brief `holder` has claimed."""
    document = a_document(rest, brief={"keyword": "rye"})
    ok(write(rest, document, "Rye is very dark.", base=1))
    return claimed(rest, document, holder)


PROTECTED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a content write": ("PUT", "/content", {"markdown": "Over it.", "baseVersion": 2}),
    "restoring a revision": ("POST", "/revisions/1/restore", {"baseVersion": 2}),
    "submitting": ("POST", "/submit", {}),
}
protected = pytest.mark.parametrize("act", PROTECTED)


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_another_agent_is_refused_while_a_brief_is_claimed(rest: Rest, project: Project, piece: Any, act: str) -> None:
    method, path, body = PROTECTED[act]
    other = rest.by(project.token("Day writer", agent="writer-2", scopes=AGENT))

    refusal = refused(other.call(method, path_of(piece) + path, body), "BriefClaimed")

    assert refusal["claimedBy"]["agent"] == "writer-1"
    assert refusal["claimedAt"] == piece["brief"]["claimedAt"]
    assert ok(rest.get(path_of(piece))) == piece


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_the_agent_that_claimed_a_brief_is_let_through(holder: Rest, piece: Any, act: str) -> None:
    method, path, body = PROTECTED[act]

    ok(holder.call(method, path_of(piece) + path, {**body, "claimedAt": piece["brief"]["claimedAt"]}))


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_people_and_scripts_are_let_through_over_rest(rest: Rest, piece: Any, act: str) -> None:
    method, path, body = PROTECTED[act]

    ok(rest.call(method, path_of(piece) + path, body))


FIELD_WRITES = [
    ("PATCH", "", {"title": "Another"}),
    ("PATCH", "/brief", {"keyword": "another"}),
    ("PUT", "/brief", {"keyword": "another"}),
]


@pytest.mark.contract("decided-briefs.claim-protects-fields")
@pytest.mark.parametrize(("method", "path", "body"), FIELD_WRITES)
def test_a_claim_protects_fields_and_brief_from_other_agents_alone(
    rest: Rest, holder: Rest, project: Project, piece: Any, method: str, path: str, body: Any
) -> None:
    other = rest.by(project.token("Day writer", agent="writer-2", scopes=AGENT))

    refused(other.call(method, path_of(piece) + path, body), "BriefClaimed")
    assert ok(rest.get(path_of(piece))) == piece
    ok(holder.call(method, path_of(piece) + path, body))
    ok(rest.call(method, path_of(piece) + path, {next(iter(body)): "a person's"}))


@pytest.mark.contract("decided-briefs.claim-protects-fields")
@pytest.mark.parametrize("name", ["update_document", "update_brief", "replace_brief"])
def test_a_claim_protects_fields_and_brief_from_others_over_mcp(
    rest: Rest, project: Project, piece: Any, name: str
) -> None:
    fields = {"title": "Another"} if name == "update_document" else {"keyword": "another"}
    with pytest.raises(BriefClaimed):
        OPERATIONS[name](project.context(rest.token, channel=Channel.MCP), piece["id"], fields=fields)


@pytest.mark.contract("decided-briefs.review-stays-still")
def test_what_a_reviewer_reads_is_changed_by_people_alone(rest: Rest, holder: Rest, piece: Any) -> None:
    submitted = ok(holder.post(f"{path_of(piece)}/submit"))
    content = {"markdown": "Late.", "baseVersion": submitted["version"]}

    refused(holder.call("PATCH", path_of(piece), {"title": "Late"}), "InvalidTransition")
    refused(holder.call("PUT", f"{path_of(piece)}/content", content), "InvalidTransition")
    ok(holder.call("PATCH", path_of(piece), {"dueDate": "2027-01-01"}))
    ok(rest.call("PATCH", path_of(piece), {"title": "A person's"}))


@pytest.mark.contract("decided-briefs.release")
def test_the_holder_releases_a_claim_and_the_brief_is_offered_again(rest: Rest, holder: Rest, piece: Any) -> None:
    refused(rest.post(f"{path_of(piece)}/brief/release"), "BriefClaimed")

    released = ok(holder.post(f"{path_of(piece)}/brief/release"))

    assert released["brief"]["state"] == "ready"
    assert released["brief"]["claimedBy"] is released["brief"]["claimedAt"] is None
    assert released["version"] == piece["version"]
    assert ok(rest.get(f"{path_of(piece)}/activity"))[0]["type"] == "brief.released"
    refused(holder.post(f"{path_of(piece)}/brief/release"), "BriefNotOffered")


def over_mcp(project: Project, token: Token, act: str, document: dict[str, Any], **fields: Any) -> Any:
    """Calls one of the protected operations over MCP."""
    ctx: Context = project.context(token, channel=Channel.MCP)
    if act == "submitting":
        return OPERATIONS["submit_document"](ctx, document["id"], fields=fields).body
    if act == "restoring a revision":
        return OPERATIONS["restore_revision"](ctx, document["id"], "1", fields={"baseVersion": 2, **fields}).body
    return OPERATIONS["write_content"](ctx, document["id"], fields={"markdown": "x", "baseVersion": 2, **fields}).body


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_any_caller_but_the_holder_is_refused_over_mcp(rest: Rest, project: Project, piece: Any, act: str) -> None:
    with pytest.raises(BriefClaimed):
        over_mcp(project, rest.token, act, piece)


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_the_token_that_claimed_a_brief_is_let_through_over_mcp(
    project: Project, holder: Rest, piece: Any, act: str
) -> None:
    over_mcp(project, holder.token, act, piece)


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_of_agents_that_share_a_token_only_the_one_of_this_claim_is_let_through(
    holder: Rest, piece: Any, act: str
) -> None:
    method, path, body = PROTECTED[act]
    earlier = "2026-01-01T00:00:00.000Z"

    refused(holder.call(method, path_of(piece) + path, {**body, "claimedAt": earlier}), "BriefClaimed")
    refused(holder.call(method, path_of(piece) + path, {**body, "claimedAt": "then"}), "HttpApiDecodeError")
    ok(holder.post(f"{path_of(piece)}/brief/release"))
    named = {**body, "claimedAt": piece["brief"]["claimedAt"]}
    refusal = refused(holder.call(method, path_of(piece) + path, named), "BriefClaimed")
    assert (refusal["claimedBy"], refusal["claimedAt"]) == (None, None)


@pytest.mark.contract("decided-briefs.claim-protects")
@protected
def test_an_agent_that_lost_its_lease_cannot_write_over_its_successor(
    rest: Rest, project: Project, store: Store, holder: Rest, act: str
) -> None:
    method, path, body = PROTECTED[act]
    document = a_document(rest, brief={})
    ok(write(rest, document, "Rye is very dark.", base=1))
    claimed(rest, document, holder, leaseSeconds=60)
    expire_claim(store, document)
    successor = rest.by(project.token("Day writer", agent="writer-2", scopes=AGENT))
    ok(successor.post(f"{path_of(document)}/brief/claim"))

    refused(holder.call(method, path_of(document) + path, body), "BriefClaimed")
    ok(successor.call(method, path_of(document) + path, body))


@pytest.mark.contract("decided-briefs.submit-after-expiry")
def test_submitting_after_the_lease_ran_out_leaves_the_brief_ready(rest: Rest, store: Store, holder: Rest) -> None:
    document = a_document(rest, brief={})
    first = claimed(rest, document, holder, leaseSeconds=60)["brief"]["claimedAt"]
    expire_claim(store, document)
    path, named = path_of(document), {"claimedAt": first}
    refused(holder.put(f"{path}/content", {"markdown": "Late.", "baseVersion": 1, **named}), "BriefClaimed")
    refused(holder.post(f"{path}/submit", {"claimedAt": "2026-01-01T00:00:00.000Z"}), "BriefClaimed")
    ok(holder.post(f"{path}/submit?dryRun=true"))
    ok(rest.patch(f"{path}/brief", {"notes": "Written after the claim ended."}))

    submitted = ok(holder.post(f"{path}/submit", named))

    assert (submitted["status"], submitted["brief"]["state"]) == ("review", "ready")
    assert types_of(store, document)[-3:] == ["brief.expired", "brief.updated", "document.submitted"]
    assert ok(rest.get("/briefs")) == []


@pytest.mark.contract("decided-briefs.submit-after-expiry")
def test_submitting_after_the_lease_ran_out_is_refused_once_somebody_else_has_claimed(
    rest: Rest, store: Store, holder: Rest
) -> None:
    document = a_document(rest, brief={})
    named = {"claimedAt": claimed(rest, document, holder, leaseSeconds=60)["brief"]["claimedAt"]}
    expire_claim(store, document)
    for step in ("brief/claim", "brief/release"):
        ok(holder.post(f"{path_of(document)}/{step}"))

    assert refused(holder.post(f"{path_of(document)}/submit", named), "BriefClaimed")["claimedBy"] is None


# Revisions


@pytest.mark.contract("decided-documents.revisions", "decided-documents.kept")
def test_every_version_can_be_read_back_as_it_was(rest: Rest, holder: Rest) -> None:
    texts = ["Rye is dark.", "One\r\ntwo\u2028\x0bthree", "\ufeff \t\U0001f35e\n\n", ""]
    document = a_document(rest, markdown=texts[0])
    for version, text in enumerate(texts[1:], 1):
        ok(write(holder, document, text, base=version))

    listed = ok(rest.get(f"{path_of(document)}/revisions"))
    read = [ok(rest.get(f"{path_of(document)}/revisions/{row['version']}")) for row in listed]

    assert [row["version"] for row in listed] == [4, 3, 2, 1]
    assert [row["markdown"] for row in read] == texts[::-1]
    assert [{**row, "markdown": one["markdown"]} for row, one in zip(listed, read, strict=True)] == read
    assert {row["createdBy"]["agent"] for row in listed[:-1]} == {"writer-1"}
    assert listed[-1]["createdBy"]["agent"] == ""
    assert [row["version"] for row in ok(rest.get(f"{path_of(document)}/revisions?limit=2&offset=1"))] == [3, 2]


@pytest.mark.parametrize("version", ["0", "7", "-1", "1.0", "x", "01", "9999999999"])
def test_a_version_that_there_is_not_is_not_found(rest: Rest, version: str) -> None:
    document = a_document(rest)

    assert rest.get(f"{path_of(document)}/revisions/{version}").status_code == 404
    assert rest.post(f"{path_of(document)}/revisions/{version}/restore", {"baseVersion": 1}).status_code == 404


@pytest.mark.contract("decided-documents.revisions")
def test_restoring_a_version_writes_a_new_one_with_its_markdown_and_published_fields(rest: Rest, store: Store) -> None:
    category = a_category(rest)
    document = a_document(rest, slug="rye", categoryId=category["id"], dueDate="2027-01-31")
    first = ok(rest.patch(path_of(document), {"subtitle": "Dark"}))
    ok(rest.patch(path_of(document), {"title": "Spelt", "slug": "spelt", "subtitle": None, "categoryId": None}))
    ok(write(rest, document, "Spelt is old.", base=3))
    ok(rest.patch(path_of(document), {"dueDate": "2028-01-01"}))

    restored = ok(rest.post(f"{path_of(document)}/revisions/2/restore", {"baseVersion": 4}))

    assert restored["version"] == 5
    names = ("title", "slug", "subtitle", "categoryId", "content", "wordCount")
    assert {name: restored[name] for name in names} == {name: first[name] for name in names}
    assert restored["dueDate"] == "2028-01-01"
    assert restored["contentUpdatedAt"] == restored["updatedAt"]
    assert ok(rest.get(f"{path_of(document)}/revisions/5"))["markdown"] == document["content"]
    event = events_of(store, document)[-1]
    assert (event["type"], event["data"]["restoredVersion"]) == ("document.content_updated", 2)


def test_restoring_what_is_there_already_changes_nothing(rest: Rest) -> None:
    document = a_document(rest)
    ok(write(rest, document, "Spelt is old.", base=1))
    again = ok(write(rest, document, document["content"], base=2))

    assert ok(rest.post(f"{path_of(document)}/revisions/1/restore", {"baseVersion": 3})) == again


def test_restoring_fields_alone_leaves_the_content_as_old_as_it_is(rest: Rest) -> None:
    document = a_document(rest)
    ok(rest.patch(path_of(document), {"title": "Spelt"}))

    restored = ok(rest.post(f"{path_of(document)}/revisions/1/restore", {"baseVersion": 2}))

    assert (restored["title"], restored["version"]) == ("Rye", 3)
    assert restored["contentUpdatedAt"] == document["contentUpdatedAt"]


def test_a_restored_version_whose_category_is_gone_has_none(rest: Rest) -> None:
    category = a_category(rest)
    document = a_document(rest, categoryId=category["id"])
    ok(rest.patch(path_of(document), {"categoryId": None, "title": "Spelt"}))
    ok(rest.delete(f"/categories/{category['id']}"))

    restored = ok(rest.post(f"{path_of(document)}/revisions/1/restore", {"baseVersion": 2}))

    assert (restored["title"], restored["categoryId"]) == ("Rye", None)


@pytest.mark.contract("decided-documents.revisions", "decided-http.SlugTaken")
def test_refusals_of_restoring_a_version_come_in_their_order(rest: Rest) -> None:
    document = a_document(rest, slug="rye")
    ok(rest.patch(path_of(document), {"slug": "spelt"}))
    path = f"{path_of(document)}/revisions"

    issues = refused(rest.post(f"{path}/1/restore", {}), "HttpApiDecodeError")["issues"]
    assert [issue["path"] for issue in issues] == ["baseVersion"]
    assert rest.post(f"{path}/9/restore", {"baseVersion": 7}).status_code == 404
    a_document(rest, slug="rye")
    refused(rest.post(f"{path}/1/restore", {"baseVersion": 1}), "VersionConflict")
    refused(rest.post(f"{path}/1/restore", {"baseVersion": 2}), "SlugTaken")
    ok(rest.post(f"{path_of(document)}/approve"))
    refused(rest.post(f"{path}/1/restore", {"baseVersion": 2}), "InvalidTransition")
    assert ok(rest.get(path_of(document)))["version"] == 2


# Diffs


@pytest.mark.contract("decided-documents.diff")
def test_the_diff_of_two_versions_is_a_unified_one(rest: Rest) -> None:
    document = a_document(rest, markdown="# Rye\n\nIt is dark.\n")
    ok(write(rest, document, "# Rye\n\nIt is sour.\n", base=1))

    diff = ok(rest.get(f"{path_of(document)}/diff?from=1&to=2"))

    lines = ["--- version 1", "+++ version 2", "@@ -1,3 +1,3 @@", " # Rye", " ", "-It is dark.", "+It is sour.", ""]
    assert diff == {"from": 1, "to": 2, "diff": "\n".join(lines)}
    assert ok(rest.get(f"{path_of(document)}/diff?from=2&to=1"))["diff"].count("+It is dark.") == 1
    assert ok(rest.get(f"{path_of(document)}/diff?from=2&to=2"))["diff"] == ""


@pytest.mark.contract("decided-documents.diff")
def test_a_diff_names_two_versions_that_there_are(rest: Rest) -> None:
    path = f"{path_of(a_document(rest))}/diff"

    assert [issue["path"] for issue in refused(rest.get(path), "HttpApiDecodeError")["issues"]] == ["from", "to"]
    refused(rest.get(f"{path}?from=0&to=1"), "HttpApiDecodeError")
    refused(rest.get(f"{path}?from=one&to=1"), "HttpApiDecodeError")
    assert rest.get(f"{path}?from=1&to=2").status_code == 404
    assert rest.get(f"/documents/{NOBODY}/diff?from=1&to=2").status_code == 404


@pytest.mark.contract("decided-documents.diff")
def test_a_diff_that_would_take_too_long_is_refused(rest: Rest) -> None:
    document = a_document(rest, markdown="\n".join(f"a{number}" for number in range(20_001)))
    ok(write(rest, document, "\n".join(f"b{number}" for number in range(20_001)), base=1))

    assert rest.get(f"{path_of(document)}/diff?from=1&to=2").status_code == 422


def test_a_bare_version_as_if_match_is_the_version(rest: Rest) -> None:
    path = path_of(a_document(rest))

    assert rest.put(f"{path}/content", {"markdown": "Dark."}, If_Match='W/"1"').status_code == 200
    conflict = refused(rest.put(f"{path}/content", {"markdown": "Sour."}, If_Match='"1"'), "VersionConflict")
    assert (conflict["version"], conflict["baseVersion"]) == (2, 1)


@pytest.mark.parametrize("tag", ["sour", '""', '"nope"'])
def test_an_if_match_that_names_no_state_is_refused_like_an_outdated_one_with_the_reason(rest: Rest, tag: str) -> None:
    path = path_of(a_document(rest))

    outdated = refused(rest.put(f"{path}/content", {"markdown": "Dark."}, If_Match=tag), "VersionConflict")
    changed = refused(rest.patch(path, {"title": "Dark"}, If_Match=tag), "PreconditionFailed")

    assert outdated["message"] == changed["message"]
    assert changed["message"].startswith("`If-Match` names no state of this record")
    assert outdated["version"] == 1


def test_a_key_that_was_used_under_another_condition_is_a_mismatch(rest: Rest) -> None:
    path = f"{path_of(a_document(rest))}/content"
    ok(rest.put(path, {"markdown": "Dark."}, If_Match='"1-1"', Idempotency_Key="one"))

    refused(rest.put(path, {"markdown": "Dark."}, If_Match='"77-1"', Idempotency_Key="one"), "IdempotencyMismatch")
    again = rest.put(
        path.replace("/content", "").upper().replace("/DOCUMENTS", "/documents") + "/content",
        {"markdown": "Dark."},
        If_Match='"1-1"',
        Idempotency_Key="one",
    )
    assert again.headers["Idempotency-Replayed"] == "true"
