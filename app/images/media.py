"""The file behind a picture's address, in its own width or in a smaller one that is made once."""

from collections.abc import Iterator
from dataclasses import dataclass

from gridfs.grid_file import GridOut

from app.core.concurrency import ConcurrencyLimit
from app.core.store.store import Store
from app.images.decoding import Undecodable, make_width, widths_of
from app.images.rules import StoredImage
from app.images.store import ImageFiles, Images
from app.images.vocabulary import ImageType

AT_ONCE = 256 * 1024
MAKING = ConcurrencyLimit(8, each=1, busy="A width of this picture is being made: try again in a moment.")
"""One width of a picture is made at a time."""


@dataclass(frozen=True)
class MediaFile:
    """What is behind an address."""

    id: str
    type: str
    bytes: int
    tag: str


def find_file(store: Store, key: str, width: int | None) -> MediaFile | None:
    """Returns the file of a picture, or of one of its widths, which is made where it is missing; None for no such.

    Refuses with `ServiceUnavailable` while too many are made.
    """
    image = store[Images].public(key)
    if image is None:
        return None
    if width is None:
        return MediaFile(image["fileId"], image["type"], image["bytes"], image["sha256"])
    if width not in widths_of(image["width"]):
        return None
    tag = f"{image['sha256']}-{width}"
    for made in image["made"]:
        if made["width"] == width:
            return MediaFile(made["file"], ImageType.WEBP, made["bytes"], tag)
    with MAKING.holding(image["id"]):
        return _make(store, image, width, tag)


def _make(store: Store, image: StoredImage, width: int, tag: str) -> MediaFile | None:
    """Makes a width and keeps it; one that another process made first stays."""
    content = store[ImageFiles].read(image["fileId"])
    try:
        smaller = make_width(content, width) if content else b""
    except Undecodable:
        smaller = b""
    if not smaller:
        return None
    file_id = store[ImageFiles].add(image["projectId"], image["key"], smaller)
    made = {"width": width, "file": file_id, "bytes": len(smaller)}
    if store[Images].add_width(image["projectId"], image["id"], made):
        return MediaFile(file_id, ImageType.WEBP, len(smaller), tag)
    store[ImageFiles].delete([file_id])
    again = store[Images].public(image["key"])
    others = again["made"] if again else []
    files = [MediaFile(one["file"], ImageType.WEBP, one["bytes"], tag) for one in others if one["width"] == width]
    return files[0] if files else None


def read_parts(store: Store, file: MediaFile, start: int, stop: int) -> Iterator[bytes]:
    """Yields a part of a file, each piece read under a deadline of its own when it is asked for."""
    stream: GridOut | None = None
    while start < stop:
        with store.deadline():
            if stream is None:
                stream = store[ImageFiles].open(file.id)
                stream.seek(start)
            piece = stream.read(min(AT_ONCE, stop - start))
        if not piece:
            return
        start += len(piece)
        yield piece
