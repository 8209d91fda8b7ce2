"""Pictures as they are stored, and in smaller widths; the work is done by a program (`decoder.py`), two at a time."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from app.core.concurrency import ConcurrencyLimit
from app.core.store.request_time import standing_still
from app.images.containers import Malformed, stripped
from app.images.vocabulary import OF_FORMAT, ImageType

PROGRAM: Final = Path(__file__).with_name("decoder.py")
SECONDS: Final = 120
WIDTHS: Final = (320, 640, 960, 1280, 1920, 2560)
NOT_DECODED: Final = "Takes too long or too much memory to be decoded: send a smaller picture."
DAMAGED: Final = "Is damaged, and can't be stored as it is."

DECODED = ConcurrencyLimit(
    2,
    each=2,
    busy="Two pictures are being processed already: send the request again in a few seconds, with the same key.",
)
"""Pictures that a process has decoded or made at the same time."""


class Undecodable(Exception):
    """A file that is no picture that is taken; the message says why."""


@dataclass(frozen=True)
class Picture:
    """A picture as it is stored."""

    content: bytes
    type: ImageType
    width: int
    height: int
    made: Mapping[int, bytes]
    """The smaller widths that were made at once; those of an animation are made when they are first asked for."""


def decode(data: bytes) -> Picture:
    """Returns a picture as it is to be stored. Raises `Undecodable`; refuses with `ServiceUnavailable`."""
    about, (content, *made) = _run(data, "store")
    kind = OF_FORMAT[about["format"]]
    if about["strips"]:
        try:
            content = stripped(kind, data)
        except (Malformed, IndexError):
            raise Undecodable(DAMAGED) from None
    return Picture(content, kind, about["width"], about["height"], dict(zip(about["widths"], made, strict=True)))


def make_width(content: bytes, width: int) -> bytes:
    """Returns a stored picture in a smaller width. Raises as `decode` does."""
    _, (made,) = _run(content, "width", str(width))
    return made


def widths_of(width: int) -> list[int]:
    """Returns the widths that a picture is delivered in, besides its own."""
    return [one for one in WIDTHS if one < width]


def _run(data: bytes, *task: str) -> tuple[dict[str, Any], list[bytes]]:
    command = [sys.executable, "-P", str(PROGRAM), *task]  # -P: without this folder on the path of modules
    with DECODED.holding("pictures"), standing_still():
        try:
            done = subprocess.run(
                command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, timeout=SECONDS
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            raise Undecodable(NOT_DECODED) from None
    head, _, rest = done.stdout.partition(b"\n")
    about = orjson.loads(head)
    if "refused" in about:
        raise Undecodable(about["refused"])
    parts, at = [], 0
    for length in about["parts"]:
        parts.append(rest[at : at + length])
        at += length
    return about, parts
