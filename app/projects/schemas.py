"""Schemas of projects, their settings and members (decisions, section 5)."""

from collections.abc import Callable

import marshmallow as ma

from app.core.schemas.fields import (
    EnumString,
    List,
    Nested,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    at_most,
)
from app.core.schemas.validation import HEX_ID, full_match, http_url, not_blank
from app.core.slugs import MAX_LENGTH, category_slug
from app.core.vocabulary import Role

MAX_URL = 2_000
_PART = r'[^@\s\x00-\x1f\x7f,;:<>()\[\]"\\]+'


email_address = full_match(f"{_PART}@{_PART}", "Must be an e-mail address, like ada@example.org.")
"""Checks for one @ with text around it: no white space, and nothing that makes it two addresses in a mail's header."""


class MemberFields(Schema):
    """Body of `POST /members`."""

    name = StrictString(100, not_blank, description="the member's name", example="Ada Example", required=True)
    email = StrictString(320, email_address, description="the member's e-mail address", example="ada@example.org")
    role = EnumString(
        Role,
        description="`writer` by default; gives no permission",
        example="editor",
        allow_none=False,
    )
    slug = StrictString(
        MAX_LENGTH,
        category_slug,
        description="slug of their page as an author, unique; by default made from the name",
        example="ada-example",
        allow_none=False,
    )
    bio = StrictString(1_000, description="what readers learn about them")
    imageUrl = StrictString(MAX_URL, http_url, description="the address of their picture")


class MemberChanges(MemberFields):
    """Body of `PATCH /members/:id`."""

    name = StrictString(100, not_blank, description="the member's name", example="Ada Example", allow_none=False)


MAX_VIEWS = 50

LEASE_SECONDS = (60, 86_400)
"""The shortest and the longest lease of a claim."""


def url_with(*placeholders: str) -> Callable[[str], None]:
    """Returns the check for an http or https URL that may have placeholders; an empty text stands for none."""

    def check(value: str) -> None:
        address = value
        for name in placeholders:
            address = address.replace(f"{{{name}}}", name)
        if "{" in address or "}" in address:
            names = ", ".join(f"`{{{name}}}`" for name in placeholders)
            raise ma.ValidationError(f"Must have no other placeholders than {names}.")
        if value:
            http_url(address)

    return check


class ProjectFields(Schema):
    """Fields of a new project; only the command line creates one."""

    name = StrictString(100, not_blank, description="the project's name", required=True)
    teamId = StrictString(
        24,
        full_match(HEX_ID.pattern, "Must be an id of 24 hexadecimal digits."),
        description="the team that it belongs to",
        allow_none=False,
    )


class ProjectChanges(Schema):
    """Body of `PATCH /project`; null clears the addresses and the lease, an empty text the addresses."""

    name = StrictString(100, not_blank, description="the project's name", allow_none=False)
    reviewRequired = StrictBoolean(description="whether only approved documents can be published")
    siteUrl = StrictString(MAX_URL, url_with("slug"), description="the website's address; may hold `{slug}`")
    previewUrl = StrictString(
        MAX_URL,
        url_with("slug", "id"),
        description="where it previews documents; may hold `{slug}` and `{id}`",
    )
    categoryUrl = StrictString(
        None,
        at_most(MAX_URL, "characters"),
        url_with("slug"),
        description="the address of a category's page there, alike",
    )
    claimLeaseSeconds = StrictInteger(
        *LEASE_SECONDS,
        description="lease of claims that name none; null: they never expire",
        example=3600,
        allow_none=True,
    )


class ViewFields(Schema):
    """A saved view."""

    name = StrictString(60, not_blank, description="its name", example="In review", required=True)
    query = StrictString(
        1_000,
        description="as in the address of the console's table",
        example="status=review&sort=dueDate",
        required=True,
        allow_none=True,
    )


class ViewsFields(Schema):
    """Views to save or to delete."""

    views = List(Nested(ViewFields, allow_none=False), MAX_VIEWS, description="the views", required=True)
