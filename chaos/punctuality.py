"""How long a notice takes from a submission to its receiver, while everything is killed.

What follows a member's first notice within a minute waits for its end, so each member is told of one document a minute,
in a project of its own.
"""

import re
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import cycle
from statistics import median

import httpx
from bson import ObjectId

from app.core.errors import ServiceUnavailable, WriteConflict
from app.core.store.store import Store
from app.notices.vocabulary import Digest
from chaos.history import Incident
from tests.make import OPERATIONS, a_document, a_project
from tests.webhooks.receiver import Receiver

MEMBERS = 70
PAUSE_SECONDS = 1.0
AT_MOST_SECONDS = 10.0


class Punctuality:
    """Submits a document each second, and notes when its assignee is told."""

    def __init__(self, store: Store, ports: Sequence[int], receiver: Receiver) -> None:
        project = a_project(store)
        token = project.token("Submitter")
        ctx = project.context(token)
        people = [OPERATIONS["create_member"](ctx, fields={"name": f"Reader {n}"}).body["id"] for n in range(MEMBERS)]
        notify = {"email": False, "slack": receiver.url, "digest": Digest.INSTANT, "hour": 7}
        store.database.members.update_many(
            {"_id": {"$in": [ObjectId(one) for one in people]}}, {"$set": {"notify": notify}}
        )
        self._project, self._token, self._people = project, token, people
        self._headers = {"Authorization": f"Bearer {token.secret}"}
        self._ports = ports
        self._receiver = receiver
        self._over = threading.Event()
        self.submitted: dict[str, float] = {}
        self.told: dict[str, float] = {}
        self.thread = threading.Thread(target=self._run, daemon=True)
        receiver.on_request = self._note

    def stop(self) -> None:
        """Returns when the last submission was answered."""
        self._over.set()
        self.thread.join(60)

    def _run(self) -> None:
        for number, member_id in enumerate(cycle(self._people)):
            if self._over.wait(PAUSE_SECONDS):
                return
            with suppress(ServiceUnavailable, WriteConflict, httpx.HTTPError):
                ctx = self._project.context(self._token)
                document = a_document(ctx, title=f"Loaf {number}", markdown="Rye.", assigneeId=member_id)
                url = f"http://127.0.0.1:{self._ports[number % len(self._ports)]}/documents/{document['id']}/submit"
                if httpx.post(url, headers=self._headers, timeout=30, trust_env=False).is_success:
                    self.submitted[document["id"]] = time.monotonic()

    def _note(self) -> None:
        at, body = time.monotonic(), self._receiver.requests[-1][1].decode()
        for document_id in re.findall(r"/documents/([0-9a-f]{24})", body):
            self.told.setdefault(document_id, at)


def punctual(
    submitted: Mapping[str, float], told: Mapping[str, float], incidents: Iterable[Incident]
) -> tuple[list[str], list[str]]:
    """Returns the median and the slowest by what was being killed or frozen meanwhile, and who was told too late.

    The seconds that an incident lasts count for nobody: while the majority of MongoDB is frozen no notice can be sent.
    """
    incidents, late = list(incidents), []
    took: dict[str, list[float]] = defaultdict(list)
    for document_id, at in submitted.items():
        if document_id not in told:
            late.append(f"nobody was told that {document_id} was submitted")
            continue
        until = told[document_id]
        meanwhile = [one for one in incidents if one.began <= until and at <= one.recovered]
        seconds = max(0.0, until - at)
        for fault in {one.fault for one in meanwhile} or {"nothing"}:
            took[fault].append(seconds)
        took["all"].append(seconds)
        excused = sum(min(until, one.recovered) - max(at, one.began) for one in meanwhile)
        if seconds - excused > AT_MOST_SECONDS:
            faults = ", ".join(one.fault for one in meanwhile)
            late.append(f"{document_id} was told of {seconds:.1f} s after its submission ({faults})")
    lines = [f"{fault} {median(of):.2f}/{max(of):.1f} s of {len(of)}" for fault, of in sorted(took.items())]
    return lines, late
