"""What an earlier version is made to write, through its own interfaces: records in every state that there is."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

KINDS = ("document", "cluster", "category")
LONG = 86_400
SHORT = 60

DELIVERED = "id slug title html markdown isPublished publishedAt excerpt category { slug name category { slug } }"
SITE = f"{{ documents(limit: 100) {{ {DELIVERED} }} categories {{ id slug name description }} }}"


@dataclass(frozen=True)
class Caller:
    """Calls of one token to the server at a port."""

    port: int
    secret: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Sends a request, which succeeds, and returns what its answer holds."""
        sent = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        assert answer.status < 300, (method, path, answer.status, text)
        return json.loads(text)

    def get(self, path: str) -> Any:
        return self.call("GET", path)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.call("POST", path, body, **headers)

    def tool(self, name: str, **arguments: Any) -> Any:
        """Calls a tool over MCP."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Accept": "application/json, text/event-stream", "MCP_Protocol_Version": "2025-06-18"}
        result = self.post("/mcp", message, **headers)["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]


@dataclass
class Story:
    """One project and those who work in it; `ids` are of its records, by a name for what state each is in."""

    editor: Caller
    agent: Caller
    site: Caller
    previews: Caller
    ids: dict[str, str] = field(default_factory=dict)
    replays: list[dict[str, Any]] = field(default_factory=list)
    """Requests with idempotency keys, and their answers."""

    def make(self, name: str, /, *steps: tuple[str, Any], kind: str = "document", **fields: Any) -> str:
        """Confirms a draft, then calls the routes below its record; returns the record's id."""
        if kind == "document":
            fields = {"title": name.capitalize(), **fields}
        draft = self.editor.post(f"/{kind}-intents", fields)["id"]
        record = self.editor.post(f"/{kind}-intents/{draft}/confirm")[kind]["id"]
        self.ids[name] = record
        for route, body in steps:
            self.editor.call(*_request(route, f"/documents/{record}"), body)
        return str(record)

    def keyed(self, method: str, path: str, body: Any, key: str) -> Any:
        """Sends a request with an idempotency key and keeps both."""
        answer = self.editor.call(method, path, body, Idempotency_Key=key)
        self.replays.append({"method": method, "path": path, "body": body, "key": key, "answer": answer})
        return answer


def _request(route: str, record: str) -> tuple[str, str]:
    method, _, rest = route.rpartition(" ")
    return method or "POST", f"{record}/{rest}".rstrip("/")


