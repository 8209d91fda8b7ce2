"""The feature `notices`: its storage, and its key of documents."""

from app.core.features import Feature
from app.core.store.indexes import Storage, index
from app.core.times import DAY_SECONDS
from app.notices.inbox import waiting_since
from app.notices.inbox_store import ROUNDS_AT, WAITING_SINCE

FEATURE = Feature(
    "notices",
    document_keys={"waitingSince": waiting_since},
    storage=Storage(
        indexes=(
            index(
                "members", "notify.digest notify.hour", "who is told each day at an hour", {"notify.digest": "daily"}
            ),
            index("notices", "projectId mailbox key", "a notice is sent once", unique=True),
            index("notices", "projectId mailbox _id", "what is to be sent", {"isPending": True}),
            index(
                "notices",
                "createdAt",
                "as long as failed ones are tried, and a day more",
                expireAfterSeconds=4 * DAY_SECONDS,
            ),
            index("noticeLeases", "slow dueAt", "the mailbox that has waited longest"),
            *(WAITING_SINCE, ROUNDS_AT),
        )
    ),
)
