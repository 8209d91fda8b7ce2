"""The project record (decisions, section 5)."""

from typing import Any, TypedDict

from marshmallow import fields

from app.records.actors import ActorRecord
from app.records.types import Record, boolean, integer, nested, record_id, string, strings_by_name, timestamp
from app.rules.actors import ShownNote, shown_note
from app.rules.projects import StoredProject
from app.rules.times import wire_time
from app.vocabulary import CheckLevel


def frozen_fields() -> dict[str, fields.Field[Any]]:
    """Returns new fields that document why, since when and by whom a project is frozen."""
    return {
        "note": string("why; empty when unset", example="Wrong prices in last night's drafts."),
        "at": timestamp("since when"),
        "by": nested(ActorRecord, "who froze it"),
    }


class FrozenRecord(Record):
    """Why, since when and by whom a project is frozen."""

    note, at, by = frozen_fields().values()


class ProjectRecord(Record):
    """The token's project."""

    id = record_id("the project's id")
    teamId = record_id("its team")
    name = string("its name", example="The Crust")
    reviewRequired = boolean("whether only approved documents can be published")
    siteUrl = string("the website's address; empty when unset", example="https://crust.example")
    categoryUrl = string(
        "the address of a category's page; empty when unset", example="https://crust.example/topics/{slug}"
    )
    claimLeaseSeconds = integer("lease of claims that name none; null: they never expire", null=True, example=3600)
    guidelines = string("the house style for writers, as markdown")
    fourEyes = boolean("whether who made or submitted a version may not approve, schedule or publish it")
    checks = strings_by_name(
        "checks of documents by name, each `off`, `warning` or `error`; others are warnings",
        one_of=CheckLevel,
        example={"meta_title": "error", "references": "off"},
    )
    frozen = nested(FrozenRecord, "set while only tokens with the scope `admin` can write", null=True)
    createdAt = timestamp("when it was created")
    updatedAt = timestamp("when it last changed")


class ShownProject(TypedDict):
    """A project as callers see it."""

    id: str
    teamId: str
    name: str
    reviewRequired: bool
    siteUrl: str
    categoryUrl: str
    claimLeaseSeconds: int | None
    guidelines: str
    fourEyes: bool
    checks: dict[str, str]
    frozen: ShownNote | None
    createdAt: str
    updatedAt: str


def project_record(project: StoredProject) -> ShownProject:
    """Returns a stored project as callers see it."""
    return {
        "id": project["id"],
        "teamId": project["teamId"],
        "name": project["name"],
        "reviewRequired": project["reviewRequired"],
        "siteUrl": project.get("siteUrl") or "",
        "categoryUrl": project.get("categoryUrl") or "",
        "claimLeaseSeconds": project.get("claimLeaseSeconds"),
        "guidelines": project.get("guidelines") or "",
        "fourEyes": bool(project.get("fourEyes")),
        "checks": project.get("checks") or {},
        "frozen": shown_note(project.get("frozen")),
        "createdAt": wire_time(project["createdAt"]),
        "updatedAt": wire_time(project["updatedAt"]),
    }
