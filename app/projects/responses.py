"""The project record (decisions, section 5)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.checks.vocabulary import CheckLevel
from app.core.actors import Note, wire_note
from app.core.documented import Id, Timestamp, doc, one_of
from app.core.records import record_of
from app.core.vocabulary import Role
from app.notices.member_fields import Notify
from app.notices.rules import masked, notify_of
from app.projects.rules import SavedView, StoredMember, StoredProject
from app.provenance.vocabulary import ReviewDemand


class Member(TypedDict):
    """A member of the project."""

    id: Annotated[Id, doc("the member's id")]
    name: Annotated[str, doc("their name", "Ada Example")]
    email: Annotated[str | None, doc("their e-mail address", "ada@example.org")]
    role: Annotated[str, one_of(Role), doc("descriptive: permissions are the token's")]
    notify: Annotated[Notify, doc("how they are told of what waits for them")]
    createdAt: Annotated[Timestamp, doc("when they were added")]


def member_record(member: StoredMember) -> Member:
    """Returns a stored member as callers see them."""
    notify = notify_of(member)
    return record_of(Member, member, notify={**notify, "slack": masked(notify["slack"])})


class Project(TypedDict):
    """The token's project."""

    id: Annotated[Id, doc("the project's id")]
    teamId: Annotated[Id, doc("its team")]
    name: Annotated[str, doc("its name", "The Crust")]
    reviewRequired: Annotated[bool, doc("whether only approved documents can be published")]
    siteUrl: Annotated[str, doc("the website's address; empty when unset", "https://crust.example")]
    previewUrl: Annotated[
        str, doc("where the website previews documents; empty when unset", "https://crust.example/preview/{id}")
    ]
    categoryUrl: Annotated[
        str, doc("the address of a category's page; empty when unset", "https://crust.example/topics/{slug}")
    ]
    claimLeaseSeconds: Annotated[int | None, doc("lease of claims that name none; null: they never expire", 3600)]
    guidelines: Annotated[str, doc("the house style for writers, as markdown")]
    fourEyes: Annotated[bool, doc("whether who made or submitted a version may not approve, schedule or publish it")]
    checks: Annotated[
        dict[str, Annotated[str, one_of(CheckLevel)]],
        doc(
            "checks of documents by name, each `off`, `warning` or `error`; others are warnings",
            {"meta_title": "error", "references": "off"},
        ),
    ]
    reviewRecord: Annotated[
        str, one_of(ReviewDemand), doc("whether approving needs the record of a person's review", "off")
    ]
    maxRounds: Annotated[int | None, doc("from how many rounds of changes on no `offer` is taken; null: no limit", 2)]
    slack: Annotated[str | None, doc("where notices for everybody go, by its last four characters; null: nowhere")]
    views: Annotated[list[SavedView], doc("the saved views")]
    frozen: Annotated[
        Note | None, doc("why, since when and by whom; set while only tokens with the scope `admin` can write")
    ]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]


def project_record(project: StoredProject) -> Project:
    """Returns a stored project as callers see it."""
    return record_of(
        Project,
        project,
        reviewRecord=project.get("reviewRecord") or ReviewDemand.OFF,
        slack=masked(project.get("slack")),
        frozen=wire_note(project.get("frozen")),
    )
