"""The kinds of pictures."""

from enum import StrEnum


class ImageType(StrEnum):
    """Media types of pictures that are taken and delivered."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    WEBP = "image/webp"
    GIF = "image/gif"
    AVIF = "image/avif"


ENDINGS = {
    ImageType.PNG: "png",
    ImageType.JPEG: "jpg",
    ImageType.WEBP: "webp",
    ImageType.GIF: "gif",
    ImageType.AVIF: "avif",
}
"""The ending of a file's name in its address."""

OF_FORMAT = {"PNG": ImageType.PNG, "JPEG": ImageType.JPEG, "WEBP": ImageType.WEBP, "GIF": ImageType.GIF} | {
    "AVIF": ImageType.AVIF
}
"""The type of each format of Pillow."""
