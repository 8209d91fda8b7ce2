"""Sends the notices of mailboxes: the first at once, those that follow within a minute together after it.

Each mailbox is leased as a webhook is, and tried for as long; then the member's notices are turned off. A notice is
noted as sent after it was sent: a worker that dies in between has it sent once more (decisions, section 19).
"""

import logging
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import orjson
from prometheus_client import Counter

from app.core.actors import SYSTEM
from app.core.context import this_instant
from app.core.errors import WriteConflict
from app.core.events import Event
from app.core.store.request_time import standing_still
from app.core.store.store import Store
from app.notices.mailer import Mailer
from app.notices.member_fields import NO_NOTICES
from app.notices.messages import mail_of, slack_of
from app.notices.rules import GATHERS, NoticeLine, StoredNotice, is_wanted, notify_of
from app.notices.store import MOST_SENT, MailboxLease, NoticeLeases, Notices
from app.notices.vocabulary import Digest
from app.outbound.leases import FREE
from app.outbound.message_client import HEADERS, MessageClient, Outcome, next_attempt
from app.projects.rules import StoredMember
from app.projects.store import Members, Projects

log = logging.getLogger("content_workflow.worker")

LEASES = {False: timedelta(seconds=8), True: timedelta(seconds=60)}
"""How long a worker holds the lease of a mailbox, by whether that was slow; if it dies, the others wait as long."""
NOTICES = Counter("content_workflow_notice_attempts", "Notices sent by e-mail and to Slack.", ["outcome"])
for result in ("succeeded", "failed"):  # from 0 on, so that `rate` sees the first one
    NOTICES.labels(result)
ATTEMPT_SECONDS = {False: 3.0, True: 25.0}
"""How long an attempt may take until the message is sent, by the same; the server has as long to accept it."""


@dataclass(frozen=True)
class Mailbox:
    """Where notices are sent to, and whose it is."""

    channel: str
    address: str
    """An e-mail address or the URL of a Slack; empty for none any more."""
    member: StoredMember | None
    project: str


@dataclass(eq=False)
class NoticeSender:
    """Sends what is due to one leased mailbox in each call; the threads of a worker share it."""

    store: Store
    clients: Mapping[bool, MessageClient]
    """The sender of webhooks, by whether the mailbox is slow."""
    mailer: Mailer | None
    public_url: str
    clock: Callable[[], datetime] = this_instant
    chance: Callable[[], float] = random.random
    stopping: threading.Event = field(default_factory=threading.Event, init=False)
    lease_times: Mapping[bool, timedelta] = field(default_factory=lambda: LEASES, init=False)

    @property
    def leases(self) -> NoticeLeases:
        return self.store[NoticeLeases]

    def send_due(self, lease: MailboxLease) -> int:
        """Sends a leased mailbox what waits for it, in one message; returns how many notices that were.

        The member's notification settings are read again: what they turned off is not sent.
        """
        with self.store.deadline():
            return self._send_due(lease)

    def _send_due(self, lease: MailboxLease) -> int:
        project_id, box, at = lease["projectId"], lease["id"], self.clock()
        gathers_until = lease.get("gathersUntil", FREE)
        if self.stopping.is_set() or at < gathers_until:
            self.leases.give_back(lease, max(at, gathers_until), at, slow=lease["slow"], rests_until=None)
            return 0
        notices, mailbox = self.store[Notices].pending(project_id, box), self._mailbox(project_id, box)
        wanted = [one for one in notices if mailbox.address and is_wanted(one, mailbox.member)]
        with standing_still():
            outcome = self._send(mailbox, [line for one in wanted for line in one["lines"]], slow=lease["slow"])
        rests_until = None
        if outcome.succeeded:
            self.store[Notices].settle(project_id, notices)
            self._arrived(project_id, box, wanted, at, gathers_until)
        else:
            self.leases.note_failure(project_id, box, outcome.error or "", self.clock())
            rests_until = self._failed(lease, mailbox.member, notices, at, outcome)
        details = {"status": outcome.status_code, "error": outcome.error, "notices": len(wanted)}
        level = logging.INFO if outcome.succeeded else logging.WARNING
        log.log(level, "notices attempted", extra={"projectId": project_id, "mailbox": box, **details})
        is_over = outcome.succeeded and len(notices) < MOST_SENT  # what came meanwhile has made it due again
        now = self.clock()
        self.leases.give_back(lease, None if is_over else now, now, slow=outcome.was_slow, rests_until=rests_until)
        return len(wanted) if outcome.succeeded else 0

    def _mailbox(self, project_id: str, box: str) -> Mailbox:
        channel, _, owner_id = box.partition(":")
        project = self.store[Projects].settings(project_id)
        if owner_id == project_id:
            return Mailbox(channel, str(project.get("slack") or ""), None, project["name"])
        member = self.store[Members].get(project_id, owner_id)
        notify = notify_of(member) if member else NO_NOTICES
        email = member.get("email") if member and notify["email"] and self.mailer else None
        return Mailbox(channel, (email if channel == "email" else notify["slack"]) or "", member, project["name"])

    def _send(self, mailbox: Mailbox, lines: Sequence[NoticeLine], *, slow: bool) -> Outcome:
        """Sends the lines in one message; none if there are no lines."""
        if not lines:
            return Outcome(None, None, 0)
        if mailbox.channel == "slack":
            body = orjson.dumps(slack_of(lines, self.public_url))
            outcome = self.clients[slow].send(mailbox.address, HEADERS, body)
        else:
            outcome = self._mail(mailbox, lines, ATTEMPT_SECONDS[slow])
        NOTICES.labels("succeeded" if outcome.succeeded else "failed").inc()
        return outcome

    def _mail(self, mailbox: Mailbox, lines: Sequence[NoticeLine], seconds: float) -> Outcome:
        member, mailer = mailbox.member, self.mailer
        assert member
        assert mailer
        key = f"{member['projectId']}.{member['id']}.{member.get('notifyKey')}"
        message = mail_of(
            lines,
            project=mailbox.project,
            public_url=self.public_url,
            sender=mailer.sender,
            to=mailbox.address,
            off=f"{self.public_url.rstrip('/')}/notices/off?key={key}" if self.public_url else "",
            at=self.clock(),
        )
        return mailer.send(message, seconds)

    def _arrived(
        self, project_id: str, box: str, sent: Sequence[StoredNotice], at: datetime, gathers_until: datetime
    ) -> None:
        """Notes that a mailbox works, and has what follows the first notice within a minute wait for its end."""
        self.leases.record_success(project_id, box)
        if sent and all(one["createdAt"] >= gathers_until for one in sent):
            self.leases.gather(project_id, box, at + GATHERS)

    def _failed(
        self,
        lease: MailboxLease,
        member: StoredMember | None,
        notices: Sequence[StoredNotice],
        at: datetime,
        last: Outcome,
    ) -> datetime | None:
        """Returns when a mailbox is tried again; gives up after too long, and turns its member's notices off."""
        project_id, box = lease["projectId"], lease["id"]
        failing_since, failures = self.leases.record_failure(project_id, box, at)
        again = next_attempt(failures, failing_since, self.clock(), self.chance())
        if again is not None:
            return again
        with suppress(WriteConflict):  # the member was changed meanwhile: the next attempt decides
            if member:
                off = {"notify": {**notify_of(member), "digest": Digest.OFF}}
                self.store[Members].update(project_id, member, off, Event("member.updated", self.clock(), SYSTEM))
            self.store[Notices].settle(project_id, notices)
            self.leases.record_success(project_id, box)
            log.warning("notices given up", extra={"projectId": project_id, "mailbox": box, "reason": last.error})
        return None
