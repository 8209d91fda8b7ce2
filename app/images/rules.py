"""A picture's record, its address, and the pictures that a text names (decisions, section 20)."""

import re
import secrets
from base64 import b32encode
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NotRequired

from typing_extensions import TypedDict

from app.core.actors import Actor
from app.core.records import Stored
from app.core.slugs import slug_of
from app.core.store.types import Values
from app.core.text.words import search_words
from app.images.vocabulary import ENDINGS, ImageType

IMAGES_PER_PROJECT: Final = 20_000
KEY: Final = "[a-z2-7]{26}"
ADDRESS: Final = re.compile(rf"/media/({KEY})(?![a-z2-7])")
"""An own picture's address, whatever stands before it; the name after the key says nothing."""
WHOLE_ADDRESS: Final = re.compile(rf"""(?<![^\s()<"'=])(https?://[^\s()<>"'=`,]*?)?/media/({KEY})(?![a-z2-7])""")
"""The same with what stands before it (`https://content.example.com`, or nothing), where html or markdown has one."""
OF_COVERS: Final = "cover:"
UNNAMED: Final = "image"
MAX_USES: Final = 20
_ENDING = re.compile(r"\.(?:png|jpe?g|webp|gif|avif|heic)$", re.IGNORECASE)


class Width(TypedDict):
    """A smaller width that was made."""

    width: int
    file: str
    """Id of its file."""
    bytes: int


class StoredImage(Stored):
    """A picture as the store returns it."""

    key: str
    name: str
    alt: str
    type: str
    width: int
    height: int
    bytes: int
    sha256: str
    hashes: list[str]
    """Hashes of the file as it was sent, and as it is stored."""
    fileId: str
    made: list[Width]
    usedAt: datetime
    """When it was created, or last seen in use by the worker."""
    createdBy: Actor
    deletedAt: NotRequired[datetime | None]


def new_key() -> str:
    """Returns the key of a new picture: 128 random bits."""
    return b32encode(secrets.token_bytes(16)).decode().rstrip("=").lower()


def file_name(image: Mapping[str, Any]) -> str:
    """Returns the last part of a picture's address: its name as a slug, with the format's ending."""
    stem = slug_of(_ENDING.sub("", image["name"])) or UNNAMED
    return f"{stem}.{ENDINGS[ImageType(image['type'])]}"


def address_of(image: Mapping[str, Any], beginning: str) -> str:
    """Returns a picture's address behind a beginning like `https://content.example.com`."""
    return f"{beginning}/media/{image['key']}/{file_name(image)}"


def srcset_of(address: str, widths: Sequence[int], width: int) -> str:
    """Returns the addresses of all widths of a picture, as html has them."""
    return ", ".join([*(f"{address}?w={one} {one}w" for one in widths), f"{address} {width}w"])


def beginning_of(address: str) -> str:
    """Returns what stands before `/media/` in an address of an own picture."""
    return address[: address.rindex("/media/")]


def without_beginnings(text: str) -> str:
    """Returns a text in which the addresses of pictures begin with `/media/`."""
    return WHOLE_ADDRESS.sub(r"/media/\2", text) if "/media/" in text else text


def keys_in(text: str) -> list[str]:
    """Returns the keys of the pictures that a text names, each once."""
    return list(dict.fromkeys(ADDRESS.findall(text))) if "/media/" in text else []


def keys_of_text(text: str) -> list[str] | None:
    """Returns what is stored with a text, so that a picture's uses are found; None for a text without pictures."""
    return keys_in(text) or None


def keys_of_cover(record: Values) -> list[str] | None:
    """Returns what is stored with a publication; None for one whose cover is no own picture."""
    return keys_in(record.get("coverImageUrl") or "") or None


def entries_of_covers(document: Values) -> list[str]:
    """Returns what a document is listed under: the picture of its cover, and of the cover that a restored one gets."""
    before = document.get("trashedPublication") or {}
    covers = f"{document.get('coverImageUrl') or ''} {before.get('coverImageUrl') or ''}"
    return [cover_entry(key) for key in keys_in(covers)]


def cover_entry(key: str) -> str:
    """Returns the entry of the documents whose cover is a picture."""
    return f"{OF_COVERS}{key}"


def words_of(image: Mapping[str, Any]) -> list[str]:
    """Returns the words that a picture is found by."""
    return search_words(image["name"], image["alt"])
