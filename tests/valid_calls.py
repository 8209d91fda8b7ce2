"""For each operation: a valid call, which changes something if it writes, with what has to be there before it."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.core.vocabulary import Scope
from tests.documents.steps import in_hours
from tests.images.pictures import a_picture
from tests.make import OPERATIONS, Project, Token, a_ready_brief, made

PICTURE, OTHER_PICTURE = (b64encode(a_picture(size=(9, 9), seed=seed)).decode() for seed in (1, 2))
SENTENCE = "Rye is dark.\n"


@dataclass(frozen=True)
class Call:
    """A call of an operation: the ids that say which record, and the fields."""

    ids: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scene:
    """A project, and the token that will call."""

    project: Project
    token: Token

    def call(self, name: str, /, *ids: str, **fields: Any) -> Any:
        """Calls an operation with the token, and returns what it answers."""
        return OPERATIONS[name](self.project.context(self.token), *ids, fields=fields).body

    def draft(self, kind: str = "document", **fields: Any) -> str:
        drafted = {"title": "Rye", "brief": {"keyword": "rye"}} if kind == "document" else {"name": "Rye"}
        draft: str = self.call(f"create_{kind}_intent", **drafted | fields)["id"]
        return draft

    def filed(self, kind: str) -> str:
        slug = {"slug": "bread"} if kind == "category" else {}
        record: str = made(self.project.context(self.token), kind, name="Bread", **slug)["id"]
        return record

    def document(self, *steps: str, **fields: Any) -> str:
        """Makes a document with a ready brief and takes it through operations that need no fields."""
        filed = {} if "categoryId" in fields else {"categoryId": self.filed("category")}
        fields = {"title": "Rye", "markdown": SENTENCE} | filed | fields
        document: str = a_ready_brief(self.project.context(self.token), **fields)["id"]
        for step in steps:
            self.call(step, document, **({"publishAt": in_hours()} if step == "schedule_document" else {}))
        return document

    def hash_of_content(self, document: str) -> str:
        section: str = self.call("get_outline", document)["sections"][0]["hash"]
        return section

    def invited(self) -> tuple[str, str]:
        member: str = self.call("create_member", name="Ada")["id"]
        return member, self.call("invite_member", member, scopes=["read"])["id"]

    def image(self) -> str:
        image: str = self.call("upload_image", data=OTHER_PICTURE)["id"]
        return image

    def webhook(self) -> str:
        webhook: str = self.call("create_webhook", url="https://hooks.example.org/a")["id"]
        return webhook

    def delivery(self) -> tuple[str, str]:
        webhook = self.webhook()
        return webhook, self.call("test_webhook", webhook)["id"]

    def thread(self, *steps: str, **fields: Any) -> tuple[str, str]:
        """Opens a thread with a suggestion on a document, and takes it through operations that need no fields."""
        document = self.document()
        remark = {"text": "Wheat?", "quote": {"exact": "Rye"}, "suggestion": "Wheat"} | fields
        thread: str = self.call("open_thread", document, **remark)["id"]
        for step in steps:
            self.call(step, document, thread)
        return document, thread

    def source(self) -> tuple[str, str]:
        document = self.document()
        return document, self.call("add_source", document, title="Rye", excerpt="Rye is dark.")["id"]

    def review_link(self) -> tuple[str, str]:
        document = self.document()
        return document, self.call("create_review_link", document, name="Lee")["id"]

    def claimed(self) -> str:
        document = self.document()
        self.call("claim_brief", document, leaseSeconds=600)
        return document

    def reverted(self) -> str:
        """Has another token write a document, and returns the token's id."""
        other = Scene(self.project, self.project.token("Another"))
        other.call("write_content", self.document(), markdown="Rye is sour.", baseVersion=1)
        return other.token.id

    def reviewed(self) -> str:
        document = self.document("submit_document")
        self.call("approve_document", document, review={"facts": True, "sources": True, "examined": "All."})
        return document

    def twice_written(self) -> str:
        document = self.document()
        self.call("write_content", document, markdown="Rye is sour.", baseVersion=1)
        return document


MARKDOWN = {"markdown": "Rye is light.", "baseVersion": 1}

