"""Schemas and responses are composed of what the contract declares and what the features of an application add."""

from typing import Annotated, NotRequired, get_type_hints

import pytest
from typing_extensions import TypedDict

from app.core.features import AddedFields, Feature, Features
from app.core.schemas.fields import Schema, StrictString
from app.core.schemas.loading import cached_schema
from app.features import ALL
from app.projects.responses import Member, Project
from app.projects.schemas import MemberChanges, MemberFields, ProjectChanges
from app.projects.token_responses import NewToken, Token
from app.projects.token_schemas import TokenChanges, TokenFields


class Colour(TypedDict):
    """A key of a feature."""

    colour: str


class ColourFields(Schema):
    """A field of a feature."""

    colour = StrictString(10)


class Team(TypedDict):
    """A response that holds others."""

    people: NotRequired[Annotated[list[Member] | None, "its members"]]
    project: Project


PAINTED = Features(
    features=(
        Feature(
            "paint",
            responses={Member: Colour, Token: Colour},
            schemas={MemberFields: ColourFields},
            fields={Member: AddedFields(shown=lambda member: {"colour": member["paint"].upper()})},
        ),
    )
)

ADDED = {
    "checks": ({"checks"}, {"checks"}),
    "guards": ({"fourEyes", "frozen", "budget"}, {"fourEyes", "budget"}),
    "notices": ({"slack", "notify"}, {"slack", "notify"}),
    "oauth": ({"client", "grantedBy"}, set()),
    "packets": ({"guidelines"}, {"guidelines"}),
    "provenance": ({"reviewRecord"}, {"reviewRecord"}),
    "review": ({"maxRounds"}, {"maxRounds"}),
}
"""What each feature adds to the responses and requests of projects, members and tokens."""


def keys(features: Features) -> set[str]:
    return {name for one in (Project, Member, NewToken) for name in get_type_hints(features.response_of(one))}


def fields(features: Features) -> set[str]:
    schemas = (ProjectChanges, MemberChanges, TokenFields, TokenChanges)
    return {name for one in schemas for name in cached_schema(features.schema_of(one)).fields}


@pytest.mark.parametrize("name", ADDED)
def test_without_a_feature_its_fields_are_in_no_request_and_no_response(name: str) -> None:
    without = ALL.without(name)

    assert (keys(ALL) - keys(without), fields(ALL) - fields(without)) == ADDED[name]


def test_what_extends_or_holds_a_response_has_the_added_keys_too() -> None:
    assert "colour" in get_type_hints(PAINTED.response_of(NewToken))
    held = get_type_hints(PAINTED.response_of(Team), include_extras=True)
    assert held["people"] == NotRequired[Annotated[list[PAINTED.response_of(Member)] | None, "its members"]]  # type: ignore[misc]
    assert held["project"] is Project


def test_a_schema_that_extends_another_has_the_added_fields_after_its_own() -> None:
    composed = PAINTED.schema_of(MemberChanges)

    assert [*cached_schema(composed).fields] == [*cached_schema(MemberChanges).fields, "colour"]
    assert issubclass(composed, MemberChanges)
    assert composed.__doc__ == MemberChanges.__doc__
    assert PAINTED.schema_of(ProjectChanges) is ProjectChanges


def test_an_added_key_is_shown_as_its_feature_says() -> None:
    assert PAINTED.record_of(Member, {"paint": "red"})["colour"] == "RED"  # type: ignore[typeddict-item]
