"""Schemas of requests about pictures (decisions, section 20)."""

from app.core.schemas.fields import Schema, StrictBoolean, StrictString, StringList
from app.core.schemas.queries import DryRunQuery, Page
from app.core.schemas.validation import full_match

MAX_URL = 2_000
MAX_NAME, MAX_ALT = 200, 500
_HOST = full_match(
    r"(?=.{1,253}\Z)[a-z0-9-]+(\.[a-z0-9-]+)+", "Must be a host name in lower case, like images.example.org."
)


class ImageChanges(Schema):
    """Body of `PATCH /images/:id`."""

    name = StrictString(MAX_NAME, description="its name, also in its address", example="Loaf", allow_none=False)
    alt = StrictString(
        MAX_ALT, description="the text for people who don't see it", example="A round loaf, cut open", allow_none=False
    )


class ImageFields(ImageChanges):
    """Body of `POST /images`, where it is not the file itself."""

    url = StrictString(
        MAX_URL,
        description="an https URL to fetch it from",
        example="https://images.example.org/loaf.jpg",
        allow_none=False,
        metadata={"format": "uri"},
    )
    data = StrictString(None, description="the file in base64, at most 1 MB", allow_none=False)


class UploadQuery(ImageChanges, DryRunQuery):
    """Query of `POST /images`, where the body is the file."""


class ImageQuery(Page):
    """Which pictures to list."""

    q = StrictString(description="words of name and alternative text", allow_none=False)
    used = StrictBoolean(description="only those in use, or only others")
    bare = StrictBoolean(description="only those without an alternative text, or only others")
    count = StrictBoolean(description="`true`: count those on all pages")


class ImageSettings(Schema):
    """The setting of a project."""

    imageHosts = StringList(
        20,
        253,
        _HOST,
        description="hosts from which agents may fetch pictures",
        example=["images.example.org"],
    )