CALLS: dict[str, Callable[[Scene], Call]] = {
    "create_document_intent": lambda scene: Call((), {"title": "Rye", "markdown": SENTENCE}),
    "create_cluster_intent": lambda scene: Call((), {"name": "Rye"}),
    "create_category_intent": lambda scene: Call((), {"name": "Rye", "slug": "rye"}),
    "update_document_intent": lambda scene: Call((scene.draft(),), {"title": "Wheat", "markdown": SENTENCE}),
    "update_cluster_intent": lambda scene: Call((scene.draft("cluster"),), {"name": "Wheat"}),
    "update_category_intent": lambda scene: Call((scene.draft("category"),), {"name": "Wheat"}),
    "confirm_intent": lambda scene: Call((scene.draft(markdown=SENTENCE, categoryId=scene.filed("category")),)),
    "discard_intent": lambda scene: Call((scene.draft(),)),
    "plan_documents": lambda scene: Call((), {"pieces": [{"key": "rye", "title": "Rye", "markdown": SENTENCE}]}),
    "replace_brief": lambda scene: Call((scene.document(),), {"keyword": "rye bread"}),
    "update_brief": lambda scene: Call((scene.document(),), {"audience": "bakers"}),
    "mark_brief_ready": lambda scene: Call((scene.document("withdraw_brief"),)),
    "claim_brief": lambda scene: Call((scene.document(),), {"leaseSeconds": 600}),
    "claim_next_brief": lambda scene: Call(() if scene.document() else (), {"leaseSeconds": 600}),
    "renew_claim": lambda scene: Call((scene.claimed(),), {"leaseSeconds": 900}),
    "withdraw_brief": lambda scene: Call((scene.document(),)),
    "release_brief": lambda scene: Call((scene.claimed(),)),
    "update_document": lambda scene: Call((scene.document(),), {"title": "Wheat", "dueDate": "2027-01-31"}),
    "write_content": lambda scene: Call((scene.document(),), MARKDOWN),
    "edit_content": lambda scene: Call(
        (document := scene.document(),),
        {"edits": [{"hash": scene.hash_of_content(document), "markdown": "Rye is light."}]},
    ),
    "submit_document": lambda scene: Call((scene.document(),)),
    "approve_document": lambda scene: Call((scene.document("submit_document"),)),
    "request_changes": lambda scene: Call((scene.document("submit_document"),), {"note": "Shorter."}),
    "open_thread": lambda scene: Call(
        (scene.document(),),
        {"text": "Which rye?", "level": "must", "quote": {"exact": "Rye", "suffix": " is"}, "suggestion": "Dark rye"},
    ),
    "add_source": lambda scene: Call((scene.document(),), {"title": "Rye", "url": "https://example.org/rye"}),
    "update_source": lambda scene: Call(scene.source(), {"excerpt": "Rye is light."}),
    "verify_source": lambda scene: Call(scene.source(), {"verified": True}),
    "delete_source": lambda scene: Call(scene.source()),
    "reply_to_thread": lambda scene: Call(scene.thread(), {"text": "Done."}),
    "resolve_thread": lambda scene: Call(scene.thread(), {"text": "Good."}),
    "reopen_thread": lambda scene: Call(scene.thread("resolve_thread")),
    "accept_suggestion": lambda scene: Call(scene.thread()),
    "reject_suggestion": lambda scene: Call(scene.thread(), {"text": "No."}),
    "create_review_link": lambda scene: Call((scene.document(),), {"name": "Lee", "days": 3}),
    "delete_review_link": lambda scene: Call(scene.review_link()),
    "schedule_document": lambda scene: Call((scene.document(),), {"publishAt": in_hours()}),
    "unschedule_document": lambda scene: Call((scene.document("schedule_document"),)),
    "publish_document": lambda scene: Call((scene.document("publish_document"),)),
    "unpublish_document": lambda scene: Call((scene.document("publish_document"),)),
    "delete_document": lambda scene: Call((scene.document("publish_document"),)),
    "restore_document": lambda scene: Call((scene.document("publish_document", "delete_document"),)),
    "restore_revision": lambda scene: Call((scene.twice_written(), "1"), {"baseVersion": 2}),
    "update_category": lambda scene: Call((scene.filed("category"),), {"name": "Rolls"}),
    "delete_category": lambda scene: Call((scene.filed("category"),)),
    "update_cluster": lambda scene: Call((scene.filed("cluster"),), {"name": "Rolls"}),
    "delete_cluster": lambda scene: Call((scene.filed("cluster"),)),
    "create_member": lambda scene: Call((), {"name": "Ada"}),
    "update_member": lambda scene: Call((scene.call("create_member", name="Ada")["id"],), {"name": "Bea"}),
    "delete_member": lambda scene: Call((scene.call("create_member", name="Ada")["id"],)),
    "invite_member": lambda scene: Call(scene.invited()[:1], {"scopes": ["admin"]}),
    "withdraw_invitation": lambda scene: Call(scene.invited()),
    "create_token": lambda scene: Call((), {"name": "Night writer", "scopes": ["admin"]}),
    "update_token": lambda scene: Call((scene.project.token().id,), {"budget": {"writesPerHour": 5}}),
    "rotate_token": lambda scene: Call((scene.project.token(agent="writer-2", scopes=[Scope.ADMIN]).id,)),
    "revoke_token": lambda scene: Call((scene.project.token().id,)),
    "revert_token": lambda scene: Call((scene.reverted(),), {"since": in_hours(-1)}),
    "upload_image": lambda scene: Call((), {"data": PICTURE, "alt": "A dot"}),
    "update_image": lambda scene: Call((scene.image(),), {"alt": "A point"}),
    "delete_image": lambda scene: Call((scene.image(),)),
    "create_webhook": lambda scene: Call((), {"url": "https://hooks.example.org/b"}),
    "update_webhook": lambda scene: Call((scene.webhook(),), {"enabled": False}),
    "delete_webhook": lambda scene: Call((scene.webhook(),)),
    "rotate_webhook_secret": lambda scene: Call((scene.webhook(),)),
    "test_webhook": lambda scene: Call((scene.webhook(),)),
    "redeliver_webhook": lambda scene: Call(scene.delivery()),
    "save_views": lambda scene: Call((), {"views": [{"name": "Late", "query": "due=overdue"}]}),
    "freeze_project": lambda scene: Call((), {"note": "Wait."}),
    "unfreeze_project": lambda scene: Call(() if scene.call("freeze_project") else ()),
    "update_project": lambda scene: Call((), {"name": "The Crumb"}),
}
"""How each operation that writes is called."""

