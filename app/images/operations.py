"""Pictures: uploaded, found, described and deleted (decisions, section 20)."""

import base64
import binascii
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.context import Context
from app.core.errors import (
    BadRequest,
    Forbidden,
    HttpApiDecodeError,
    Issue,
    NotFound,
    Problem,
    Refusal,
    WriteConflict,
    or_raise,
)
from app.core.operation import Effect, Result, operation
from app.core.other_bodies import FileBody
from app.core.records import record_tag
from app.core.schemas.loading import Fields
from app.core.text.words import query_words
from app.core.vocabulary import Channel, Scope
from app.images.decoding import Undecodable, decode
from app.images.errors import ImageInUse
from app.images.fetching import NotFetched, fetch
from app.images.responses import Image, UsedImage, image_record, used_record
from app.images.rules import IMAGES_PER_PROJECT, MAX_USES, UNNAMED, StoredImage, new_key
from app.images.schemas import ImageChanges, ImageFields, ImageQuery, UploadQuery
from app.images.store import ImageFiles, Images, Uses, among, found_by
from app.images.vocabulary import ImageType
from app.projects.store import Projects

NO_IMAGE = ("The project has no picture with this id", "imageId", "list the pictures to find it")
FULL = f"The project has {IMAGES_PER_PROJECT:,} pictures already: delete some first."
FILE = "file"
SOURCES = ("url", "data")
MAX_DATA = 1_048_576
DATA_TOO_LONG = f"Must be at most {MAX_DATA:,} characters: give a `url`, or send the file over REST."
NO_BASE64 = "Is not base64."
ONE_SOURCE = "Send exactly one of `url` and `data`."
ONE_SOURCE_OF_REST = "Send the file as the body, or a JSON object with exactly one of `url` and `data`."


@dataclass(frozen=True)
class Uploaded:
    """A picture before it is recorded: its file is stored."""

    record: dict[str, Any]


def prepare_upload(ctx: Context, fields: Fields) -> Uploaded | Refusal | None:
    """Decodes and stores a file, unless the project has it, or the try before did; returns why it can't be taken."""
    if isinstance(ctx.prepared, Uploaded) and "id" not in ctx.prepared.record:
        return ctx.prepared  # stored by the try before
    given = [name for name in SOURCES if name in fields]
    if len(given) + (ctx.file is not None) != 1:
        message = ONE_SOURCE_OF_REST if ctx.channel == Channel.REST else ONE_SOURCE
        return HttpApiDecodeError(issues=[Issue(path="", message=message)])
    try:
        data = _data_of(ctx, fields)
        sent = hashlib.sha256(data).hexdigest()
        if known := ctx.store[Images].with_hash(ctx.project_id, sent):
            return Uploaded({**known})
        return Uploaded(_stored(ctx, data, sent))
    except NotFetched as error:
        return _wrong("url", str(error))
    except Undecodable as error:
        return _wrong("url" if "url" in fields else "data" if "data" in fields else "body", str(error))
    except BadRequest as refusal:
        return refusal


def _wrong(field: str, message: str) -> BadRequest:
    return BadRequest(errors=[Problem(field=field, message=message)])


def _data_of(ctx: Context, fields: Fields) -> bytes:
    """Returns the file that is sent, or fetched."""
    if ctx.file is not None:
        return ctx.file
    if "url" in fields:
        project: Mapping[str, Any] = ctx.store[Projects].settings(ctx.project_id)
        return fetch(ctx, fields["url"], project.get("imageHosts") or [])
    if len(fields["data"]) > MAX_DATA:
        raise _wrong("data", DATA_TOO_LONG)
    try:
        return base64.b64decode("".join(fields["data"].split()), validate=True)
    except (binascii.Error, ValueError):
        raise _wrong("data", NO_BASE64) from None


def _stored(ctx: Context, data: bytes, sent: str) -> dict[str, Any]:
    """Decodes a file and returns its record; stores the picture and its widths, but in a dry run."""
    picture, key = decode(data), new_key()

    def add(content: bytes) -> str:
        return "0" * 24 if ctx.dry_run else ctx.store[ImageFiles].add(ctx.project_id, key, content)

    sha256 = hashlib.sha256(picture.content).hexdigest()
    return {
        "key": key,
        "type": str(picture.type),
        "width": picture.width,
        "height": picture.height,
        "bytes": len(picture.content),
        "sha256": sha256,
        "hashes": sorted({sent, sha256}),
        "fileId": add(picture.content),
        "made": [{"width": width, "file": add(one), "bytes": len(one)} for width, one in picture.made.items()],
    }


