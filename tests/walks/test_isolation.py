"""Nothing of one project is visible from another, over any interface: whatever a caller can send that names a record,
one of another project is answered as one that never existed, with the same work, and nothing of it is changed.

What a request can name is read from the declarations of the operations; a new operation, or a new field that names a
record, has no case here, and is named by the first tests.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import marshmallow as ma
import pytest
from werkzeug.test import TestResponse

from app.core.operation import Operation
from app.core.schemas.loading import cached_schema
from app.core.vocabulary import Kind
from app.features import ALL
from app.rest.route import Route
from tests.mcp_tools.client import ERAS, Agent
from tests.valid_calls import EVERY, Call, Scene
from tests.walks.others import WORD, Theirs, plain
from tests.walks.sending import OF_PERSONS, OPERATIONS, over_mcp, over_rest, routes_of

pytestmark = pytest.mark.needs_mongod

NAMES = {
    "documentId": "document",
    "internalLinks": "document",
    "intentId": "draft",
    "categoryId": "category",
    "clusterId": "cluster",
    "memberId": "member",
    "assigneeId": "member",
    "authorId": "member",
    "invitationId": "invitation",
    "tokenId": "token",
    "threadId": "thread",
    "sourceId": "source",
    "linkId": "link",
    "webhookId": "webhook",
    "imageId": "image",
    "deliveryId": "delivery",
    "after": "cursor",
    "hash": "section",
    **dict.fromkeys(("assignee", "category", "cluster", "key", "keyword", "keywords", "name"), "word"),
    **dict.fromkeys(("q", "slug", "title"), "word"),
    "email": "e-mail",
    "url": "url",
    "slack": "url",
}
"""What names a record, or has to be unique in a project or is looked for in it: fields, and what kind they name."""

NAMES_NOTHING = set(
    re.findall(
        r"\w+",
        """
    agent all atomic audience baseVersion briefState categoryUrl checks claimLeaseSeconds claimedAt count digest hour
    alt bare bio data headers imageHosts imageUrl keepPublishedAt publishedAt used
    coverImageUrl days deleted description drafts dueAfter dueBefore dueDate enabled events exact excerpt expiresAt
    expiresIn fields level maxRounds offer prefix previewUrl query suffix suggestion text
    fourEyes from guidelines insertAfter intent isPublished kind leaseSeconds limit markdown metaDescription
    metaTitle note notes number offset outline packet publishAt publishesPerDay ready referenceUrls reviewRequired role
    examined facts inputTokens model outputTokens promptUrl provider responsible reviewRecord sources
    fromBrief publishedOn publisher verified
    scopes since siteUrl sort state status subtitle to type updatedSince version wordCount writesPerHour
    """,
    )
)
"""Fields that no record is found by."""


@dataclass(frozen=True)
class Place:
    """Where a call can name a record: one of its ids, or a path into its fields; an item of a list is 0."""

    path: tuple[str | int, ...]
    kind: str
    id_number: int | None = None

    def put(self, call: Call, value: str) -> Call:
        """Returns a call that names another record there."""
        if self.id_number is not None:
            ids = [*call.ids]
            ids[self.id_number] = value
            return replace(call, ids=tuple(ids))
        return replace(call, fields=_put(call.fields, self.path, value))


def _put(container: Any, path: tuple[str | int, ...], value: str) -> Any:
    key, *rest = path
    if not rest:
        inner: Any = value
    else:
        there = container[key] if key in container or (key == 0 and container) else None
        inner = _put(there or ([] if rest[0] == 0 else {}), tuple(rest), value)
    return [inner] if key == 0 else {**container, key: inner}


def names_of_ids(operation: Operation) -> list[str]:
    """Returns the names of the ids in an operation's path; a bare `id` is of what the operation is called after."""
    return [f"{operation.name.rpartition('_')[2]}Id" if name == "id" else name for name in operation.id_names]


def fields_of(operation: Operation) -> Iterator[tuple[str | int, ...]]:
    """Yields the paths of all fields that an operation takes."""
    for schema in (operation.body, operation.query):
        if schema is not None:
            yield from _paths(cached_schema(ALL.schema_of(schema)))


def _paths(schema: ma.Schema) -> Iterator[tuple[str | int, ...]]:
    for key, field in schema.fields.items():
        path: tuple[str | int, ...] = (field.data_key or key,)
        inner: Any = field
        if isinstance(field, ma.fields.List):
            path, inner = (*path, 0), field.inner
        if isinstance(inner, ma.fields.Nested):
            yield from ((*path, *below) for below in _paths(inner.schema))
        else:
            yield path


def name_at(path: tuple[str | int, ...]) -> str:
    return [str(step) for step in path if step != 0][-1]


def places(operation: Operation) -> list[Place]:
    """Returns everywhere where a call of an operation can name a record."""
    ids = [Place((name,), NAMES[name], n) for n, name in enumerate(names_of_ids(operation)) if name in NAMES]
    return ids + [Place(path, NAMES[name_at(path)]) for path in fields_of(operation) if name_at(path) in NAMES]


def test_every_operation_has_a_call() -> None:
    assert OPERATIONS.keys() == EVERY.keys(), "say in `valid_calls.py` how it is called"


