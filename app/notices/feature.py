"""What notices add to members and projects: how somebody is told, and the Slack address for everybody."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.features import AddedFields, Feature, Record
from app.notices.member_fields import Notify
from app.notices.rules import masked, notify_of
from app.notices.schemas import NoticeSettings, NotifiedMember
from app.notices.settings import member_problems, member_to_stored, project_problems, project_to_stored
from app.projects.responses import Member, Project
from app.projects.schemas import MemberChanges, ProjectChanges


class MemberKeys(TypedDict):
    """The setting of a member."""

    notify: Annotated[Notify, doc("how they are told of what waits for them")]


class ProjectKeys(TypedDict):
    """The setting of a project."""

    slack: Annotated[str | None, doc("where notices for everybody go, by its last four characters; null: nowhere")]


def _shown_member(member: Record) -> Record:
    notify = notify_of(member)
    return {"notify": {**notify, "slack": masked(notify["slack"])}}


def _shown_project(project: Record) -> Record:
    return {"slack": masked(project.get("slack"))}


FEATURE = Feature(
    "notices",
    responses={Member: MemberKeys, Project: ProjectKeys},
    schemas={MemberChanges: NotifiedMember, ProjectChanges: NoticeSettings},
    fields={
        Member: AddedFields(_shown_member, member_to_stored, member_problems),
        Project: AddedFields(_shown_project, project_to_stored, project_problems),
    },
)