@operation(
    Scope.WRITE,
    Effect.CREATES,
    "POST /images",
    body=ImageFields,
    rest_query=UploadQuery,
    from_file=FileBody([str(one) for one in ImageType], FILE),
    errors=(BadRequest,),
    transaction=True,
    prepare=prepare_upload,
    location="images.getImage",
    toolsets=("planning",),
    next="Put `![alt](url)` into the text.",
    button="Upload",
)
def upload_image(ctx: Context, fields: Fields) -> Result[Image]:
    """Upload a picture: PNG, JPEG, WebP, GIF or AVIF, at most 20 MB and 50 million pixels.

    Metadata is removed. A file that the project has already gives the picture that is there.
    """
    prepared: Uploaded | Refusal = ctx.prepared
    if isinstance(prepared, Refusal):
        raise prepared
    record = prepared.record
    for sha256 in record["hashes"]:
        if known := ctx.store[Images].with_hash(ctx.project_id, sha256):
            return _result(ctx, known, is_new=False)
    if "id" in record:  # somebody deleted it meanwhile: the next try stores the file again
        raise WriteConflict
    if not ctx.store[Projects].count_up(ctx.project_id, "images", IMAGES_PER_PROJECT):
        raise BadRequest(errors=[Problem(field="body", message=FULL)])
    own = {
        "name": fields.get("name") or UNNAMED,
        "alt": fields.get("alt") or "",
        "createdAt": ctx.now,
        "createdBy": ctx.caller.actor,
        "usedAt": ctx.now,
    }
    return _result(ctx, ctx.store[Images].add(ctx.project_id, {**record, **own}, ctx.event("image.created")))


@operation(Scope.READ, Effect.READS, "GET /images", query=ImageQuery, toolsets=("planning", "reviewing"))
def list_images(ctx: Context, fields: Fields) -> Result[list[Image]]:
    """List the project's pictures, newest first.

    `q` finds words, the last one by its beginning.
    """
    condition = dict(found_by(*query_words(fields.get("q", ""))))
    if "used" in fields:
        condition |= among(ctx.store[Uses].used_keys(ctx.project_id), used=fields["used"])
    if "bare" in fields:
        condition |= {"alt": "" if fields["bare"] else {"$ne": ""}}
    images = ctx.store[Images]
    total = images.count(ctx.project_id, condition) if fields.get("count") else None
    found = images.page(ctx.project_id, condition, limit=fields["limit"], offset=fields["offset"])
    return Result([image_record(ctx, image) for image in found], total=total)


@operation(Scope.READ, Effect.READS, "GET /images/<id>", toolsets=("planning", "reviewing"))
def get_image(ctx: Context, image_id: str) -> Result[UsedImage]:
    """Read a picture, with the documents that use it."""
    image = own_image(ctx, image_id)
    uses = ctx.store[Uses].documents(ctx.project_id, image["key"], MAX_USES)
    tag = hashlib.sha256(repr(uses).encode()).hexdigest()[:8]
    return Result(used_record(ctx, image, uses), etag=f"{record_tag(image)}.{tag}")


@operation(
    Scope.WRITE,
    Effect.CHANGES,
    "PATCH /images/<id>",
    body=ImageChanges,
    arguments_as="upload_image",
    toolsets=("planning",),
)
def update_image(ctx: Context, image_id: str, fields: Fields) -> Result[Image]:
    """Change a picture's name or alternative text; published texts get them when they are published again."""
    image = ctx.check_match(own_image(ctx, image_id))
    changes = {"name": fields["name"] or UNNAMED} if "name" in fields else {}
    changes |= {"alt": fields["alt"]} if "alt" in fields else {}
    if all(image.get(name) == value for name, value in changes.items()):
        return _result(ctx, image)
    event = ctx.event("image.updated", {"fields": sorted(changes)})
    return _result(ctx, ctx.store[Images].update(ctx.project_id, image, changes, event))


@operation(
    Scope.WRITE,
    Effect.DESTROYS,
    "DELETE /images/<id>",
    errors=(ImageInUse,),
    transaction=True,
    toolsets=("planning",),
)
def delete_image(ctx: Context, image_id: str) -> Result[Image]:
    """Delete a picture that no document uses.

    An agent deletes its own; those of others with the scope `publish`.
    """
    image = ctx.check_match(own_image(ctx, image_id))
    is_own = image["createdBy"]["id"] == ctx.caller.token_id
    if ctx.caller.agent and not is_own and Scope.PUBLISH not in ctx.caller.scopes:
        raise Forbidden(
            "An agent deletes the pictures that it uploaded; others' need a token with the scope `publish`.",
            scope=str(Scope.PUBLISH),
        )
    if uses := ctx.store[Uses].documents(ctx.project_id, image["key"], MAX_USES):
        raise ImageInUse(usedIn=uses)
    return _result(ctx, remove_image(ctx, image))


def remove_image(ctx: Context, image: StoredImage) -> StoredImage:
    """Deletes a picture with its files; inside a transaction."""
    deleted = ctx.store[Images].delete(ctx.project_id, image, ctx.event("image.deleted"))
    ctx.store[Projects].count_down(ctx.project_id, "images")
    ctx.store[ImageFiles].delete([image["fileId"], *(one["file"] for one in image["made"])])
    return deleted


@operation(Scope.WRITE, Effect.DESTROYS, transaction=True)
def purge_image(ctx: Context, image_id: str) -> Result[Image]:
    """Delete a picture that nothing has used for long. For `purge --images`; one in use is `NotFound`."""
    image = own_image(ctx, image_id)
    if ctx.store[Uses].documents(ctx.project_id, image["key"], 1):
        raise NotFound
    return _result(ctx, remove_image(ctx, image))


def own_image(ctx: Context, image_id: str) -> StoredImage:
    """Returns a picture of the project. Refuses with `NotFound`."""
    return or_raise(ctx.store[Images].get(ctx.project_id, image_id), NotFound, *NO_IMAGE)


def _result(ctx: Context, image: StoredImage, *, is_new: bool = True) -> Result[Image]:
    return Result(image_record(ctx, image), etag=record_tag(image), is_new=is_new)