def test_every_field_is_known_to_name_a_record_or_nothing() -> None:
    known = NAMES.keys() | NAMES_NOTHING
    taken = {
        (operation.name, name)
        for operation in OPERATIONS.values()
        for name in (*names_of_ids(operation), *map(name_at, fields_of(operation)))
    }

    assert sorted((operation, name) for operation, name in taken if name not in known) == [], "say in `NAMES` what"
    assert known - {name for _, name in taken} == set(), "no operation takes these any more"


@pytest.mark.contract("decided-projects.invisible", "authentication.2", "service.one-project")
@pytest.mark.parametrize("name", EVERY)
def test_what_another_project_has_is_answered_as_what_never_existed(
    service, commands, theirs: Theirs, scene: Scene, name: str
) -> None:
    client, operation = service.test_client(), OPERATIONS[name]
    call, before = EVERY[name](scene), theirs.rows()
    dry = not operation.reads

    def rest(route: Route, call: Call, *, dry: bool) -> TestResponse:
        return over_rest(client, scene.token, route, call, dry_run=dry)

    def mcp(call: Call) -> TestResponse:
        return over_mcp(client, scene.token, name, call, **({"dryRun": True} if dry else {}))

    if operation.tool:
        own = mcp(call).json["result"]
        assert own["isError"] == (name in OF_PERSONS), own["structuredContent"]
        assert WORD not in str(own)
    for place in places(operation):
        never = theirs.never[place.kind]
        as_never = seen(mcp(place.put(call, never)), never)
        value = theirs.values[place.kind][0]
        assert seen(mcp(place.put(call, value)), value) == as_never, place.path
        for route in routes_of(name):
            commands.sent.clear()
            as_never = seen(rest(route, place.put(call, never), dry=dry), never)
            work = list(commands.sent)
            assert place.id_number is None or as_never[0] == 404
            for value in theirs.values[place.kind]:
                commands.sent.clear()
                assert seen(rest(route, place.put(call, value), dry=dry), value) == as_never, (route.path, place.path)
                assert commands.sent == work, (route.path, place.path)
                if dry and as_never[0] >= 400:
                    assert seen(rest(route, place.put(call, value), dry=False), value) == as_never, place.path

    assert theirs.rows() == before
    assert not theirs.is_named_by(scene.project)


@pytest.mark.contract("decided-projects.invisible")
@pytest.mark.parametrize("kind", Kind)
def test_a_draft_that_names_what_another_project_has_is_found_wrong_as_one_that_names_nothing(
    service, commands, theirs: Theirs, scene: Scene, kind: Kind
) -> None:
    client, before = service.test_client(), theirs.rows()
    (validate,), (confirm,) = (
        [route for route in routes_of(name) if route.kind == kind] for name in ("validate_intent", "confirm_intent")
    )
    creates = f"create_{kind}_intent"
    call = EVERY[creates](scene)

    for place in places(OPERATIONS[creates]):
        found = []
        for value in (theirs.never[place.kind], *theirs.values[place.kind]):
            draft = Call((scene.call(creates, **place.put(call, value).fields)["id"],))
            commands.sent.clear()
            validated = seen(over_rest(client, scene.token, validate, draft), value)
            work = list(commands.sent)
            confirmed = over_rest(client, scene.token, confirm, draft, dry_run=True)
            found.append((validated, work, seen(confirmed, value)))
            scene.call("discard_intent", *draft.ids)
        assert found == [found[0]] * len(found), place.path

    assert theirs.rows() == before


@pytest.mark.parametrize("era", ERAS)
def test_resources_and_prompts_of_mcp_name_nothing_of_another_project(
    service, commands, theirs: Theirs, scene: Scene, era: str
) -> None:
    agent, before = Agent(service.test_client(), scene.token, era), theirs.rows()
    own = scene.document()
    templates = [one["uriTemplate"] for one in agent.ask("resources/templates/list")["resourceTemplates"]]
    prompts = {one["name"]: one["arguments"] for one in agent.ask("prompts/list")["prompts"]}
    assert {re.sub(r"\w+://", "", one) for one in templates} == {"{documentId}"}, "say what another template names"
    assert {one["name"] for one in chain(*prompts.values())} == {"documentId"}, "say what another argument names"

    def reads(id: str) -> list[TestResponse]:
        read = [agent.post("resources/read", {"uri": one.format(documentId=id)}, 1) for one in templates]
        return read + [agent.post("prompts/get", {"name": one, "arguments": {"documentId": id}}, 1) for one in prompts]

    assert all("result" in read.json for read in reads(own))
    answers = []
    for value in (theirs.never["document"], *theirs.values["document"]):
        commands.sent.clear()
        answers.append(([seen(read, value) for read in reads(value)], list(commands.sent)))
    assert all("error" in read[2] for read in answers[0][0])
    assert answers == [answers[0]] * len(answers)
    assert WORD not in agent.post("resources/list").text
    assert theirs.rows() == before


def seen(response: TestResponse, sent: str) -> tuple[int, list[tuple[str, str]], str]:
    """Returns what a caller sees of an answer, without what was sent and what is made up."""
    made_up = {"X-Request-Id", "ETag", "Location", "Dry-Run", "Content-Length"}
    headers = [(name, plain(value, sent)) for name, value in response.headers if name not in made_up]
    return response.status_code, headers, plain(response.text, sent)
