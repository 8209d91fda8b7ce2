"""Settings, storage and a key of documents that notices add."""

from app.core.features import AddedFields, Feature, by_class_name
from app.core.store.indexes import Storage, index, key_index
from app.core.times import DAY_SECONDS
from app.notices.inbox import waiting_since
from app.notices.inbox_store import ROUNDS_AT, WAITING_SINCE
from app.notices.mail_settings import MailSettings
from app.notices.member_fields import MemberKeys, ProjectKeys, TokenKeys
from app.notices.schemas import NoticeSettings, NotifiedMember
from app.notices.settings import (
    member_problems,
    member_to_stored,
    project_problems,
    project_to_stored,
    shown_member,
    shown_project,
)
from app.notices.vocabulary import LISTED_TOKEN_KINDS, Digest, WaitKind
from app.projects.responses import Member, Project
from app.projects.schemas import MemberChanges, ProjectChanges
from app.projects.token_responses import Token

FEATURE = Feature(
    "notices",
    responses={Member: MemberKeys, Project: ProjectKeys, Token: TokenKeys},
    schemas={MemberChanges: NotifiedMember, ProjectChanges: NoticeSettings},
    fields={
        Member: AddedFields(shown_member, member_to_stored, member_problems),
        Project: AddedFields(shown_project, project_to_stored, project_problems),
    },
    settings=MailSettings,
    facts=lambda settings: {"sends_mail": bool(settings.smtp_url)},
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
            *(key_index("noticeLeases"), WAITING_SINCE, ROUNDS_AT),
        ),
        shard_keys={"notices": "projectId", "noticeLeases": "projectId _id"},
    ),
    closed_lists={**by_class_name(Digest, WaitKind), "ListedTokenKind": LISTED_TOKEN_KINDS},
)
