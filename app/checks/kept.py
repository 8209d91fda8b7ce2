"""What a text loses on its way to html: elements, attributes and addresses that the html can't have.

(decisions, section 21)
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from html import unescape
from urllib.parse import unquote

import regex

from app.checks.addresses import page_of
from app.core.text.content import Content, Passage
from app.core.text.html import ATTRIBUTES, CLASSES, ELEMENTS, MARKUP, SCHEMES, TASK_BOX
from app.core.text.markdown import LONG, parsed_html
from app.delivery.site_addresses import page_url

EMBEDDED = frozenset({"audio", "canvas", "embed", "frame", "iframe", "object", "svg", "video"})
CHILDREN = frozenset({"param", "source", "track"})
"""Elements that say something of the one around them, which is named."""
MOST_KINDS = 100

_ATTRIBUTE = regex.compile(r"""\s([^\s"'<>/=]+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++)))?""")
_SCHEME = regex.compile(r"[\x00-\x20]*+([a-z][a-z0-9+.-]*+):", regex.IGNORECASE)
_SLUG = regex.compile(r"(?:\.\.?/)?([^/?#:\s]+)/?(?:[?#].*)?")
_MARK = "slug-of-a-page"
_WEB = frozenset({"", "http", "https"})
_ID = regex.compile(
    r"""<(?:h[1-6]|a|li)\b[^<>]*?\sid\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'=<>`]++))""", regex.IGNORECASE
)


_MAY_LOSE = re.compile(r"<[a-z/!?]|(?:xmpp|ftp):|\](?:\(|:)[\s>]*+(?:<|(?!https?:)[^\s/?#()]*?[:&\\])", re.IGNORECASE)
"""Raw html; a bare address of another scheme; a destination that may begin with one."""


def may_lose(markdown: str) -> bool:
    """Returns whether a text may lose something, without parsing it: False where `losses_of` would find nothing."""
    return len(markdown) > LONG or _MAY_LOSE.search(markdown) is not None


def losses_of(content: Content) -> Iterator[Passage]:
    """Yields a message for each kind of thing that is lost, with the line where it is lost first."""
    kinds: dict[str, int] = {}
    for html, line in content.raw_html:
        end = 0
        for found in MARKUP.finditer(html):
            line += html.count("\n", end, found.start())
            end = found.start()
            for message in _lost_of_tag(found):
                kinds.setdefault(message, line)
        if len(kinds) >= MOST_KINDS:
            break
    places = [(address, line, False) for address, line in content.links]
    places += [(address, line, True) for address, _, line in content.images]
    for address, line, is_image in places:
        if lost := _lost_of_address(address, is_image=is_image):
            kinds[lost] = min(line, kinds.get(lost, line))
    yield from sorted(kinds.items(), key=lambda kind: kind[1])


def _lost_of_tag(found: re.Match[str]) -> Iterator[str]:
    tag = found[0]
    name = (found["name"] or found[1] or "").lower()
    if not name or found["end"]:
        return
    if name in EMBEDDED:
        yield f"The embedded <{name}> is removed: link to it instead."
    elif name == "input" and not TASK_BOX.fullmatch(tag):
        yield "The form's <input> is removed."
    elif name not in ELEMENTS:
        if name not in CHILDREN:
            yield f"The element <{name}> is removed."
    else:
        allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(name, set())
        for attribute, *values in _ATTRIBUTE.findall(tag):
            lower = attribute.lower()
            is_kept = lower in allowed and (lower != "class" or CLASSES[name].fullmatch(unescape("".join(values))))
            if not is_kept:
                yield f"The attribute `{lower[:50]}` of <{name}> is removed."


def _lost_of_address(address: str, *, is_image: bool) -> str | None:
    if (found := _SCHEME.match(address)) is None:
        return None
    scheme = found[1].lower()
    if scheme == "data":
        return "An embedded file (`data:`) is removed: put it on a server, and use its address."
    if scheme in SCHEMES and not (is_image and scheme in ("mailto", "tel")):
        return None
    return f"The address of {'an image' if is_image else 'a link'} with `{scheme[:50]}:` is removed."


def ids_of(markdown: str) -> frozenset[str]:
    """Returns the ids of a text's html: of headings, footnotes and anchors."""
    return frozenset(unescape("".join(one)) for one in _ID.findall(parsed_html(markdown)))


def fragments_of(content: Content) -> Mapping[str, int]:
    """Returns the fragments that are addresses of links and images, each with the line where it stands first."""
    found: dict[str, int] = {}
    for address, line in (*content.links, *((address, line) for address, _, line in content.images)):
        if address.startswith("#"):
            found.setdefault(address[1:], line)
    return found


def slugs_of_links(addresses: Iterable[str], site_url: str) -> dict[str, str]:
    """Returns the slugs of the documents that links lead to, alone or by the site's address, by the links' addresses.

    The site's address may lack its scheme, and its host; a slug alone may stand in a relative address (`../rye/`).
    """
    _, site, page, _ = page_of(page_url(site_url, _MARK))
    before, _, after = (site + page).partition(_MARK)
    slugs = {}
    for address in addresses:
        scheme, host, path, _ = page_of(address)
        whole = (host or site) + path
        slug = whole[len(before) : len(whole) - len(after)]
        if alone := _SLUG.fullmatch(address):
            slugs[address] = unquote(alone[1])
        elif site and scheme in _WEB and whole == f"{before}{slug}{after}" and slug and "/" not in slug:
            slugs[address] = slug
    return slugs
