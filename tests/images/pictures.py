"""Picture files, made for tests."""

import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

SECRET = b"Taken at 48.2082 N 16.3738 E"


def a_picture(kind: str = "PNG", size: tuple[int, int] = (700, 400), seed: int = 0, **options: Any) -> bytes:
    """Returns a picture; another seed makes another one."""
    drawn = Image.linear_gradient("L").resize(size).convert("RGB")
    drawn.paste((seed % 256, seed // 256 % 256, 128), (0, 0, max(1, size[0] // 4), max(1, size[1] // 4)))
    file = BytesIO()
    drawn.save(file, kind, **options)
    return file.getvalue()


def an_animation(kind: str, frames: int = 4, size: tuple[int, int] = (400, 300)) -> bytes:
    """Returns an animation."""
    drawn = [Image.linear_gradient("L").resize(size).rotate(10 * index).convert("RGB") for index in range(frames)]
    file = BytesIO()
    drawn[0].save(file, kind, save_all=True, append_images=drawn[1:], duration=80, loop=0)
    return file.getvalue()


def with_metadata(kind: str, *, orientation: int = 1) -> bytes:
    """Returns a picture with EXIF (place and orientation), and bytes after its end."""
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif[0x0112] = orientation
    place = exif.get_ifd(0x8825)
    place[1], place[2] = "N", (48.0, 12.0, 29.5)
    return a_picture(kind, exif=exif.tobytes()) + b"<script>alert(1)</script>"


def a_bomb(width: int, height: int) -> bytes:
    """Returns a PNG of a few KB that says it has as many pixels as you like."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * min(5_000_000, height * (1 + (width + 7) // 8)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
