"""Pictures in an export, each a line with its file, and as an import takes them back (decisions, section 20)."""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.store.store import Store
from app.images.decoding import Undecodable, decode
from app.images.rules import ADDRESS, new_key
from app.images.store import ImageFiles, Images
from app.transfers.rules import line_of

Record = Mapping[str, Any]

ADDRESSED = ("text", "coverImageUrl", "imageUrl")
"""The fields of lines that have addresses of pictures."""


def picture_lines(store: Store, images: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """Yields the lines of pictures; one that was deleted since the export began is left out."""
    for image in images:
        with store.deadline():
            data = None if image.get("deletedAt") else store[ImageFiles].read(image["fileId"])
        if data is not None:
            file = {"mediaType": image["type"], "data": base64.b64encode(data).decode()}
            yield line_of(store.features, "image", {**image, **file})


def problems_of_picture(line: Record) -> Iterator[str]:
    """Yields what is wrong with the line of a picture: its file is decoded."""
    try:
        data = base64.b64decode(line["data"], validate=True)
    except (binascii.Error, ValueError):
        yield "Its `data` is not base64."
        return
    if hashlib.sha256(data).hexdigest() != line["sha256"] or len(data) != line["bytes"]:
        yield "Its `data` is not the file that `sha256` and `bytes` say."
        return
    try:
        picture = decode(data)
    except Undecodable as error:
        yield f"data: {error}"
        return
    if (picture.type, picture.width, picture.height) != (line["mediaType"], line["width"], line["height"]):
        yield "Its `mediaType`, `width` and `height` are not those of its file."


@dataclass
class ImportedPictures:
    """The pictures of an import: those that are new, and the keys that all have in this project."""

    store: Store
    project_id: str
    keys: dict[str, str] = field(default_factory=dict)
    """The key in this project of each key in the lines that has another one there."""

    def stored(self, lines: Iterable[Record]) -> list[dict[str, Any]]:
        """Stores the files of lines, and returns the records of those that the project does not have."""
        return [record for line in lines if (record := self._stored(line)) is not None]

    def _stored(self, line: Record) -> dict[str, Any] | None:
        images = self.store[Images]
        there = images.with_hash(self.project_id, line["sha256"])
        if there is not None:
            self._rename(line["key"], there["key"])
            return None
        key = new_key() if images.public(line["key"]) else line["key"]
        self._rename(line["key"], key)
        file_id = self.store[ImageFiles].add(self.project_id, key, base64.b64decode(line["data"]))
        own = {name: value for name, value in line.items() if name not in ("data", "mediaType")}
        file = {"type": line["mediaType"], "fileId": file_id, "made": [], "usedAt": line["createdAt"]}
        return {**own, **file, "key": key, "hashes": sorted({*line["hashes"], line["sha256"]})}

    def _rename(self, old: str, new: str) -> None:
        if old != new:
            self.keys[old] = new

    def with_addresses(self, value: Any, name: str = "") -> Any:
        """Returns a record with the present address of each picture in its texts, covers and portraits."""
        if not self.keys:
            return value
        if isinstance(value, dict):
            return {key: self.with_addresses(inner, key) for key, inner in value.items()}
        if name in ADDRESSED and isinstance(value, str):
            return ADDRESS.sub(lambda found: f"/media/{self.keys.get(found[1], found[1])}", value)
        return value
