"""What html and covers have of the project's own pictures (decisions, section 20).

Published html has an own picture with its widths, behind the beginning that the text has. When it is delivered, the
beginning is replaced by the present one: such an element alone has `srcset`, which no author can write.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from html import escape
from typing import Any

from app.core.context import Context
from app.images.decoding import widths_of
from app.images.responses import beginning
from app.images.rules import KEY, StoredImage, beginning_of, file_name, srcset_of
from app.images.store import own_pictures

SIZES = "(max-width: 60rem) 100vw, 60rem"
_ELEMENT = re.compile(r'<img((?: [a-z-]+="[^"]*")*)>')
_ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
_OWN = re.compile(r'<img src="([^"]*)" srcset="([^"]*)"')
_BEGINNING = re.compile(rf"[^\s,]*/media/(?={KEY}/)")


def publish_html(ctx: Context, html: str) -> str:
    """Returns html whose own pictures have their size, their widths, and the alternative text of their record."""
    if "/media/" not in html:
        return html
    images = own_pictures(ctx, _sources(html))
    if not images:
        return html
    count = 0

    def complete(element: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return _complete(element, images, is_first=count == 1)

    return _ELEMENT.sub(complete, html)


def _sources(html: str) -> Iterator[str]:
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


def deliver_html(ctx: Context, html: str) -> str:
    """Returns published html whose own pictures have the present beginning, where one is configured."""
    begins = escape(beginning(ctx))
    if not begins or "/media/" not in html:
        return html

    def replaced(found: re.Match[str]) -> str:
        src, srcset = (_BEGINNING.sub(lambda _: f"{begins}/media/", value) for value in found.groups())
        return f'<img src="{src}" srcset="{srcset}"'

    return _OWN.sub(replaced, html)


def alts_for_checks(ctx: Context, document: Any, markdown: str) -> Mapping[str, Any]:
    """Returns what the check `image_alt` asks for the alternative texts of own pictures, by their addresses."""
    return {"image_alts": partial(_alts, ctx)}


def _alts(ctx: Context, addresses: Iterable[str]) -> Mapping[str, str]:
    return {address: image["alt"] for address, image in own_pictures(ctx, addresses).items()}
