"""Uploads the pictures that a markdown file names by paths inside its folder or its site (decisions, section 20)."""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from app.cli.calling import call
from app.core.context import Context
from app.core.errors import Refusal
from app.core.text.content import content_of
from app.images.operations import update_image, upload_image
from app.images.rules import ADDRESS, without_beginnings
from app.transfers.commands.generators import FOLDERS

COVER = "coverImageUrl"
MAX_BYTES = 20 * 1024 * 1024
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".avif")


class NotUploaded(Exception):
    """A picture that is not there or not taken; the message says why."""


@dataclass
class PictureFiles:
    """The pictures of one markdown file."""

    ctx: Context
    folder: Path
    site: Path
    """The root of the site, in which pictures are looked for too."""
    file: Path
    host: str = ""
    """That of the site: an address with it is read as a path."""
    missing: list[str] = field(default_factory=list)
    """The addresses of those that could not be uploaded, with why."""
    alts: dict[str, str] = field(default_factory=dict)
    """The alternative text of each picture, by its hash; shared by the files of an import."""
    other_alt: str = ""
    """That of the cover, if the file names another one."""

    def uploaded(self, fields: Mapping[str, Any], cover_alt: str = "") -> dict[str, Any]:
        """Returns the file's fields with the addresses of the pictures that were uploaded.

        One that is missing keeps its address in the text; a cover is left out. A picture gets the first alternative
        text that a file names; a cover's is the first of its file.
        """
        if cover_alt:
            return self._with_text(self._with_cover(fields, cover_alt))
        return self._with_cover(self._with_text(fields), "")

    def _with_text(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        changed, markdown = dict(fields), fields.get("markdown")
        if isinstance(markdown, str):
            content = content_of(markdown)
            named = {address: alt for address, alt, _ in content.images}
            for address, _ in content.links:
                if self._names_file(address) and urlsplit(address).path.lower().endswith(SUFFIXES):
                    named.setdefault(address, "")
            for address, alt in named.items():
                if self._names_file(address) and (url := self._url(address, alt)):
                    markdown = replaced(markdown, address, without_beginnings(url))
            changed["markdown"] = markdown
        return changed

    def _with_cover(self, fields: Mapping[str, Any], alt: str) -> dict[str, Any]:
        changed, cover = dict(fields), fields.get(COVER)
        if isinstance(cover, str) and self._names_file(cover):
            if is_path(cover):
                changed.pop(COVER)
            if url := self._url(cover, alt, is_cover=True):
                changed[COVER] = url
        return changed

    def _names_file(self, address: str) -> bool:
        return is_path(address) or is_path(path_on(self.host, address))

    def _url(self, address: str, alt: str, *, is_cover: bool = False) -> str | None:
        try:
            return self._upload(address, alt.strip()[:500], is_cover=is_cover)
        except NotUploaded as error:
            self.missing.append(f"{address} ({error})")
        except Refusal as refusal:
            self.missing.append(f"{address} ({' '.join(refusal.lines)})")
        return None

    def _upload(self, address: str, alt: str, *, is_cover: bool) -> str:
        path = unquote(urlsplit(address).path).replace("\0", "")
        if Path(path).suffix.lower() not in SUFFIXES:
            raise NotUploaded("not a PNG, JPEG, WebP, GIF or AVIF file")
        beside = () if path.startswith("/") else (self.file.parent,)
        places = (*beside, self.site, *(self.site / one for one in FOLDERS))
        files = [Path(os.path.realpath(place / path.lstrip("/"))) for place in places]
        inside = [one for one in files if one.is_relative_to(self.folder) or one.is_relative_to(self.site)]
        picture = next((one for one in inside if os.path.isfile(one)), None)  # noqa: PTH113  # long names
        if picture is None:
            raise NotUploaded("no such file in the folder; `--site` names the root of a site")
        if picture.stat().st_size > MAX_BYTES:
            raise NotUploaded("over 20 MB")
        content = picture.read_bytes()
        image = upload_image(replace(self.ctx, file=content), fields={"name": picture.name[:200], "alt": alt}).body
        of_file = hashlib.sha256(content).hexdigest()
        known = self.alts[of_file] = self.alts.get(of_file) or image["alt"] or alt
        if alt and not image["alt"] and not self.ctx.dry_run:
            call(self.ctx, update_image, image["id"], alt=alt)
        if is_cover and alt and alt != known:
            self.other_alt = known
        return str(image["url"])


def is_path(address: str) -> bool:
    """Returns whether an address is a path of a file, and not of a picture of this service."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.path) and not (parts.scheme or parts.netloc or ADDRESS.match(address))


def path_on(host: str, address: str) -> str:
    """Returns an address with a host from its path on; nothing for one with another host, or none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    is_there = parts.netloc and parts.netloc.casefold() == host.casefold()
    return parts._replace(scheme="", netloc="").geturl() if is_there else ""


def replaced(markdown: str, address: str, url: str) -> str:
    """Returns markdown with another address of a picture or link, wherever an address can stand."""
    written = "|".join({re.escape(address), re.escape(unquote(address))})
    before = r"(\]\(\s*<?|^ {0,3}\[[^\]\n]+\]:\s*<?|\b(?:src|href)\s*=\s*[\"']?|(?:<|(?<!\S))(?=https?:))"
    pattern = re.compile(rf"{before}(?:{written})(?=[\s)>\"'])", re.MULTILINE)
    return pattern.sub(lambda found: found[1] + url, markdown + "\n")[:-1]