def begin(story: Story, receiver: str) -> None:
    """Writes everything that needs a running worker, or does not mind one."""
    editor, agent = story.editor, story.agent
    ada = editor.post("/members", {"name": "Ada", "email": "ada@example.com", "role": "editor"})["id"]
    gone = editor.post("/members", {"name": "Bob"})["id"]
    editor.post("/webhooks", {"url": receiver, "description": "works"})
    story.ids["webhook"] = editor.post("/webhooks", {"url": "http://127.0.0.1:9/hook", "events": ["brief.ready"]})["id"]

    bread = story.make("bread", kind="category", name="Bread", slug="bread", description="All that rises.")
    rye = story.make("rye", kind="category", name="Rye", slug="rye", categoryId=bread)
    cluster = story.make("cluster", kind="cluster", name="Sourdough", keywords=["starter", "rye"])
    filed = {"categoryId": rye, "clusterId": cluster, "assigneeId": ada, "dueDate": "2027-03-01"}
    brief = {"keyword": "sourdough", "intent": "informational", "outline": "Flour\nWater", "wordCount": "800"}
    text = {"markdown": "# Loaf\n\nFlour, *water*, time.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"}
    filed_brief = {"brief": brief, **filed}

    story.make("idea")
    story.make("idea with a brief", **filed_brief)
    story.make("planned", status="planned", assigneeId=gone)
    story.make("ready", ("brief/ready", None), **filed_brief, status="planned")
    story.make("ready without a date", ("brief/ready", None), brief={"keyword": "rye", "audience": "Bakers"})
    story.make("claimed", ("brief/ready", None), **filed_brief)
    agent.post(f"/documents/{story.ids['claimed']}/brief/claim")
    story.make("leased", ("brief/ready", None), brief=brief)
    agent.tool("claim_brief", documentId=story.ids["leased"], leaseSeconds=LONG)
    story.make("withdrawn", ("brief/ready", None), ("brief/withdraw", None), brief=brief)
    drafted = story.make("drafted", ("brief/ready", None), **filed_brief)
    version = agent.post(f"/documents/{drafted}/brief/claim")["version"]
    agent.call("PUT", f"/documents/{drafted}/content", {**text, "baseVersion": version})
    agent.post(f"/documents/{drafted}/submit")

    story.make("drafting", **text)
    story.make("in review", ("submit", None), **text)
    story.make("changes requested", ("submit", None), ("request-changes", {"note": "Say how long."}), **text)
    story.make("approved", ("submit", None), ("approve", None), **text, **filed)
    story.make("scheduled", ("schedule", {"publishAt": "2030-01-01T00:00:00Z"}), **text)
    story.make("published", ("publish", None), **text, **filed)
    story.make("published with a draft", ("publish", None), ("PATCH ", {"title": "Not yet"}), **text, categoryId=bread)
    renamed = (("publish", None), ("PATCH ", {"slug": "renamed", "excerpt": "New."}), ("publish", None))
    story.make("renamed", *renamed, **text)
    story.make("unpublished", ("publish", None), ("unpublish", None), **text)
    again = (("publish", None), ("PATCH ", {"title": "Next"}), ("submit", None), ("approve", None))
    story.make("live and approved", *again, **text)
    story.make("trashed", ("DELETE ", None), **text)
    story.make("trashed while live", ("publish", None), ("DELETE ", None), **text)
    story.make("restored", ("DELETE ", None), ("restore", None), **text)
    many = story.make("with versions", **text)
    for version in (1, 2, 3):
        body = {"markdown": f"Version {version + 1}.", "baseVersion": version}
        editor.call("PUT", f"/documents/{many}/content", body)
    editor.post(f"/documents/{many}/revisions/2/restore", {"baseVersion": 4})
    editor.call("DELETE", f"/members/{gone}")
    editor.call("PATCH", "/project", {"siteUrl": "https://example.com/{slug}", "claimLeaseSeconds": 3600})

    for kind in KINDS:
        editor.post(f"/{kind}-intents", {"title" if kind == "document" else "description": "Unfinished"})
    agent.post("/document-intents", {"title": "Of the agent", "brief": brief, "markdown": "# Begun", "status": "soon"})
    draft = story.keyed("POST", "/document-intents", {"title": "Keyed", "brief": brief}, "create-1")["id"]
    made = story.keyed("POST", f"/document-intents/{draft}/confirm", None, "confirm-1")["document"]["id"]
    story.ids["keyed"] = made
    story.keyed("PATCH", f"/documents/{made}", {"subtitle": "Once"}, "update-1")
    story.keyed("POST", f"/documents/{made}/brief/ready", None, "ready-1")


def finish(story: Story) -> None:
    """Writes what a worker would carry out: it has to be stopped before."""
    editor, agent = story.editor, story.agent
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3))
    story.make("schedule that is due", ("schedule", {"publishAt": at}), markdown="Due.")
    story.make("lease that ran out", ("brief/ready", None), brief={"keyword": "late"}, dueDate="2027-01-01")
    agent.post(f"/documents/{story.ids['lease that ran out']}/brief/claim", {"leaseSeconds": SHORT})
    editor.post("/document-intents", {"title": "The last draft"})
    time.sleep(SHORT + 1)


def reads(story: Story) -> Sequence[str]:
    """Returns what is read of the records: the paths of the management API for the editor's token."""
    lists = ["/documents?limit=100", "/documents?limit=100&deleted=true", "/documents?limit=100&sort=title&q=loaf"]
    lists += ["/briefs?limit=100", "/briefs?limit=100&state=none,claimed,drafted", "/categories", "/clusters"]
    lists += ["/members", "/tokens", "/project", "/webhooks", "/events?limit=1000"]
    lists += [f"/{kind}-intents" for kind in KINDS]
    lists += [f"/webhooks/{story.ids['webhook']}/deliveries"]
    living = {record["id"]: record for record in story.editor.get("/documents?limit=100")}
    below = ("", "/brief", "/revisions", "/revisions/1", "/activity")
    return [*lists, *(f"/documents/{one}{part}" for one in living for part in below)]
