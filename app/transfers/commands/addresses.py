"""The addresses that a generator gives to a page, and the slugs in them."""

import os
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from itertools import takewhile
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urlsplit

import regex

from app.core.slugs import MAX_LENGTH, slug_problem
from app.transfers.commands.front_matter_files import Unreadable

PERMALINK = ("permalink", "url")
"""The keys for the path of a page."""
OF_JEKYLL, OF_ASTRO, OF_HUGO = {"_posts", "_drafts"}, "/src/content/", "content"
"""The folders by which the files of generators are known."""
PATTERN_KEYS = {"section", "sections", "categories", "year", "month", "day"}
PATTERN_SLUGS = {"slug", "title", "filename", "contentbasename", "slugorfilename", "slugorcontentbasename"}
"""The keys of which a pattern needs one. Without a slug `:slug` is the title's in Hugo; in Jekyll all name the file."""
PATTERN_KEY = re.compile(":([a-z]+)")
_LANGUAGE = r"\.[a-z]{2}(?:-[a-z]{2})?"
_INDEX = re.compile(rf"index(?:{_LANGUAGE})?", re.IGNORECASE)
_UNFIT = regex.compile(r"[^\p{L}\p{M}\p{Nd}\s._~-]")
_UNFIT_IN_PATH = regex.compile(r"[^\p{L}\p{M}\p{Nd}\s._~/\\#+@-]")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}-(?=.)")


def name_of_page(file: Path, *, with_date: bool = True) -> str:
    """Returns the name of a file, or its folder's for an `index.md`, with or without the date that it begins with."""
    name = _without_language(file) if len(_in_languages(file)) > 1 else file.stem
    name = file.absolute().parent.name if _INDEX.fullmatch(file.stem) else name
    return name if with_date else _DATE.sub("", name, count=1)


def translated_page(file: Path) -> Path | None:
    """Returns the file that one with a language in its name translates: that without one, else English, else the first.

    None for that file itself, and for one whose name has a language, or what is like one, alone.
    """
    page = file.with_name(_without_language(file) + file.suffix)
    if page == file or os.path.isfile(page):  # noqa: PTH113  # long names
        return None if page == file else page
    languages = _in_languages(file)
    english = page.with_stem(f"{page.stem}.en")
    page = english if english in languages else languages[0]
    return None if page == file else page


def _without_language(file: Path) -> str:
    return re.sub(f"{_LANGUAGE}$", "", file.stem, flags=re.IGNORECASE)


def _in_languages(file: Path) -> list[Path]:
    """Returns a file whose name has a language, and those beside it that differ in that alone."""
    name = _without_language(file)
    if name == file.stem:
        return []
    alike = re.compile(re.escape(name) + _LANGUAGE + re.escape(file.suffix), re.IGNORECASE)
    return sorted(one for one in file.parent.iterdir() if alike.fullmatch(one.name))


def bundled_page(file: Path) -> Path | None:
    """Returns the `index.md` of Hugo's leaf bundle that another file is a resource of: the file is no page."""
    if not is_of_hugo(file):
        return None
    folders = file.absolute().parents[1 if _INDEX.fullmatch(file.stem) else 0 :]
    pages = (folder / "index.md" for folder in takewhile(lambda folder: folder.name != OF_HUGO, folders))
    return next(filter(os.path.isfile, [*pages][::-1]), None)


def is_of_jekyll(file: Path) -> bool:
    return not OF_JEKYLL.isdisjoint(file.absolute().parts)


def is_of_hugo(file: Path) -> bool:
    path = file.absolute()
    return OF_HUGO in path.parts and OF_ASTRO not in path.as_posix() and not is_of_jekyll(file)


def slug_of_file(file: Path, *, with_date: bool, keeps_case: bool = False) -> str:
    """Returns the slug that generators make of a file's name, with or without the date that it begins with.

    Hugo and Astro write it in lower case, and leave out signs that addresses don't have, for which Jekyll has hyphens.
    Zola, whose files have a `path`, keeps capitals.
    """
    return slug_of_name(name_of_page(file, with_date=with_date), file, keeps_case=keeps_case)


def slug_of_name(name: str, file: Path, *, keeps_case: bool = False) -> str:
    """Returns the slug that the generator of a file makes of a name or a title, as `slug_of_file` says."""
    unfit = "-"
    if not is_of_jekyll(file):
        unfit, name = "", name if keeps_case else name.lower()
        name = name.replace(".", "") if OF_ASTRO in file.absolute().as_posix() else name
    return re.sub(r"-?\s[-\s]*", "-", _UNFIT.sub(unfit, unicodedata.normalize("NFC", name))).strip("-.")


def urlized(name: str) -> str:
    """Returns a name as Hugo has it in a path: in lower case, with hyphens for spaces, without most other signs."""
    words = " ".join(_UNFIT_IN_PATH.sub("", unicodedata.normalize("NFC", name.lower())).split())
    return re.sub("(?<=-) | (?=-)", "", words).replace(" ", "-").replace("#", "%23")


def permalink_of(front: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the path that a file names for its page, and the slug in that; nothing for a pattern or another site."""
    path = next((front[key] for key in PERMALINK if key in front), None)
    if not isinstance(path, str) or re.search(r"[:{}]", path):
        return "", ""
    path = f"/{path.removesuffix('index.html').lstrip('/')}"
    slug = unquote(path.rstrip("/").rpartition("/")[2]).removesuffix(".html")
    return ("", "") if slug_problem(slug) else (path, slug)


def section_of(file: Path) -> str:
    """Returns the path of the section that a file's page is in: its folders below the last one called `content`."""
    folder = file.absolute().parent
    parts = (folder.parent if _INDEX.fullmatch(file.stem) else folder).parts
    below = parts[len(parts) - parts[::-1].index(OF_HUGO) :] if OF_HUGO in parts else ()
    return "".join(f"/{urlized(one)}" for one in below) + "/"


def path_by_pattern(pattern: str, section: str, slugs: Mapping[str, str], dated: date | None) -> str:
    """Returns the path of a page by a generator's pattern; nothing where that has a date and the file none.

    `slugs` are the values of `PATTERN_SLUGS`, and of `categories`.
    """
    values = {"section": section.strip("/").partition("/")[0], "sections": section.strip("/"), **slugs}
    values |= {"year": f"{dated:%Y}", "month": f"{dated:%m}", "day": f"{dated:%d}"} if dated else {}
    path = PATTERN_KEY.sub(lambda found: values.get(found[1], "\0"), pattern)
    return "" if "\0" in path else re.sub("/+", "/", path)


def former_path(alias: object, page: str) -> str:
    """Returns an earlier address of a page as a path; a relative one begins beside the page, as in Hugo."""
    try:
        parts = urlsplit(alias) if isinstance(alias, str) else None
    except ValueError:
        parts = None
    if parts is None:
        raise Unreadable("Its aliases must be paths, like /2019/rye/: quote them.")
    path = parts.path or "/"
    if not (parts.netloc or path.startswith("/")):
        path = normpath(join(dirname(page.rstrip("/")), path)) + "/" * path.endswith("/")
    return f"{path}?{parts.query}" if parts.query else path


def slug_of_path(path: str) -> str:
    """Returns the last segment of a path, which is the slug that a redirect leads away from; nothing if it is none."""
    path = re.sub(r"(?<=/)index\.html$", "", path.partition("?")[0])
    slug = unquote(path.rstrip("/").rpartition("/")[2])
    return "" if slug_problem(slug) or len(slug) > MAX_LENGTH else slug
