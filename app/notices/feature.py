"""The server's settings of e-mail, and the settings, storage and a key of documents that notices add."""

import re
from email.utils import parseaddr
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from app.core.features import AddedFields, Feature, by_class_name
from app.core.store.indexes import Storage, index, key_index
from app.core.times import DAY_SECONDS
from app.notices.inbox import waiting_since
from app.notices.inbox_store import ROUNDS_AT, WAITING_SINCE
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
from app.settings import Settings


def _check_smtp(value: str) -> str:
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("smtp", "smtps") and parts.hostname and parts.port != 0
    except ValueError:  # its message may have a part of the password
        is_address = False
    if value and not is_address:
        raise ValueError("must be like smtp://host:587 or smtps://user:password@host:465, percent-encoded")
    return value


class MailSettings(Settings):
    """Where e-mail is sent."""

    smtp_url: Annotated[str, AfterValidator(_check_smtp)] = Field(
        "", repr=False, description="where e-mail is sent, like smtps://user:password@mail.example.org:465"
    )
    smtp_from: str = Field("", validate_default=True, description="the sender of e-mail, where SMTP_URL is set")

    @field_validator("smtp_from")
    @classmethod
    def _check_sender(cls, value: str, info: ValidationInfo) -> str:
        address = parseaddr(value)[1]
        if info.data.get("smtp_url") and not re.fullmatch(r"[^@\s]+@[^@\s]+", address):
            raise ValueError("must be an address where SMTP_URL is set, like notices@example.org")
        return value


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
