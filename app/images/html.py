"""What html, markdown and checks have of the project's own pictures (decisions, section 20).

Published html has an own picture with its widths, behind the beginning that the text has. When a text is delivered,
that is replaced by the present one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from app.core.context import Context
from app.images.decoding import widths_of
from app.images.responses import beginning
from app.images.rules import WHOLE_ADDRESS, StoredImage, beginning_of, file_name, srcset_of
from app.images.store import Images, own_pictures

SIZES = "(max-width: 60rem) 100vw, 60rem"
_ELEMENT = re.compile(r'<img((?: [a-z-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')


def publish_html(ctx: Context, html: str) -> str:
    """Returns html whose own pictures have their size, their widths, and the alternative text of their record."""
    if "/media/" not in html:
        return html
    return with_pictures(html, own_pictures(ctx, sources_in(html)))


def with_pictures(html: str, images: Mapping[str, StoredImage]) -> str:
    """Returns html with what `publish_html` adds to pictures, given those by their addresses."""
    count = 0

    def complete(element: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return _complete(element, images, is_first=count == 1)

    return _ELEMENT.sub(complete, html) if images else html


def sources_in(html: str) -> Iterator[str]:
    """Yields the addresses of the images in rendered html."""
    for element in _ELEMENT.finditer(html):
        yield from (value for name, value in _ATTRIBUTE.findall(element[1]) if name == "src")


def _complete(element: re.Match[str], images: Mapping[str, StoredImage], *, is_first: bool) -> str:
    attributes = dict(_ATTRIBUTE.findall(element[1]))
    source = attributes.pop("src", "")
    image = images.get(source)
    if image is None:
        return element[0]
    full = f"{beginning_of(source)}/media/{image['key']}/{file_name(image)}"
    if not attributes.keys() & {"width", "height"}:
        attributes |= {"width": str(image["width"]), "height": str(image["height"])}
    if not attributes.get("alt", "").strip():
        attributes["alt"] = escape(image["alt"])
    attributes |= {} if is_first else {"loading": "lazy"}
    widths = srcset_of(full, widths_of(image["width"]), image["width"])
    own = {"src": source, "srcset": widths, "sizes": SIZES, **attributes, "decoding": "async"}
    return f"<img{''.join(f' {name}={chr(34)}{value}{chr(34)}' for name, value in own.items())}>"


def deliver_texts(ctx: Context, texts: Sequence[str]) -> Sequence[str]:
    """Returns html and markdown whose own pictures have the present beginning, else their own, else the request's."""
    present = escape(beginning(ctx))
    found = [one.groups() for text in texts if "/media/" in text for one in WHOLE_ADDRESS.finditer(text)]
    others = {key for begins, key in found if not begins or present not in ("", begins)}
    own = ctx.store[Images].by_keys(ctx.project_id, others)

    def delivered(address: re.Match[str]) -> str:
        begins, key = address.groups()
        begins = present or begins or ctx.server.address().rstrip("/")
        return f"{begins}/media/{key}" if key in own else address[0]

    return [WHOLE_ADDRESS.sub(delivered, text) for text in texts] if own else texts


def alts_for_checks(ctx: Context, document: Any, markdown: str) -> Mapping[str, Any]:
    """Returns what the check `image_alt` asks for the alternative texts of own pictures, by their addresses."""
    return {"image_alts": partial(_alts, ctx)}


def _alts(ctx: Context, addresses: Iterable[str]) -> Mapping[str, str]:
    return {address: image["alt"] for address, image in own_pictures(ctx, addresses).items()}
