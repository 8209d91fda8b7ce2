"""The project record (decisions, section 5)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import Id, Timestamp, doc, one_of
from app.core.vocabulary import Role
from app.projects.rules import SavedView


class Member(TypedDict):
    """A member of the project."""

    id: Annotated[Id, doc("the member's id")]
    name: Annotated[str, doc("their name", "Ada Example")]
    slug: Annotated[str, doc("the slug of their page as an author, unique", "ada-example")]
    email: Annotated[str | None, doc("their e-mail address", "ada@example.org")]
    role: Annotated[str, one_of(Role), doc("descriptive: permissions are the token's")]
    bio: Annotated[str | None, doc("what readers learn about them", "Ada bakes.")]
    imageUrl: Annotated[str | None, doc("the address of their picture", "https://crust.example/ada.jpg")]
    createdAt: Annotated[Timestamp, doc("when they were added")]


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
    views: Annotated[list[SavedView], doc("the saved views")]
    createdAt: Annotated[Timestamp, doc("when it was created")]
    updatedAt: Annotated[Timestamp, doc("when it last changed")]
