"""What a client does, again and again: it plans, drafts, claims, writes, edits, submits, reviews and publishes."""

import random
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from chaos.client import Caller

LEASE_SECONDS = 60
FEW_READY = 4
"""With fewer ready briefs than this, a client makes new ones before it claims."""

Document = Mapping[str, Any]


class Writer:
    """One client's work; what it does next follows from its seed and from what it is answered."""

    def __init__(self, caller: Caller, categories: Sequence[str], rng: random.Random, pause: float) -> None:
        self._call = caller.call
        self._caller = caller
        self._categories = categories
        self._rng = rng
        self._pause = pause
        self._numbers = count(1)

    def run(self) -> None:
        """Works until the run is over."""
        while not self._caller.over.is_set():
            self._rng.choice((self.write, self.write, self.review, self.publish))()
            time.sleep(self._rng.uniform(0, self._pause))

    def plan(self) -> None:
        """Plans two pieces at once, offered to writers."""
        pieces = [{"key": (title := self._text()), "title": title, "ready": True, **self._piece()} for _ in range(2)]
        self._call("plan_documents", pieces=pieces)

    def draft(self) -> None:
        """Makes a document from a draft, and offers its brief."""
        draft = self._call("create_document_intent", title=self._text())
        if draft is None or not self._call("update_document_intent", intentId=draft["id"], **self._piece()):
            return
        made = self._call("confirm_intent", intentId=draft["id"])
        if made:
            self._call("mark_brief_ready", documentId=made["document"]["id"])

    def write(self) -> None:
        """Claims a brief, writes the text in two versions, and submits it; now and then it gives up."""
        document = self._claim()
        if document is None:
            return
        text = f"# {self._text()}\n\nFlour.\n\n## {self._text()}\n\nWater.\n"
        if not self._call("write_content", documentId=document["id"], markdown=text, baseVersion=document["version"]):
            return
        self._edit(document["id"])
        self._answer(document["id"])
        if document["brief"].get("claimExpiresAt") and self._rng.random() < 0.5:
            self._call("renew_claim", documentId=document["id"])
        self._finish(document["id"])

    def review(self) -> None:
        """Remarks on a document in review, and approves it, or sends it back and offers it again."""
        if document := self._one("review"):
            self._call("open_thread", documentId=document["id"], text=self._text(), quote={"exact": "Flour."})
            if self._rng.random() < 0.8:
                self._call("approve_document", documentId=document["id"], baseVersion=document["version"])
            elif self._call("request_changes", documentId=document["id"], note=self._text()):
                self._call("mark_brief_ready", documentId=document["id"])

    def publish(self) -> None:
        """Publishes an approved document, now or in a moment; now and then it unpublishes one."""
        if self._rng.random() < 0.1:
            if document := self._one("published"):
                self._call("unpublish_document", documentId=document["id"])
        elif document := self._one("approved"):
            if self._rng.random() < 0.7:
                self._call("publish_document", documentId=document["id"], baseVersion=document["version"])
            else:
                at = datetime.now(UTC) + timedelta(seconds=self._rng.uniform(3, 5))
                self._call("schedule_document", documentId=document["id"], publishAt=at.isoformat())

    def _claim(self) -> Document | None:
        ready = (self._call("list_briefs") or {}).get("items", ())
        if len(ready) < FEW_READY:
            self._rng.choice((self.plan, self.draft))()
        lease = {"leaseSeconds": LEASE_SECONDS} if self._rng.random() < 0.5 else {}
        if not ready or self._rng.random() < 0.4:
            return self._call("claim_next_brief", **lease)
        return self._call("claim_brief", documentId=self._rng.choice(ready)["id"], **lease)

    def _edit(self, document_id: str) -> None:
        outline = self._call("get_outline", documentId=document_id)
        if outline and outline["sections"]:
            section = self._rng.choice(outline["sections"])
            edit = {"hash": section["hash"], "markdown": f"## {self._text()}\n\nSalt.\n"}
            self._call("edit_content", documentId=document_id, edits=[edit])

    def _answer(self, document_id: str) -> None:
        """Answers one of the remarks on a document."""
        found = self._call("list_threads", documentId=document_id)
        if found and found["items"]:
            thread = self._rng.choice(found["items"])
            self._call("reply_to_thread", documentId=document_id, threadId=thread["id"], text=self._text())

    def _finish(self, document_id: str) -> None:
        chance = self._rng.random()
        if chance < 0.1:
            self._call("release_brief", documentId=document_id)
        elif chance < 0.2:
            if self._call("withdraw_brief", documentId=document_id):
                self._call("mark_brief_ready", documentId=document_id)
        elif chance < 0.95:
            self._call("submit_document", documentId=document_id)

    def _one(self, status: str) -> Document | None:
        found = self._call("list_documents", status=[status])
        items = found["items"] if found else ()
        return self._rng.choice(items) if items else None

    def _piece(self) -> dict[str, Any]:
        return {"brief": {"keyword": "sourdough"}, "categoryId": self._rng.choice(self._categories)}

    def _text(self) -> str:
        """Returns a text that is written once in the run."""
        return f"text {self._caller.client.token} {next(self._numbers)}"
