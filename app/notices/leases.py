"""Leases of mailboxes: one worker at a time sends the notices of each."""

from datetime import datetime

from app.webhooks.leases import Leases


class NoticeLeases(Leases):
    """The leases of the mailboxes that notices are sent to, whose ids are texts (`app/notices/rules.py`)."""

    name = "noticeLeases"
    record_id = staticmethod(str)

    def gather(self, mailbox: str, until: datetime) -> None:
        """Has the notices of a mailbox wait until an instant, to be sent together."""
        self._collection.update_one({"_id": mailbox}, {"$set": {"gathersUntil": until}})
