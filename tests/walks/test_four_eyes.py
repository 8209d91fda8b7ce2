"""Who made a version does not let it go, however they made it and let it go (decisions, section 13)."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from app.core.vocabulary import Scope
from app.documents.publishing import publish_due
from app.publications.store import Publications
from tests.cli.conftest import Cli, cli  # noqa: F401  # a fixture
from tests.console.visitor import Visitor
from tests.documents.steps import a_document, in_hours, make_due, ok, path_of
from tests.make import Project, Token
from tests.mcp_tools.client import Agent
from tests.rest.client import Rest

pytestmark = pytest.mark.needs_mongod

Document = dict[str, Any]


@dataclass
class World:
    """A project with somebody who writes, somebody who reads, a bot, and the command line."""

    app: Flask
    project: Project
    command: Cli
    folder: Path
    owner: Rest
    keys: Iterator[int] = field(default_factory=lambda: iter(range(100)))

    def __post_init__(self) -> None:
        self.writer = self.owner.by(self.project.token("Writer", agent="writer-1", scopes=set(Scope) - {Scope.ADMIN}))
        self.editor = self.owner.by(self.project.token("Editor"))
        self.bot = self.owner.by(self.project.token("Bot"))

    def demand(self, wanted: bool) -> None:
        ok(self.owner.patch("/project", {"fourEyes": wanted}))

    def begun(self, by: Rest, **fields: Any) -> Document:
        """Makes a document with a key."""
        key = f"piece-{next(self.keys)}"
        piece = {"key": key, "title": "Rye", "markdown": "Rye is dark.", **fields}
        [made] = ok(by.post("/plan", {"pieces": [piece]}))["pieces"]
        return {**ok(by.get(f"/documents/{made['id']}")), "key": key}

    def written(self, by: Rest, document: Document | None = None) -> Document:
        """Writes the whole text of a document."""
        document = document or self.begun(self.editor)
        path = path_of(document)
        body = {"markdown": f"By {by.token.caller.name}.", "baseVersion": ok(by.get(path))["version"]}
        return {**ok(by.put(f"{path}/content", body)), "key": document["key"]}

    def plan_file(self, document: Document) -> Path:
        path = self.folder / "plan.json"
        path.write_text(json.dumps([{"key": document["key"], "title": "By a script"}]))
        return path

    def visitor(self, token: Token) -> Visitor:
        visitor = Visitor(self.app)
        visitor.sign_in(token)
        return visitor

    def reverted(self, document: Document) -> Document:
        """Has the bot write something, which is undone."""
        self.written(self.bot, document)
        undone = ok(self.editor.post(f"/tokens/{self.bot.token.id}/revert", {"since": in_hours(-1)}))
        assert document["id"] in {one["id"] for one in undone["reverted"]}
        return document


def put(world: World) -> Document:
    return world.written(world.writer)


def section(world: World) -> Document:
    document = world.begun(world.editor)
    [part] = ok(world.writer.get(f"{path_of(document)}/outline"))["sections"]
    edits = {"edits": [{"hash": part["hash"], "markdown": "Dark."}]}
    return {**document, **ok(world.writer.patch(f"{path_of(document)}/content", edits, If_Match="*"))}


def restored(world: World) -> Document:
    document = world.written(world.bot)
    body = {"baseVersion": document["version"]}
    return {**document, **ok(world.writer.post(f"{path_of(document)}/revisions/1/restore", body))}


def patched(world: World) -> Document:
    document = world.begun(world.editor)
    ok(world.writer.patch(path_of(document), {"title": "Wheat"}))
    return document


def confirmed(world: World) -> Document:
    return a_document(world.writer)


def planned(world: World) -> Document:
    return world.begun(world.writer)


def console_form(world: World) -> Document:
    document = world.begun(world.editor)
    form = {"markdown": "By hand.", "baseVersion": str(document["version"])}
    assert world.visitor(world.writer.token).post(f"/console{path_of(document)}/edit", **form).status_code == 200
    return document


def replanned(world: World) -> Document:
    """The writer's own plan of what somebody else wrote."""
    document = world.begun(world.editor)
    ok(world.writer.post("/plan", {"pieces": [{"key": document["key"], "title": "Wheat"}]}))
    return document


def planned_since_over_rest(world: World) -> Document:
    document = world.written(world.writer)
    ok(world.bot.post("/plan", {"pieces": [{"key": document["key"], "title": "By a script"}]}))
    return document


def planned_since_over_mcp(world: World) -> Document:
    document = world.written(world.writer)
    piece = {"key": document["key"], "title": "By a script"}
    Agent(world.app.test_client(), world.bot.token).call("plan_documents", pieces=[piece])
    return document


def planned_since_in_the_console(world: World) -> Document:
    document = world.written(world.writer)
    table = f"key\ttitle\n{document['key']}\tBy a script\n"
    form = {"table": table, "confirmed": "on"}
    assert world.visitor(world.bot.token).post("/console/plan/many", **form).status_code == 200
    return document


def planned_since_by_a_command(world: World) -> Document:
    document = world.written(world.writer)
    done = world.command("plan", "--project", world.project.id, world.plan_file(document))
    assert done.exit_code == 0, done.output
    return document


def imported_since(world: World) -> Document:
    document = world.written(world.writer)
    file = world.folder / "rye.md"
    file.write_text(f"---\ntitle: By a file\nslug: {document['slug']}\n---\nBy a file.\n")
    done = world.command("import", "--project", world.project.id, "--update", file)
    assert done.exit_code == 0, done.output
    return document


