"""Reads a markdown file with front matter as the fields of a document.

Keys that are not known here are listed by the command and ignored (decisions, section 10).
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import Any

from app.cli.calling import shown
from app.core.schemas.loading import cached_schema
from app.core.text.html import text_of_paragraphs
from app.documents.schemas import MAX_EXCERPT, BriefFields
from app.provenance.schemas import DraftGenerationFields
from app.transfers.commands.addresses import (
    PERMALINK,
    bundled_page,
    former_path,
    is_of_hugo,
    is_of_jekyll,
    name_of_page,
    permalink_of,
    section_of,
    slug_of_file,
    translated_page,
    urlized,
)
from app.transfers.commands.dates import BUILD, DATE, DRAFT_WHEN, HEADLESS, date_of, reason_withheld
from app.transfers.commands.front_matter_files import LeftOut, Unreadable, read_front_matter
from app.transfers.commands.generators import MDX, code_in, summary_of, with_paths, without_attributes
from app.transfers.commands.picture_files import COVER, is_path
from app.transfers.commands.shortcodes import translated

FIELDS = {
    "title": ("title",),
    "slug": ("slug",),
    "metaDescription": ("description",),
    "subtitle": ("subtitle",),
    "excerpt": ("excerpt", "summary"),
    "status": ("status",),
    "generation": ("generation",),
}
"""The front matter keys that set each field; the first that is there does."""
CATEGORY, KEYWORD, AUTHOR = ("category", "categories"), ("keywords", "tags"), ("authors", "author")
IMAGE = (
    *("image", "cover", "featured_image", "featuredImage", "heroImage", "images"),
    *("coverImage", "cover_image", "feature_image", "featureImage", "hero_image", "banner"),
    *("thumbnail", "overlay_image", "teaser"),
)
"""The keys for a cover, as an address or a table."""
TABLES = ("params", "extra", "taxonomies", "header")
"""The tables of Hugo, Zola and Jekyll's themes in which these keys stand too."""
IN_TABLES = {*CATEGORY, *KEYWORD, *AUTHOR, *IMAGE, *(f"{key}{alt}" for key in IMAGE for alt in ("_alt", "Alt"))}
OF_IMAGE, OF_AUTHOR = ("image", "path", "src", "url"), ("email", "name")
ALIASES = ("aliases", "redirect_from")
"""The keys for earlier paths."""
KNOWN = {key for keys in FIELDS.values() for key in keys} | {*CATEGORY, *KEYWORD, *AUTHOR, *IMAGE, *DATE, *PERMALINK}
KNOWN |= {*ALIASES, *BUILD, *TABLES, HEADLESS, "brief", "path"}
WITHIN: Mapping[str, Container[str]] = {
    **dict.fromkeys(TABLES, IN_TABLES),
    **dict.fromkeys(IMAGE, OF_IMAGE),
    **dict.fromkeys(AUTHOR, OF_AUTHOR),
    **dict.fromkeys(BUILD, ("render",)),
    "brief": cached_schema(BriefFields).fields,
    "generation": cached_schema(DraftGenerationFields).fields,
}
"""The keys that are known in tables."""
SPELLED = {key.casefold(): key for key in KNOWN}


@dataclass(frozen=True)
class Post:
    """A file's content."""

    fields: dict[str, Any]
    unknown: frozenset[str]
    """Front matter keys that are not known."""
    dated: datetime | None
    withheld: str
    """Why `--publish` does not publish the file; empty if it does."""
    further: frozenset[str] = frozenset()
    """Front matter keys with more values than the one that a document takes."""
    attributes: frozenset[str] = frozenset()
    """Lists of attributes, and arguments of shortcodes, that the text has no longer."""
    paths: Sequence[str] = ()
    """Earlier paths of its page."""
    permalink: str = ""
    """The path that the file names for its page."""
    page: str = ""
    """The path of its page: that one, or Hugo's."""
    cover_alt: str = ""
    categories: Sequence[str] = ()
    authors: Sequence[Sequence[str]] = ()
    """What each author may be found by; the name is last."""
    dated_slug: str = ""
    """The slug of a file that names none, with the date that its name begins with, should it not be free without."""


def read_post(file: Path) -> Post:
    """Returns a file's content. Raises `Unreadable`."""
    if file.name.startswith("_index."):
        raise LeftOut("It is the page of a section.")
    if other := translated_page(file):
        raise LeftOut(f"It is a translation of {shown(other.name)}: a project has one language.")
    if bundle := bundled_page(file):
        raise LeftOut(f"Hugo shows it as a part of {shown(str(bundle.relative_to(bundle.parents[1])))}, not as a page.")
    front, markdown = read_front_matter(file)
    if file.suffix.lower() == MDX and (code := code_in(markdown)):
        raise LeftOut(f"It has code besides markdown, at {shown(code)}")
    front = _as_generators_do(front, file)
    (permalink, permalinked), (cover, alt, key_of_alt) = permalink_of(front), _cover(front)
    with_date = not (is_of_jekyll(file) or front.keys().isdisjoint(DATE))
    of_file = partial(slug_of_file, file, keeps_case="path" in front)
    fields = {"slug": permalinked or of_file(with_date=with_date)} | _fields(front, cover)
    if authors := [names for one in _listed(front, AUTHOR) if (names := _names(one))]:
        fields["authors"] = [name for names in authors for name in names]
    of_name = is_of_hugo(file) and front.keys().isdisjoint({"slug", "path"})
    name = urlized(name_of_page(file, with_date=with_date)) if of_name else fields["slug"]
    page = permalink or f"{section_of(file)}{name}/"
    paths = [former_path(alias, page) for key in ALIASES for alias in _listed(front, (key,))]
    _refuse_unquoted(fields)
    if isinstance(excerpt := fields.get("excerpt"), str):
        fields["excerpt"] = text_of_paragraphs(excerpt, len(excerpt)) or excerpt  # which is plain text here
    arguments = set[str]()
    markdown = translated(markdown, arguments, is_of_jekyll=is_of_jekyll(file))
    markdown, attributes = without_attributes(markdown, is_of_jekyll=is_of_jekyll(file))
    if markdown := with_paths(markdown):
        fields["markdown"] = markdown
        if summary := summary_of(markdown, MAX_EXCERPT):
            fields.setdefault("excerpt", summary)
        if "brief" in fields:
            fields.setdefault("status", "drafting")  # it has content, but its brief would make it begin as an idea
    unknown, dated = {*_unknown(front)}, date_of(front, file)
    if isinstance(cover, str) and is_path(cover):
        unknown.discard(key_of_alt)
    if not permalinked:
        unknown |= {*PERMALINK} & front.keys()
    return Post(
        fields,
        frozenset(unknown),
        dated,
        reason_withheld(front, dated),
        frozenset(_further(front)),
        attributes | arguments,
        paths,
        permalink,
        page,
        alt,
        [*map(str, _listed(front, CATEGORY))],
        authors,
        "" if permalinked or "slug" in front else of_file(with_date=True),
    )


