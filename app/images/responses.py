"""Pictures as callers see them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.context import Context
from app.core.documented import Count, Id, Timestamp, doc, one_of
from app.core.records import record_of
from app.images.decoding import widths_of
from app.images.rules import StoredImage, address_of
from app.images.vocabulary import ImageType

KEY = "mfzwizltoq3tcnrsgm2tmnzyga"
URL = f"https://content.example.com/media/{KEY}/loaf.jpg"


class Image(TypedDict):
    """A picture."""

    id: Annotated[Id, doc("the picture's id")]
    key: Annotated[str, doc("what its address is known by", KEY)]
    url: Annotated[str, doc("its address, for texts and covers", URL)]
    name: Annotated[str, doc("its name", "Loaf")]
    alt: Annotated[str, doc("the text for people who don't see it; empty when unset", "A round loaf, cut open")]
    type: Annotated[str, one_of(ImageType), doc("its media type", "image/jpeg")]
    width: Annotated[Count, doc("its width in pixels", 2000)]
    height: Annotated[Count, doc("its height in pixels", 1500)]
    bytes: Annotated[Count, doc("how long its file is", 482_113)]
    sha256: Annotated[str, doc("the hash of its file", "0f" * 32)]
    widths: Annotated[list[int], doc("the smaller widths that `?w=` gives", [320, 640, 960, 1280, 1920])]
    createdAt: Annotated[Timestamp, doc("when it was uploaded")]
    createdBy: Annotated[Actor, doc("who uploaded it")]


class Use(TypedDict):
    """A document that uses a picture."""

    id: Annotated[Id, doc("the document's id")]
    title: Annotated[str, doc("its title", "Your first starter")]


class UsedImage(Image):
    """A picture, and what uses it."""

    usedIn: Annotated[
        list[Use], doc("up to 20 documents whose present or published text or cover has it, also in the trash")
    ]


class PictureHosts(TypedDict):
    """The setting of a project."""

    imageHosts: Annotated[list[str], doc("hosts from which agents may fetch pictures", ["images.example.org"])]


def beginning(ctx: Context) -> str:
    """Returns what pictures' addresses begin with: `IMAGES_URL`, else `PUBLIC_URL`; empty where there is neither."""
    found: str = ctx.server.facts.get("imagesUrl", "")
    return found


def image_record(ctx: Context, image: StoredImage) -> Image:
    """Returns a picture as callers see it; without a configured address, with the one of the request."""
    begins = beginning(ctx) or ctx.server.address().rstrip("/")
    return record_of(Image, image, url=address_of(image, begins), widths=widths_of(image["width"]))


def used_record(ctx: Context, image: StoredImage, uses: Sequence[Mapping[str, Any]]) -> UsedImage:
    """Returns a picture with the documents that use it."""
    return {**image_record(ctx, image), "usedIn": [Use(id=one["id"], title=one["title"]) for one in uses]}
