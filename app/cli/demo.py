"""The demo project of `dev`: a small magazine's editorial plan, created through the operations."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml

from app.briefs import operations as briefs
from app.cli.calling import call, context
from app.core.context import Context, this_instant
from app.core.store.store import Store
from app.core.times import wire_time
from app.core.vocabulary import Channel, Kind, Scope, TokenKind
from app.documents import operations as documents
from app.features import ALL
from app.intents import operations as intents
from app.projects import members, tokens
from app.projects import operations as projects
from app.projects.access import Access

PLAN = Path(__file__).with_name("demo.yaml")
AGENT = "writer-1"
TOKENS: Mapping[str, Mapping[str, Any]] = {
    "owner": {"name": "Ingrid Solberg", "scopes": [str(scope) for scope in Scope]},
    "agent": {"name": "Night writer", "agent": AGENT},
    "site": {"name": "thecrust.example", "kind": str(TokenKind.DELIVERY)},
}
"""The tokens of the demo, by their use."""


def make_demo(store: Store) -> dict[str, Any]:
    """Creates the demo project and returns its `projectId` and the secrets of its `tokens`."""
    plan = yaml.safe_load(PLAN.read_text("utf-8"))
    with store.deadline():
        project = projects.create_project(store, {"name": plan["project"]["name"]})
    ctx = context(project["id"], store)
    call(ctx, projects.update_project, **plan["project"])
    call(ctx, projects.save_views, views=plan["views"])
    ids = {member["name"]: call(ctx, members.create_member, **member)["id"] for member in plan["members"]}
    owners = {"owner": ids[plan["owner"]]}
    secrets = {
        use: call(ctx, tokens.create_token, **fields, memberId=owners.get(use))["token"]
        for use, fields in TOKENS.items()
    }
    _DemoPlan(store, secrets, ids).fill(plan)
    return {"projectId": project["id"], "tokens": secrets}


class _DemoPlan:
    """Creates the plan's records with the owner's token; claims and remarks with the agent's."""

    def __init__(self, store: Store, secrets: Mapping[str, str], ids: dict[str, str]) -> None:
        self._store = store
        self._access = Access(store)
        self._secrets = secrets
        self._ids = ids
        """The ids of members, categories, clusters and documents by their names in the plan."""

    def fill(self, plan: Mapping[str, Any]) -> None:
        for category in plan["categories"]:
            parent = self._ids.get(category.pop("parent", ""))
            self._ids[category["slug"]] = self._create(Kind.CATEGORY, **category, categoryId=parent)
        for cluster in plan["clusters"]:
            self._ids[cluster["name"]] = self._create(Kind.CLUSTER, **cluster)
        for document in sorted(plan["documents"], key=lambda one: -one.get("began", 0)):
            self._document(document)

    def _document(self, planned: dict[str, Any]) -> None:
        """Creates a document `began` days ago, and takes its steps from then until `ended` days ago."""
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
        document_id = self._ids[planned["title"]] = self._create(Kind.DOCUMENT, ago=planned.get("began", 0), **fields)
        site = {"subtitle": planned.get("subtitle"), "coverImageUrl": planned.get("cover")}
        site["authorId"] = self._ids.get(planned.get("author", ""))
        call(self._as("owner", planned.get("began", 0)), documents.update_document, document_id, **site)
        if planned.get("offer") or planned.get("claim"):
            call(self._as("owner"), briefs.mark_brief_ready, document_id)
        if hours := planned.get("claim"):
            call(self._as("agent"), briefs.claim_brief, document_id, leaseSeconds=hours * 3600)
        self._go_on(document_id, planned)

    def _go_on(self, document_id: str, planned: Mapping[str, Any]) -> None:
        """Takes the steps of a document after drafting; documents by an agent are claimed and submitted by it."""
        steps = [("owner", f"{step}_document") for step in planned.get("then", ())]
        if planned.get("by") == "agent":
            offered = [("owner", "mark_brief_ready"), ("agent", "claim_brief")]
            steps = [*offered, ("agent", "submit_document"), *steps[1:]]
        began, ended = planned.get("began", 0), planned.get("ended", 0)
        for place, (use, name) in enumerate(steps, 1):
            ctx = self._as(use, began - (began - ended) * place / len(steps))
            publish_at = wire_time(this_instant() + timedelta(days=2)) if name == "schedule_document" else None
            call(ctx, ALL.by_name[name], document_id, publishAt=publish_at)
        if slug := planned.get("slug"):
            ctx = self._as("owner", ended)
            call(ctx, documents.update_document, document_id, slug=slug)
            call(ctx, ALL.by_name["publish_document"], document_id)
        if (remark := planned.get("remark")) and (open_thread := ALL.by_name.get("open_thread")):
            call(self._as("agent", ended), open_thread, document_id, **remark)

    def _brief(self, planned: dict[str, Any] | None) -> dict[str, Any] | None:
        if planned is None:
            return None
        links = [self._ids[title] for title in planned.pop("links", ())]
        return planned | ({"internalLinks": links} if links else {})

    def _day(self, due: int | None) -> str | None:
        return None if due is None else (this_instant() + timedelta(days=due)).date().isoformat()

    def _create(self, kind: Kind, ago: float = 0, **fields: Any) -> str:
        owner = self._as("owner", ago)
        draft = call(owner, ALL.by_name[f"create_{kind}_intent"], **fields)
        confirmed: Mapping[str, Any] = call(owner, intents.confirm_intent, draft["id"])
        return str(confirmed[kind]["id"])

    def _as(self, use: str, ago: float = 0) -> Context:
        """Returns the context of a call by a token's holder a number of days ago."""
        now = this_instant()
        caller = self._access.authenticate(self._secrets[use], TokenKind.MANAGEMENT, now)
        return Context(self._store, caller, Channel.CLI, now - timedelta(days=ago))