def planned_twice_since_it_was_planned(world: World) -> Document:
    document = world.begun(world.writer)
    for title in ("One", "Two"):
        ok(world.bot.post("/plan", {"pieces": [{"key": document["key"], "title": title}]}))
    return document


def reverted_to(world: World) -> Document:
    return world.reverted(put(world))


def reverted_and_planned_since(world: World) -> Document:
    document = world.reverted(planned_since_over_rest(world))
    done = world.command("plan", "--project", world.project.id, world.plan_file({**document, "title": "Again"}))
    assert done.exit_code == 0, done.output
    return world.reverted(document)


WAYS_TO_MAKE: tuple[Callable[[World], Document], ...] = (
    put,
    section,
    restored,
    patched,
    confirmed,
    planned,
    console_form,
    replanned,
    planned_since_over_rest,
    planned_since_over_mcp,
    planned_since_in_the_console,
    planned_since_by_a_command,
    imported_since,
    planned_twice_since_it_was_planned,
    reverted_to,
    reverted_and_planned_since,
)


def take(step: str, **body: Any) -> Callable[[World, Document, Rest], bool]:
    """Returns a way to let a version go over REST, which tells whether it went."""

    def go(world: World, document: Document, by: Rest) -> bool:
        answer = by.post(f"{path_of(document)}/{step}", body)
        if answer.status_code == 409:
            assert (answer.json["_tag"], answer.json["by"]["name"]) == ("FourEyes", by.token.caller.name)
        return answer.status_code == 200

    return go


def by_tool(world: World, document: Document, by: Rest) -> bool:
    arguments = {"documentId": document["id"]}
    result = Agent(world.app.test_client(), by.token).ask(
        "tools/call", {"name": "publish_document", "arguments": arguments}
    )
    assert not result["isError"] or result["structuredContent"]["_tag"] == "FourEyes"
    return not result["isError"]


def in_the_console(world: World, document: Document, by: Rest) -> bool:
    world.visitor(by.token).post(f"/console{path_of(document)}/actions/publish_document")
    return is_live(world, document)


def at_its_time(world: World, document: Document, by: Rest) -> bool:
    """Scheduled before the project demanded four eyes."""
    world.demand(False)
    ok(by.post(f"{path_of(document)}/schedule", {"publishAt": in_hours(24)}))
    world.demand(True)
    make_due(world.project.store, document)
    [(_, reason)] = publish_due(world.project.store, world.project.id, world.project.context().now)
    now = ok(by.get(path_of(document)))
    assert (reason is None, now["status"]) in ((True, "published"), (False, "drafting"))
    return is_live(world, document)


def from_the_trash(world: World, document: Document, by: Rest) -> bool:
    world.demand(False)
    ok(world.owner.post(f"{path_of(document)}/publish"))
    ok(world.owner.delete(path_of(document)))
    world.demand(True)
    back = ok(by.post(f"{path_of(document)}/restore"))
    live = is_live(world, document)
    assert (back["status"], back["publishedAt"] is None) == (("published", False) if live else ("drafting", True))
    return live


def is_live(world: World, document: Document) -> bool:
    record: Document = ok(world.owner.get(path_of(document)))
    assert record["isPublished"] == bool(world.project.store[Publications].get(world.project.id, document["id"]))
    return bool(record["isPublished"])


WAYS_TO_LET_GO: tuple[Callable[[World, Document, Rest], bool], ...] = (
    take("approve"),
    take("publish"),
    take("schedule", publishAt=in_hours(24)),
    by_tool,
    in_the_console,
    at_its_time,
    from_the_trash,
)


@pytest.fixture
def world(app: Flask, project: Project, cli: Cli, tmp_path: Path, rest: Rest) -> World:  # noqa: F811
    made = World(app, project, cli, tmp_path, rest)
    made.demand(True)
    return made


@pytest.mark.contract("decided-four-eyes.makers", "decided-four-eyes.worker", "decided-four-eyes.trash")
@pytest.mark.parametrize("place", range(len(WAYS_TO_MAKE)), ids=lambda place: WAYS_TO_MAKE[place].__name__)
def test_who_made_a_version_does_not_let_it_go_and_somebody_else_does(world: World, place: int) -> None:
    make = WAYS_TO_MAKE[place]
    for shift in (0, 2, 4):  # three ways to let it go for each way to make it, and each of them for six or seven
        let_go = WAYS_TO_LET_GO[(place + shift) % len(WAYS_TO_LET_GO)]
        assert not let_go(world, make(world), world.writer), let_go
        assert let_go(world, make(world), world.owner), let_go


@pytest.mark.contract("decided-four-eyes.trash")
def test_what_was_live_is_not_live_again_by_its_author_whoever_made_the_version_after_it(world: World) -> None:
    world.demand(False)
    document = put(world)
    ok(world.owner.post(f"{path_of(document)}/publish"))
    ok(world.owner.patch(path_of(document), {"title": "Being rewritten"}))
    ok(world.owner.delete(path_of(document)))
    world.demand(True)

    back = ok(world.writer.post(f"{path_of(document)}/restore"))

    assert (back["isPublished"], back["status"]) == (False, "drafting")
    ok(world.editor.post(f"{path_of(document)}/publish"))
