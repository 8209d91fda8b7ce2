"""Every page and form of the console: what it needs, and what it can name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter

from app.console.buttons import MOVES
from app.events.rules import cursor_of
from app.review.pages.members import CHANGES
from tests.documents.steps import in_hours
from tests.valid_calls import CALLS, EVERY, PICTURE, SENTENCE, Scene


@dataclass(frozen=True)
class Page:
    """A page, or a form of one. Its address and fields may name records by kind, like `{document}`."""

    method: str
    path: str
    scopes: str
    """The scopes that it needs, all of them."""
    form: Mapping[str, str] = field(default_factory=dict)
    records: Mapping[str, str] = field(default_factory=dict)
    """By kind, the operation whose valid call has a record of the right state; `project` is the project itself."""
    leaves_traces: bool = False
    """Does it change something although what it names does not exist, so that each try needs a project of its own?"""

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.form.get('bulk', '')}".strip()

    @cached_property
    def kinds(self) -> list[str]:
        """The kinds of record that it can name."""
        texts = (self.path, *self.form.values())
        return list(dict.fromkeys(name for text in texts for _, name, _, _ in Formatter().parse(text) if name))

    def filled(self, records: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        """Returns the address and the fields that name these records."""
        fields = {name: text.format_map(records) for name, text in self.form.items()}
        return f"/console/{self.path}".format_map(records), fields


OF_DOCUMENTS = {"thread", "reviewLink", "source"}
"""The kinds of record that a document has, made with it by the valid call of an operation."""


class Records(dict[str, str]):
    """Records of a scene by kind, made when a page names them."""

    def __init__(self, scene: Scene, page: Page) -> None:
        super().__init__()
        self.scene = scene
        self.page = page
        if operation := page.records.get("project"):
            CALLS[operation](scene)

    def __missing__(self, kind: str) -> str:
        scene = self.scene
        for part in OF_DOCUMENTS.intersection(self.page.kinds) if kind in {"document", *OF_DOCUMENTS} else ():
            self["document"], self[part] = CALLS[self.page.records[part]](scene).ids
            return self[kind]
        if operation := self.page.records.get(kind):
            self[kind] = EVERY[operation](scene).ids[0]
        elif kind == "image":
            self["image"] = scene.image()
        elif kind in ("webhook", "delivery"):
            self["webhook"], self["delivery"] = scene.delivery()
        elif kind == "invitation":
            self[kind] = str(scene.call("invite_member", self["member"], scopes=["read"])["id"])
        else:
            self[kind] = self._made(kind)
        return self[kind]

    def _made(self, kind: str) -> str:
        scene = self.scene
        match kind:
            case "document" | "link":
                return scene.document(categoryId=self["category"])
            case "draft":
                return scene.draft(markdown=SENTENCE)
            case "category" | "cluster":
                return scene.filed(kind)
            case "member":
                return str(scene.call("create_member", name="Ada", email="ada@example.org")["id"])
            case "token":
                return CALLS["rotate_token"](scene).ids[0]
            case "cursor":
                return cursor_of(scene.project.id, 0)
            case _:
                return "rye"


DOCUMENT = "documents/{document}"
TABLE = "key,title,categoryId,clusterId,assigneeId\n{word},Rye,{category},{cluster},{member}\n"
BY_NAME = "key,title,category,cluster,assignee,slug\nrye,Rye,{word},{word},{word},{word}\n"
FIELDS = {"title": "{word}", "slug": "{word}", "categoryId": "{category}", "clusterId": "{cluster}"}
FIELDS |= {"assigneeId": "{member}"}
FILTERS = "?q={word}&categoryId={category}&clusterId={cluster}&assigneeId={member}"
MEMBERS, TOKENS, WEBHOOKS = (f"administration/{name}" for name in ("members", "tokens", "webhooks"))

PAGES = (
    Page("GET", "", ""),
    Page("GET", "nowhere", ""),
    Page("GET", f"board{FILTERS}", "read"),
    Page("GET", "calendar", "read"),
    Page("GET", f"calendar{FILTERS}".replace("q={word}&", ""), "read"),
    Page("GET", "changes?after={cursor}", "read"),
    Page("GET", "insight", "read"),
    Page("GET", "inbox", "read"),
    Page("GET", "inbox/count", "read"),
    Page("POST", "inbox/{document}", "publish", {"action": "approve_document"}, {"document": "approve_document"}),
    Page("GET", "inbox/settings", "read"),
    Page("POST", "inbox/settings", "read", {"digest": "instant", "hour": "9"}),
    Page("POST", "inbox/test", "read"),
    Page("GET", "inbox/test", "read"),
    Page("POST", f"{DOCUMENT}/open", "write", {"page": "a1b2c3d4"}),
    Page("POST", "inbox/calendar", "read"),
    Page("GET", f"table{FILTERS}", "read"),
    *(Page("GET", f"{DOCUMENT}{one}", "read") for one in ("", "/edit", "/fields", "/brief", "/activity", "/checks")),
    Page("GET", f"{DOCUMENT}/revisions", "read"),
    Page("GET", f"{DOCUMENT}/meanwhile?baseVersion=1", "read"),
    Page("GET", f"{DOCUMENT}/sources", "read"),
    Page("POST", f"{DOCUMENT}/sources", "write", {"title": "Rye"}),
    *(
        Page("POST", f"{DOCUMENT}/sources/{{source}}/{change}", "write", {"title": "Oats"}, {"source": "delete_source"})
        for change in ("change", "verify", "delete")
    ),
    Page("POST", f"{DOCUMENT}/threads", "write", {"text": "Which?", "level": "note"}),
    *(
        Page(
            *("POST", f"{DOCUMENT}/threads/{{thread}}/{change}", "write", {"text": "Rye."}), {"thread": operation.name}
        )
        for change, (operation, _) in CHANGES.items()
    ),
    Page("GET", f"{DOCUMENT}/written", "read"),
    Page("GET", f"{DOCUMENT}/approve", "read"),
    Page(
        *("POST", f"{DOCUMENT}/approve", "read publish", {"examined": "All.", "baseVersion": "1"}),
        {"document": "approve_document"},
    ),
    Page("GET", f"{DOCUMENT}/record/1", "read", {}, {"document": "get_review_record"}),
    Page("GET", "insight/disclosures", "read"),
    Page("GET", "insight/disclosures.csv", "read"),
    Page("GET", f"{DOCUMENT}/links", "read publish"),
    Page("POST", f"{DOCUMENT}/links", "publish", {"name": "Lee", "days": "7"}),
    Page("POST", f"{DOCUMENT}/links/{{reviewLink}}/delete", "publish", {}, {"reviewLink": "delete_review_link"}),
    Page("POST", f"{DOCUMENT}/preview", "", {"markdown": "Rye"}),
    Page("POST", "calendar/{document}", "write", {"day": "2099-01-31"}),
    Page(
        *("POST", "calendar/{document}", "read publish", {"day": "2099-01-31", "kind": "scheduled"}),
        {"document": "unschedule_document"},
    ),
    Page("POST", f"{DOCUMENT}/edit", "write", {"markdown": "Rye", "baseVersion": "1"}),
    Page("POST", f"{DOCUMENT}/fields", "write", {**FIELDS, "authorId": "{member}"}, leaves_traces=True),
    Page("POST", f"{DOCUMENT}/brief", "write", {"keyword": "{word}", "internalLinks": "{link}"}),
    Page(*("POST", f"{DOCUMENT}/revisions/1/restore", "write", {"baseVersion": "2"}), {"document": "restore_revision"}),
    *(
        Page(
            "POST",
            f"{DOCUMENT}/actions/{move.name}",
            str(move.operation.scope),
            {move.asks: in_hours(24) if move.asks == "publishAt" else "Shorter."} if move.asks else {},
            {"document": move.name},
        )
        for move in MOVES
    ),
    Page("POST", f"{DOCUMENT}/reschedule", "publish", {"publishAt": in_hours(24)}, {"document": "unschedule_document"}),
    Page("POST", f"{DOCUMENT}/restore", "publish", {}, {"document": "restore_document"}),
    Page("POST", f"{DOCUMENT}/move", "write", {"to": "review"}),
    Page("GET", "plan?draft={draft}", "read write"),
    Page("GET", "plan?like={document}", "read write"),
    Page("POST", "plan", "write", {**FIELDS, "draft": "{draft}", "then": "plan"}, leaves_traces=True),
    Page("POST", "plan", "write", {**FIELDS, "brief.keyword": "{word}", "then": "offer"}, leaves_traces=True),
    Page("POST", "plan/drafts/{draft}/discard", "write"),
    Page("GET", "plan/many", "write"),
    Page("GET", "find?q={word}", "read"),
    Page("GET", "find?texts=1&q={word}", "read"),
    Page("GET", "table?text={word}", "read"),
    Page("GET", "names", "read"),
    Page("GET", "insight/dates", "read"),
    Page("POST", "plan/many", "write", {"table": TABLE, "confirmed": "yes"}),
    Page("POST", "plan/many", "write", {"table": BY_NAME}),
    Page("POST", "plan/many", "", {"table": TABLE, "correct": "yes"}),
    Page("GET", "plan/categories", "read write"),
    Page("POST", "plan/categories", "write", {"name": "{word}", "categoryId": "{category}"}, leaves_traces=True),
    Page("GET", "plan/categories/{category}", "read write"),
    Page("POST", "plan/categories/{category}", "write", {"name": "{word}", "slug": "{word}"}),
    Page("POST", "plan/categories/{category}/delete", "publish"),
    Page("POST", "plan/clusters", "write", {"name": "{word}"}, leaves_traces=True),
    Page("GET", "plan/clusters/{cluster}", "read write"),
    Page("POST", "plan/clusters/{cluster}", "write", {"name": "{word}"}),
    Page("POST", "plan/clusters/{cluster}/delete", "publish"),
    Page("POST", "table/views?status=idea", "write", {"name": "{word}", "was": "Nothing"}, leaves_traces=True),
    Page("POST", "table", "write", {"bulk": "assign", "id": "{document}", "assigneeId": "{member}"}),
    Page("POST", "table", "write", {"bulk": "due", "id": "{document}", "dueDate": "2099-01-31"}),
    Page("POST", "table", "write", {"bulk": "category", "id": "{document}", "categoryId": ""}),
    Page("POST", "table", "write", {"bulk": "cluster", "id": "{document}", "clusterId": "{cluster}"}),
    Page("POST", "table", "write", {"bulk": "offer", "id": "{document}"}, {"document": "mark_brief_ready"}),
    Page("POST", "table", "publish", {"bulk": "approve", "id": "{document}"}, {"document": "approve_document"}),
    Page("GET", "administration", "read admin"),
    Page("POST", "administration", "admin", {"name": "{word}", "was.name": "The Crust"}),
    Page("POST", "administration/freeze", "admin"),
    Page("POST", "administration/unfreeze", "admin", records={"project": "unfreeze_project"}),
    Page("GET", MEMBERS, "read admin"),
    Page("POST", MEMBERS, "admin", {"name": "{word}", "email": "{word}@example.org"}),
    Page("GET", f"{MEMBERS}/{{member}}", "read admin"),
    Page("POST", f"{MEMBERS}/{{member}}", "admin", {"name": "{word}"}),
    Page("POST", f"{MEMBERS}/{{member}}/invite", "admin", {"scopes": "admin", "days": "7"}),
    Page("POST", f"{MEMBERS}/{{member}}/invitations/{{invitation}}/withdraw", "admin"),
    Page("POST", f"{MEMBERS}/{{member}}/remove", "admin"),
    Page("GET", TOKENS, "admin"),
    Page("POST", TOKENS, "admin", {"name": "{word}", "scopes": "admin"}),
    Page("GET", f"{TOKENS}/{{token}}", "admin"),
    Page("POST", f"{TOKENS}/{{token}}", "admin", {"name": "{word}"}),
    Page("POST", f"{TOKENS}/{{token}}/rotate", "admin"),
    Page("POST", f"{TOKENS}/{{token}}/revoke", "admin"),
    Page(
        *("POST", f"{TOKENS}/{{token}}/revert", "admin", {"since": in_hours(-1), "confirmed": "yes"}),
        {"token": "revert_token"},
    ),
    Page("GET", "pictures?q={word}", "read"),
    Page("GET", "pictures/found?q={word}", "read"),
    Page("POST", "pictures", "write", {"data": PICTURE, "name": "{word}"}),
    Page("GET", "pictures/{image}", "read"),
    Page("POST", "pictures/{image}", "write", {"name": "{word}", "alt": "{word}"}),
    Page("POST", "pictures/{image}/delete", "write"),
    Page("GET", WEBHOOKS, "admin"),
    Page("POST", WEBHOOKS, "admin", {"url": "https://{word}.example.org"}),
    Page("GET", f"{WEBHOOKS}/{{webhook}}", "admin"),
    Page("POST", f"{WEBHOOKS}/{{webhook}}", "admin", {"url": "https://{word}.example.org", "enabled": "yes"}),
    Page("POST", f"{WEBHOOKS}/{{webhook}}/rotate", "admin"),
    Page("POST", f"{WEBHOOKS}/{{webhook}}/test", "admin"),
    Page("POST", f"{WEBHOOKS}/{{webhook}}/redeliver", "admin", {"delivery": "{delivery}"}),
    Page("POST", f"{WEBHOOKS}/{{webhook}}/delete", "admin"),
    Page("POST", "sign-out", ""),
)
