"""Leases of mailboxes: one worker at a time sends the notices of each."""

from datetime import datetime
from typing import NotRequired

from app.core.store.leases import LeaseQueue, StoredLease


class MailboxLease(StoredLease):
    """The lease of a mailbox."""

    gathersUntil: NotRequired[datetime]
    """Until when the notices after a first one wait, to be sent together."""


class NoticeLeases(LeaseQueue[MailboxLease]):
    """The leases of the mailboxes that notices are sent to, whose ids are texts (`app/notices/rules.py`)."""

    name = "noticeLeases"
    record_id = staticmethod(str)

    def gather(self, project_id: str, mailbox: str, until: datetime) -> None:
        """Has the notices of a mailbox wait until an instant, to be sent together."""
        self._collection.update_one(self._one(project_id, mailbox), {"$set": {"gathersUntil": until}})
