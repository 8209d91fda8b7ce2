"""What requests are about: a project with records of every kind in many states."""

from dataclasses import dataclass

from app.core.store.store import Store
from app.core.vocabulary import TokenKind
from tests import valid_calls
from tests.bad_input.mutations import NO_ID
from tests.make import Project, Token, a_project, a_ready_brief

TEXT = """Rye is dark.

# Flour

Milled [fresh](https://example.org/a), ![](b.png) and *dark*.

| a | b |
|---|---|
| 1 | 2 |
"""

MOVES = ("mark_brief_ready", "claim_brief", "submit_document", "publish_document", "delete_document")
"""What was done last with each document."""


@dataclass(frozen=True)
class Scene:
    """A project, its tokens, and the ids of its records by the first part of their paths."""

    project: Project
    token: Token
    delivery: Token
    ids: dict[str, list[str]]

    @property
    def all_ids(self) -> list[str]:
        return [one for ids in self.ids.values() for one in ids]


def a_scene(store: Store) -> Scene:
    """Makes a project with something of everything."""
    project = a_project(store, siteUrl="https://example.org/{slug}")
    token = project.token("Campaign")
    makes = valid_calls.Scene(project, token)
    category, cluster = makes.filed("category"), makes.filed("cluster")
    member = makes.call("create_member", name="Ada", email="ada@example.org")["id"]
    filed = {"categoryId": category, "clusterId": cluster, "assigneeId": member, "markdown": TEXT}
    documents = [a_ready_brief(project.context(token), **filed, title=f"Rye {move}")["id"] for move in MOVES]
    for move, document in zip(MOVES, documents, strict=True):
        makes.call(move, document)
    webhook, delivery = makes.delivery()
    drafts = {f"{kind}-intents": [makes.draft(kind)] for kind in ("document", "cluster", "category")}
    ids = {
        "documents": [*documents, NO_ID],
        "categories": [category, NO_ID],
        "clusters": [cluster, NO_ID],
        "members": [member, NO_ID],
        "tokens": [project.token("Another").id, NO_ID],
        "webhooks": [webhook, delivery, NO_ID],
        **drafts,
    }
    return Scene(project, token, project.token(kind=TokenKind.DELIVERY, drafts=True), ids)
