"""Cover images that are own pictures, on the delivery API and in the feed (decisions, section 20)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from app.core.context import Context
from app.delivery.responses import DeliveredImage
from app.images.decoding import widths_of
from app.images.responses import beginning
from app.images.rules import address_of, beginning_of, srcset_of
from app.images.store import own_pictures


@dataclass(frozen=True)
class DeliveredCover(DeliveredImage):
    """A cover image; of one elsewhere nothing is known but its address."""

    width: int | None = None
    height: int | None = None
    alt: str | None = None
    srcset: str | None = None

    def shown(self) -> dict[str, Any]:
        """Returns the image as JSON shows one."""
        return {"url": self.url, "width": self.width, "height": self.height, "alt": self.alt, "srcset": self.srcset}


def covers(ctx: Context, addresses: Collection[str]) -> Mapping[str, DeliveredImage]:
    """Returns cover images by the addresses that documents have for them; own pictures with all about them."""
    known: dict[str, DeliveredImage] = {address: DeliveredCover(address) for address in addresses}
    for address, image in own_pictures(ctx, addresses).items():
        url = address_of(image, beginning(ctx) or beginning_of(address))
        srcset = srcset_of(url, widths_of(image["width"]), image["width"])
        size = {"width": image["width"], "height": image["height"]}
        known[address] = DeliveredCover(
            url, image["type"], image["bytes"], **size, alt=image["alt"] or None, srcset=srcset
        )
    return known