READS: dict[str, Callable[[Scene], Call]] = {
    "list_intents": lambda scene: Call(),
    "get_intent": lambda scene: Call((scene.draft(),)),
    "validate_intent": lambda scene: Call((scene.draft(),)),
    "list_briefs": lambda scene: Call((), {"state": ["ready"]}),
    "get_brief": lambda scene: Call((scene.document(),)),
    "get_work_packet": lambda scene: Call((scene.document(),)),
    "list_documents": lambda scene: Call((), {"count": True}),
    "get_document": lambda scene: Call((scene.document(),)),
    "list_document_actions": lambda scene: Call((scene.document(),)),
    "get_outline": lambda scene: Call((scene.document(),)),
    "read_section": lambda scene: Call((scene.document(), "0")),
    "check_document": lambda scene: Call((scene.document(),)),
    "list_sources": lambda scene: Call(scene.source()[:1]),
    "list_threads": lambda scene: Call(scene.thread()[:1], {"state": ["open"], "limit": 20, "offset": 0}),
    "list_review_links": lambda scene: Call(scene.review_link()[:1]),
    "list_all_review_links": lambda scene: Call(),
    "list_revisions": lambda scene: Call((scene.twice_written(),)),
    "get_revision": lambda scene: Call((scene.twice_written(), "1")),
    "diff_revisions": lambda scene: Call((scene.twice_written(),), {"from": 1, "to": 2}),
    "list_categories": lambda scene: Call(),
    "get_category": lambda scene: Call((scene.filed("category"),)),
    "list_clusters": lambda scene: Call(),
    "get_cluster": lambda scene: Call((scene.filed("cluster"),)),
    "list_members": lambda scene: Call(),
    "get_member": lambda scene: Call((scene.call("create_member", name="Ada")["id"],)),
    "list_invitations": lambda scene: Call(scene.invited()[:1]),
    "list_tokens": lambda scene: Call(),
    "list_events": lambda scene: Call((), {"limit": 10}),
    "get_document_activity": lambda scene: Call((scene.document(),)),
    "list_images": lambda scene: Call(),
    "get_image": lambda scene: Call((scene.image(),)),
    "list_webhooks": lambda scene: Call(),
    "get_webhook": lambda scene: Call((scene.webhook(),)),
    "list_webhook_deliveries": lambda scene: Call((scene.webhook(),)),
    "get_inbox": lambda scene: Call((), {"memberId": scene.call("create_member", name="Ada")["id"]}),
    "get_insights": lambda scene: Call((), {"days": 7}),
    "get_project": lambda scene: Call(),
    "get_provenance": lambda scene: Call((scene.twice_written(),), {"version": 1}),
    "get_review_record": lambda scene: Call((scene.reviewed(),), {"version": 1}),
    "list_disclosures": lambda scene: Call((), {"limit": 10}),
    "read_document_content": lambda scene: Call((scene.document(),), {"offset": 0}),
}
"""How each operation that reads is called."""

EVERY = CALLS | READS
"""How each operation is called."""
