"""Decodes a picture that a stranger made, as a program of its own: what is wrong with it ends this process alone.

    python decoder.py store        < FILE    the picture as it is stored, and its smaller widths
    python decoder.py width 640    < FILE    one width

The output is a line of JSON, and then the parts that it names. It imports nothing of the service.
"""

import json
import resource
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import count
from typing import Any, Final

from PIL import AvifImagePlugin, GifImagePlugin, Image, ImageCms, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF", "AVIF")
PLUGINS: Final = (AvifImagePlugin, GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin)
"""Nothing else is imported, so no other format can be read."""
MAX_PIXELS: Final = 50_000_000
MAX_FRAMES: Final = 500
MAX_PIXELS_OF_FRAMES: Final = 250_000_000
WIDTHS: Final = (320, 640, 960, 1280, 1920, 2560)
MAX_WEBP: Final = 16_383
"""Maximum width and height of WebP."""
MAX_MEMORY: Final = 2 * 1024**3
MAX_CPU_SECONDS: Final = 90
MAX_PROFILE: Final = 512 * 1024
ORIENTATION: Final = 0x0112
TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""How a picture is turned, by its EXIF orientation."""
MODES: Final = {
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"),
    "JPEG": ("L", "RGB"),
    "WEBP": ("RGB", "RGBA"),
    "AVIF": ("RGB", "RGBA"),
    "GIF": ("P", "L"),
}
"""The modes in which a picture is stored in a format; others are converted."""

CLEAN: Final[dict[str, dict[str, bytes]]] = {
    "JPEG": {"exif": b"", "comment": b""},
    "WEBP": {"exif": b"", "xmp": b""},
    "AVIF": {"exif": b"", "xmp": b""},
}
"""Options by which Pillow leaves metadata out; PNG and GIF have none unless it is given."""

Image.MAX_IMAGE_PIXELS = MAX_PIXELS
warnings.simplefilter("error", Image.DecompressionBombWarning)


class Refused(Exception):
    """A picture that is not taken, and why."""


TOO_MANY_PIXELS: Final = f"Has more than {MAX_PIXELS:,} pixels: send a smaller picture."
TOO_MANY_FRAMES: Final = (
    f"Has more than {MAX_FRAMES} frames, or more than {MAX_PIXELS_OF_FRAMES:,} pixels in all of them: send a shorter "
    "or smaller one."
)
NOT_A_PICTURE: Final = (
    "Is not a PNG, JPEG, WebP, GIF or AVIF picture that can be decoded: it is damaged, or another file."
)


def open_picture(data: bytes) -> Any:
    """Returns a picture whose header was read and whose size is allowed."""
    try:
        picture = Image.open(BytesIO(data), formats=FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Refused(TOO_MANY_PIXELS) from None
    check_size(picture)
    return picture


def check_size(picture: Any) -> None:
    """Refuses a picture with too many pixels, before they are decoded."""
    if picture.width * picture.height > MAX_PIXELS:
        raise Refused(TOO_MANY_PIXELS)


def durations_of(picture: Any) -> list[int]:
    """Decodes every frame, and returns how long each is shown, in milliseconds. Refuses too many."""
    durations: list[int] = []
    for index in count():
        try:
            picture.seek(index)
        except EOFError:
            return durations
        if index >= MAX_FRAMES or picture.width * picture.height * (index + 1) > MAX_PIXELS_OF_FRAMES > MAX_PIXELS:
            raise Refused(TOO_MANY_FRAMES)
        check_size(picture)
        picture.load()
        durations.append(int(picture.info.get("duration") or 0))
        if picture.format == "MPO":  # the frames of a JPEG with several are other views of it
            return durations
    return durations


def profile_of(picture: Any) -> bytes | None:
    """Returns a picture's colour profile, where it is one."""
    profile = picture.info.get("icc_profile")
    if not profile or len(profile) > MAX_PROFILE:
        return None
    try:
        ImageCms.ImageCmsProfile(BytesIO(profile))
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
    return bytes(profile)


def orientation_of(picture: Any) -> Any:
    """Returns how a picture is to be turned, None for not at all."""
    try:
        return TURNS.get(picture.getexif().get(ORIENTATION))
    except Exception:  # whatever is wrong with EXIF is not shown
        return None


def in_mode(picture: Any, name: str) -> tuple[Any, bytes | None]:
    """Returns a picture in a mode of a format, and the colour profile that it has then."""
    profile = profile_of(picture)
    if picture.mode in MODES[name]:
        return picture, profile
    if picture.mode == "CMYK" and profile:
        with suppress(ImageCms.PyCMSError):
            srgb = ImageCms.createProfile("sRGB")
            turned = ImageCms.profileToProfile(
                picture, ImageCms.ImageCmsProfile(BytesIO(profile)), srgb, outputMode="RGB"
            )
            return turned, None
    has_alpha = picture.has_transparency_data and "RGBA" in MODES[name]
    if picture.mode.startswith("I") or picture.mode == "F":  # 16 bits and more
        picture = picture.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    kept = profile if picture.mode in ("RGB", "RGBA", "P", "PA") else None
    return picture.convert("RGBA" if has_alpha else "RGB"), kept


def encoded(picture: Any, name: str, **options: Any) -> bytes:
    """Returns a picture in a format, without anything but its pixels and its colour profile."""
    picture, profile = in_mode(picture, name)
    file = BytesIO()
    picture.save(file, name, icc_profile=profile, **CLEAN.get(name, {}), **options)
    return file.getvalue()


