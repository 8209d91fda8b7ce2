"""Pictures in an export, each a line with its file, and as an import takes them back (decisions, section 20)."""

import base64
import binascii
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.core.context import Context
from app.core.store.store import Store
from app.images.decoding import Undecodable, decode
from app.images.html import sources_in, with_pictures
from app.images.rules import ADDRESS, new_key
from app.images.store import ImageFiles, Images, own_pictures
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

    ctx: Context
    keys: dict[str, str] = field(default_factory=dict)
    """The key in this project of each key in the lines that has another one there."""
    new: list[dict[str, Any]] = field(default_factory=list)
    """The records of the last lines, which are not written yet."""

    def stored(self, lines: Iterable[Record]) -> list[dict[str, Any]]:
        """Stores the files of lines, and returns the records of those that the project does not have."""
        self.new = [record for line in lines if (record := self._stored(line)) is not None]
        return self.new

    def publish_html(self, html: str) -> str:
        """Returns the html of an imported text as it is published."""
        if "/media/" not in html or "images" not in self.ctx.features:
            return html
        new: dict[str, Any] = {image["key"]: image for image in self.new}
        named = {one: found[1] for one in sources_in(html) if (found := ADDRESS.search(one))}
        with self.ctx.store.deadline():
            known = own_pictures(self.ctx, named)
        return with_pictures(html, {one: new[key] for one, key in named.items() if key in new} | known)

    def _stored(self, line: Record) -> dict[str, Any] | None:
        images, project_id = self.ctx.store[Images], self.ctx.project_id
        there = images.with_hash(project_id, line["sha256"])
        if there is not None:
            self._rename(line["key"], there["key"])
            return None
        key = new_key() if images.public(line["key"]) else line["key"]
        self._rename(line["key"], key)
        file_id = self.ctx.store[ImageFiles].add(project_id, key, base64.b64decode(line["data"]))
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