def _as_generators_do(front: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Returns front matter with its keys as they are written here, and names that are numbers as text.

    Jekyll splits lists, and makes titles of names.
    """
    spelled = _spelled(front)
    tables = {name: _spelled(spelled[name]) for name in TABLES if isinstance(spelled.get(name), dict)}
    within = {key: value for table in tables.values() for key, value in table.items() if key in IN_TABLES}
    spelled = within | spelled | tables
    for key in spelled.keys() & {*CATEGORY, *KEYWORD}:
        spelled[key] = _as_text(spelled[key])
    if not is_of_jekyll(file):
        return spelled
    lists = {key: spelled[key].split() for key in ("categories", "tags") if isinstance(spelled.get(key), str)}
    title = slug_of_file(file, with_date=False).replace("-", " ").title()
    return {"title": title} | spelled | lists


def _spelled(front: Mapping[str, Any]) -> dict[str, Any]:
    return {SPELLED.get(str(key).casefold(), key): value for key, value in front.items()}


def _as_text(value: Any) -> Any:
    return [*map(_as_text, value)] if isinstance(value, list) else str(value) if type(value) is int else value


def _fields(front: Mapping[str, Any], cover: Any) -> dict[str, Any]:
    """Returns the fields that front matter sets, without the slug where it names none."""
    fields = {ours: front[key] for ours, keys in FIELDS.items() for key in reversed(keys) if key in front}
    made = {"category": _first(front, CATEGORY), COVER: cover, "brief": _brief(front)}
    return fields | {name: value for name, value in made.items() if value}


def _refuse_unquoted(fields: Mapping[str, Any]) -> None:
    parts = {name: fields[name] for name in ("brief", "generation") if isinstance(fields.get(name), dict)}
    texts = {name: value for name, value in fields.items() if name not in ("brief", "generation")}
    texts |= {f"{part}.{name}": value for part, within in parts.items() for name, value in within.items()}
    for name, value in texts.items():
        if isinstance(value, bool | int | float | date):
            raise Unreadable(f"{name}: Is a number, a date, or true or false, and must be text: quote it.")


def _first(front: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next(iter(_listed(front, keys)), None)


def _further(front: Mapping[str, Any]) -> Iterator[str]:
    """Yields the keys whose values are not all those that a document takes."""
    for keys in (CATEGORY, KEYWORD, IMAGE, DATE[:-1], *FIELDS.values()):
        taken = _first(front, keys)
        yield from (key for key in keys if any(value != taken for value in _listed(front, (key,))))
    yield from (key for key in AUTHOR if key in front and _listed(front, (key,)) != _listed(front, AUTHOR))


def _cover(front: Mapping[str, Any]) -> tuple[Any, str, str]:
    """Returns the address of the cover, its alternative text, and the key of that."""
    cover = _first(front, IMAGE)
    name = next((key for key in IMAGE if key in front), "")
    if isinstance(cover, dict):
        return _first(cover, OF_IMAGE), str(cover.get("alt", "")), f"{name}.alt"
    key = next((key for key in (f"{name}_alt", f"{name}Alt") if key in front), "")
    return cover, str(front.get(key, "")), key


def _listed(front: Mapping[str, Any], keys: tuple[str, ...]) -> list[Any]:
    """Returns the values of the first of some keys that is there."""
    value: Any = next((front[key] for key in keys if key in front), [])
    return value if isinstance(value, list) else [value]


def _names(author: Any) -> list[Any]:
    """Returns what an author may be found by: their name, or of a table the e-mail address and the name."""
    return [author[key] for key in OF_AUTHOR if key in author] if isinstance(author, dict) else [author]


def _brief(front: Mapping[str, Any]) -> Any:
    brief, keyword = front.get("brief"), _first(front, KEYWORD)
    if not isinstance(brief, dict | None):
        return brief
    return ({"keyword": keyword} if keyword is not None else {}) | (brief or {})


def _unknown(front: Mapping[str, Any]) -> Iterator[str]:
    """Yields the keys that are not known, those inside of tables as `cover.caption`."""
    yield from (key for key in front if key not in KNOWN and key.casefold() not in DRAFT_WHEN)
    for name, keys in WITHIN.items():
        tables = (one for one in _listed(front, (name,)) if isinstance(one, dict))
        yield from (f"{name}.{key}" for table in tables for key in table if key not in keys)