def smaller(picture: Any, width: int) -> Any:
    """Returns a picture in a smaller width."""
    if picture.mode not in ("L", "RGB", "RGBA"):
        picture = in_mode(picture, "WEBP")[0]
    size = (width, max(1, min(MAX_WEBP, round(picture.height * width / picture.width))))
    resized = picture.resize(size, Image.Resampling.LANCZOS, reducing_gap=3.0)
    resized.info = {name: value for name, value in picture.info.items() if name == "icc_profile"}
    return resized


def widths_of(picture: Any) -> Iterator[tuple[int, bytes]]:
    """Yields the smaller widths, the largest first, each made of the one before."""
    for width in sorted((one for one in WIDTHS if one < picture.width), reverse=True):
        picture = smaller(picture, width)
        yield width, encoded(picture, "WEBP", quality=80, method=3)


class Frames:
    """The frames of a picture from the second one on, in another width: one at a time, as WebP's writer asks."""

    def __init__(self, picture: Any, width: int, frames: int) -> None:
        self._picture, self._width, self._frame = picture, width, None
        self.n_frames = frames - 1
        self.info: dict[str, Any] = {}

    def seek(self, index: int) -> None:
        self._picture.seek(index + 1)
        self._frame = smaller(self._picture.convert("RGBA"), self._width)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._frame, name)


def moving(picture: Any, width: int) -> bytes:
    """Returns an animation in a smaller width."""
    durations = durations_of(picture)
    picture.seek(0)
    first = smaller(picture.convert("RGBA"), width)
    file, loop = BytesIO(), picture.info.get("loop", 1 if picture.format == "GIF" else 0)
    first.save(
        file,
        "WEBP",
        save_all=True,
        append_images=[Frames(picture, width, len(durations))],
        duration=durations,
        loop=loop,
        quality=75,
        method=0,
        exif=b"",
        xmp=b"",
        background=(0, 0, 0, 0),
    )
    return file.getvalue()


def stored(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Returns what a picture is, and its parts: the file to store, empty where the caller strips it, and its widths."""
    picture = open_picture(data)
    name = "JPEG" if picture.format == "MPO" else picture.format
    durations = durations_of(picture)
    if not durations:
        raise Refused(NOT_A_PICTURE)
    if len(durations) > 1:
        return _moving(picture, name, durations)
    picture.seek(0)
    picture.load()
    turn, keep, format_before = orientation_of(picture), {}, picture.format
    if turn is not None:
        info = picture.info
        picture = picture.transpose(turn)
        picture.info = info
    fits_webp = max(picture.size) <= MAX_WEBP
    strips = (name == "WEBP" and turn is None) or (name == "GIF" and not fits_webp)
    if name in ("GIF", "AVIF") and fits_webp:
        keep, name = {"lossless": name == "GIF", "quality": 88, "method": 3}, "WEBP"
    elif name == "JPEG":
        is_as_sent = turn is None and format_before == "JPEG" and picture.mode in MODES["JPEG"]
        keep = {"quality": "keep" if is_as_sent else 92}
    elif name == "WEBP":
        keep = {"quality": 92, "method": 3}
    elif name == "AVIF":
        keep = {"quality": 80, "speed": 9}
    file = b"" if strips else encoded(picture, name, **keep)
    made = dict(widths_of(picture)) if picture.height * min(WIDTHS) / picture.width <= MAX_WEBP else {}
    about = {"format": name, "width": picture.width, "height": picture.height, "strips": strips, "widths": [*made]}
    return about, [file, *made.values()]


def _moving(picture: Any, name: str, durations: list[int]) -> tuple[dict[str, Any], list[bytes]]:
    picture.seek(0)
    about = {"format": name, "width": picture.width, "height": picture.height, "strips": name != "AVIF", "widths": []}
    if name != "AVIF":
        return about, [b""]
    file = BytesIO()
    picture.save(file, name, save_all=True, duration=durations, speed=9, quality=70, exif=b"", xmp=b"")
    return about, [file.getvalue()]


def one_width(data: bytes, width: int) -> tuple[dict[str, Any], list[bytes]]:
    """Returns one width of a stored picture."""
    picture = open_picture(data)
    if getattr(picture, "n_frames", 1) > 1 and picture.format != "MPO":
        return {}, [moving(picture, width)]
    picture.draft(None, (width * 2, width * 2)) if picture.format == "JPEG" else None
    picture.load()
    return {}, [encoded(smaller(picture, width), "WEBP", quality=80, method=3)]


def main(task: str, *arguments: str) -> None:
    """Reads a file from standard input, and writes what became of it to standard output."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU_SECONDS, MAX_CPU_SECONDS))
    data = sys.stdin.buffer.read()
    try:
        about, parts = one_width(data, int(arguments[0])) if task == "width" else stored(data)
    except Refused as refused:
        about, parts = {"refused": str(refused)}, []
    except Exception:  # whatever the decoders raise for bytes that are no picture
        about, parts = {"refused": NOT_A_PICTURE}, []
    head = json.dumps({**about, "parts": [len(part) for part in parts]}).encode()
    sys.stdout.buffer.write(head + b"\n" + b"".join(parts))


if __name__ == "__main__":
    main(*sys.argv[1:])
