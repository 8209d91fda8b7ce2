"""The demo project of `dev`: a small magazine's editorial plan, created through the operations."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from app.cli.calling import call, context
from app.operations import briefs, documents, intents, members, projects, publishing, tokens
from app.operations.access import Access
from app.operations.context import Context, this_instant
from app.operations.operation import Operation
from app.rules.times import wire_time
from app.store.store import Store
from app.vocabulary import Channel, Kind, Scope, TokenKind

PLAN = Path(__file__).with_name("demo.yaml")
AGENT = "writer-1"
CREATES = {
    Kind.DOCUMENT: intents.create_document_intent,
    Kind.CLUSTER: intents.create_cluster_intent,
    Kind.CATEGORY: intents.create_category_intent,
}
TOKENS: Mapping[str, Mapping[str, Any]] = {
    "owner": {"name": "Ingrid's scripts", "scopes": [str(scope) for scope in Scope]},
    "agent": {"name": "Night writer", "agent": AGENT},
    "site": {"name": "thecrust.example", "kind": str(TokenKind.DELIVERY)},
}
"""The tokens of the demo, by their use."""

STEPS: Mapping[str, Operation[Any]] = {
    "submit": publishing.submit_document,
    "approve": publishing.approve_document,
    "schedule": publishing.schedule_document,
    "publish": publishing.publish_document,
}


def make_demo(store: Store) -> dict[str, Any]:
    """Creates the demo project and returns its `projectId` and the secrets of its `tokens`."""
    plan = yaml.safe_load(PLAN.read_text("utf-8"))
    project = projects.create_project(store, {"name": plan["project"]["name"]})
    ctx = context(project["id"], store)
    call(ctx, projects.update_project, **plan["project"])
    secrets = {use: call(ctx, tokens.create_token, **fields)["token"] for use, fields in TOKENS.items()}
    _DemoPlan(store, secrets).fill(plan)
    return {"projectId": project["id"], "tokens": secrets}


class _DemoPlan:
    """Creates the plan's records with the owner's token, and claims with the agent's."""

    def __init__(self, store: Store, secrets: Mapping[str, str]) -> None:
        self._store = store
        self._access = Access(store)
        self._secrets = secrets
        self._ids: dict[str, str] = {}
        """The ids of members, categories, clusters and documents by their names in the plan."""

    def fill(self, plan: Mapping[str, Any]) -> None:
        owner = self._as("owner")
        for member in plan["members"]:
            self._ids[member["name"]] = call(owner, members.create_member, **member)["id"]
        for category in plan["categories"]:
            parent = self._ids.get(category.pop("parent", ""))
            self._ids[category["slug"]] = self._create(Kind.CATEGORY, **category, categoryId=parent)
        for cluster in plan["clusters"]:
            self._ids[cluster["name"]] = self._create(Kind.CLUSTER, **cluster)
        for document in plan["documents"]:
            self._document(document)

    def _document(self, planned: dict[str, Any]) -> None:
        fields = {
            "title": planned["title"],
            "status": planned.get("status"),
            "markdown": planned.get("markdown"),
            "categoryId": self._ids[planned["category"]],
            "clusterId": self._ids.get(planned.get("cluster", "")),
            "assigneeId": self._ids.get(planned.get("assignee", "")),
            "dueDate": self._day(planned.get("due")),
            "brief": self._brief(planned.get("brief")),
        }
        if fields["status"] is None and fields["brief"] is not None:
            fields["status"] = "drafting"
        document_id = self._ids[planned["title"]] = self._create(Kind.DOCUMENT, **fields)
        site = {"subtitle": planned.get("subtitle"), "coverImageUrl": planned.get("cover")}
        site["authorId"] = self._ids.get(planned.get("author", ""))
        call(self._as("owner"), documents.update_document, document_id, **site)
        if planned.get("offer") or planned.get("claim"):
            call(self._as("owner"), briefs.mark_brief_ready, document_id)
        if hours := planned.get("claim"):
            call(self._as("agent"), briefs.claim_brief, document_id, leaseSeconds=hours * 3600)
        for step in planned.get("then", ()):
            owner = self._as("owner")
            publish_at = wire_time(owner.now + timedelta(days=2)) if step == "schedule" else None
            call(owner, STEPS[step], document_id, publishAt=publish_at)

    def _brief(self, planned: dict[str, Any] | None) -> dict[str, Any] | None:
        if planned is None:
            return None
        links = [self._ids[title] for title in planned.pop("links", ())]
        return planned | ({"internalLinks": links} if links else {})

    def _day(self, due: int | None) -> str | None:
        return None if due is None else (this_instant() + timedelta(days=due)).date().isoformat()

    def _create(self, kind: Kind, **fields: Any) -> str:
        owner = self._as("owner")
        draft = call(owner, CREATES[kind], **fields)
        confirmed: Mapping[str, Any] = call(owner, intents.confirm_intent, draft["id"])
        return str(confirmed[kind]["id"])

    def _as(self, use: str) -> Context:
        now = this_instant()
        return Context(
            self._store, self._access.authenticate(self._secrets[use], TokenKind.MANAGEMENT, now), Channel.CLI, now
        )
