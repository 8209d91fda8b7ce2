"""The project record (decisions, section 5)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.documented import Id, Timestamp, doc, one_of
from app.responses.records import record_of
from app.rules.actors import Note, wire_note
from app.rules.notices import masked
from app.rules.projects import SavedView, StoredProject
from app.vocabulary import CheckLevel, ReviewDemand


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
