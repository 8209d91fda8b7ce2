"""What notices add to the records and operations of others."""

from app.core.features import AddedFields, Feature
from app.notices.member_fields import MemberKeys, ProjectKeys
from app.notices.schemas import NoticeSettings, NotifiedMember
from app.notices.settings import (
    member_problems,
    member_to_stored,
    project_problems,
    project_to_stored,
    shown_member,
    shown_project,
)
from app.projects.responses import Member, Project
from app.projects.schemas import MemberChanges, ProjectChanges

FEATURE = Feature(
    "notices",
    responses={Member: MemberKeys, Project: ProjectKeys},
    schemas={MemberChanges: NotifiedMember, ProjectChanges: NoticeSettings},
    fields={
        Member: AddedFields(shown_member, member_to_stored, member_problems),
        Project: AddedFields(shown_project, project_to_stored, project_problems),
    },
)
