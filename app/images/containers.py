"""Removes from a picture's file all that is not the picture: metadata, comments, what follows its end.

For files that are stored as they were sent: animations, whose frames would lose by being written again, and WebP. They
were decoded before, so a structure that makes no sense here is a bug, not a stranger's file.
"""

from collections.abc import Callable, Iterator, Mapping

from app.images.vocabulary import ImageType

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_CHUNKS = frozenset(b"IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP sBIT cICP acTL fcTL fdAT".split())
WEBP_CHUNKS = frozenset((b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))
OF_FRAMES = frozenset((b"VP8 ", b"VP8L", b"ALPH"))
EXIF_AND_XMP = 0x08 | 0x04
"""The flags of the chunk `VP8X` that promise both."""
FRAME_HEADER = 16
LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


class Malformed(ValueError):
    """A file that ends in the middle of a part."""


def stripped(kind: str, data: bytes) -> bytes:
    """Returns a file without anything but the picture. Raises `Malformed`."""
    return STRIPPERS[kind](data)


def strip_png(data: bytes) -> bytes:
    """Returns a PNG with the chunks that make the picture, up to its end."""
    kept, at = [PNG_SIGNATURE], len(PNG_SIGNATURE)
    while True:
        length = int.from_bytes(_piece(data, at, 4), "big")
        chunk = _piece(data, at, length + 12)
        name = chunk[4:8]
        if name in PNG_CHUNKS:
            kept.append(chunk)
        if name == b"IEND":
            return b"".join(kept)
        at += length + 12


def strip_webp(data: bytes) -> bytes:
    """Returns a WebP with the chunks that make the picture, within the length that it states."""
    length = int.from_bytes(_piece(data, 4, 4), "little")
    kept = b"".join(_webp_chunk(name, body) for name, body in _chunks(data[12 : 8 + length]) if name in WEBP_CHUNKS)
    return b"RIFF" + (len(kept) + 4).to_bytes(4, "little") + b"WEBP" + kept


def _webp_chunk(name: bytes, body: bytes) -> bytes:
    if name == b"VP8X":
        body = bytes([body[0] & ~EXIF_AND_XMP]) + body[1:10]
    if name == b"ANMF":
        inner = [_riff_chunk(one, part) for one, part in _chunks(body[FRAME_HEADER:]) if one in OF_FRAMES]
        body = body[:FRAME_HEADER] + b"".join(inner)
    return _riff_chunk(name, body)


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + len(body).to_bytes(4, "little") + body + b"\0" * (len(body) % 2)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(data):
        length = int.from_bytes(data[at + 4 : at + 8], "little")
        yield data[at : at + 4], _piece(data, at + 8, length)
        at += 8 + length + length % 2


def strip_gif(data: bytes) -> bytes:
    """Returns a GIF with its frames and its loop, up to its trailer."""
    at = 13 + _colours(_piece(data, 10, 1)[0])
    kept = [_piece(data, 0, at)]
    while at < len(data):
        kind = data[at]
        if kind == 0x2C:
            end = _end_of_blocks(data, at + 11 + _colours(_piece(data, at + 9, 1)[0]))
        elif kind == 0x21:
            end = _end_of_blocks(data, at + 2)
        else:
            break
        block = data[at:end]
        if kind == 0x2C or block[1] == 0xF9 or (block[1] == 0xFF and block[3:14] in LOOPS and len(block) <= 19):
            kept.append(block)
        at = end
    return b"".join(kept) + b";"


def _colours(flags: int) -> int:
    """Returns the length of the table of colours that flags announce."""
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _end_of_blocks(data: bytes, at: int) -> int:
    """Returns where a list of blocks ends, each with its length before it."""
    while length := _piece(data, at, 1)[0]:
        at += 1 + length
    return at + 1


def _piece(data: bytes, at: int, length: int) -> bytes:
    piece = data[at : at + length]
    if len(piece) < length:
        raise Malformed
    return piece


STRIPPERS: Mapping[str, Callable[[bytes], bytes]] = {
    ImageType.PNG: strip_png,
    ImageType.WEBP: strip_webp,
    ImageType.GIF: strip_gif,
}
