"""Leads links between the files of an import to the pages of their documents, as `siteUrl` has them."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from app.core.slugs import MAX_LENGTH
from app.core.text.content import Content, content_of
from app.delivery.site_addresses import SLUG, page_url
from app.transfers.commands.addresses import (
    PATTERN_SLUGS,
    is_of_hugo,
    is_of_jekyll,
    name_of_page,
    path_by_pattern,
    section_of,
    slug_of_file,
    slug_of_name,
    urlized,
)
from app.transfers.commands.front_matter import Post, read_post
from app.transfers.commands.front_matter_files import Unreadable
from app.transfers.commands.generators import CODE, MDX
from app.transfers.commands.picture_files import is_path, path_on, replaced

SUFFIXES = (".md", ".markdown", MDX)
OF_FILE = ("filename", "contentbasename")
"""The keys of a pattern that a file's own slug does not change."""
_REFERENCE = re.compile(
    rf"{CODE.pattern}|\{{\{{[<%]\s*(?:rel)?ref\s+(?:path\s*=\s*)?[\"`]?([^\"`\s]+)[\"`]?(?:\s[^{{}}]*)?[>%]\}}\}}"
    r"|\{%-?\s*(?:post_url|link)\s+(\S+)\s*-?%\}",
    CODE.flags,
)


@dataclass
class PostLinks:
    """The files of an import, found by the ways in which generators name them."""

    root: Path
    files: Sequence[Path]
    site_url: str
    pattern: str = ""
    """Of the paths of pages on the site, as its generator has it."""
    category_url: str = ""
    category_slugs: Mapping[str, str] = field(default_factory=dict)
    """The slugs of the categories that the files name, by those names."""
    unresolved: defaultdict[Path, dict[str, tuple[str, int]]] = field(default_factory=lambda: defaultdict(dict))
    """The references of each file that mean no file or several, each with what is wrong and its line."""

    def resolved(self, file: Path, markdown: str) -> str:
        """Returns a file's text with links to the pages of other files, where those are known."""
        if not self.site_url:
            return markdown

        def of_reference(found: re.Match[str]) -> str:
            name = found[2] or found[3]
            line = markdown.count("\n", 0, found.start()) + 1
            if found[0][0] != "{":
                return found[0]
            if url := name if name.startswith("#") else self._url(file, name, line):
                return url
            self.unresolved[file].setdefault(name, (f"{name} (no page known)", line))
            return found[0]

        text = _REFERENCE.sub(of_reference, markdown)
        for address, line in dict(content_of(text).links).items():
            url = self._url(file, address, line) if is_of_file(address) else self._url_of_address(file, address)
            if url:
                text = replaced(text, address, url)
        return text

    def left(self, file: Path, content: Content) -> Iterator[tuple[str, int]]:
        """Yields the relative links left in a resolved text, and its references to no file or several, with lines."""
        unresolved = self.unresolved[file]
        addresses = {address for address, _ in content.links}
        yield from (one for name, one in unresolved.items() if name not in addresses)
        for address, line in content.links:
            path = unquote(urlsplit(address).path) if is_path(address) else ""
            unknown = self.site_url and not path.startswith("/")
            if path and (unknown or is_of_file(address) or os.path.isfile(f"{file.parent}/{path}")):  # noqa: PTH113
                yield unresolved.get(address, (address,))[0], line

    def path_of(self, file: Path, post: Post) -> str:
        """Returns the path that a file names for its page, else the one by the site's pattern; empty without either."""
        if post.permalink or not self._follows_pattern(file):
            return post.permalink
        slug, of_jekyll = post.page.split("/")[-2], is_of_jekyll(file)
        slugs = dict.fromkeys(
            PATTERN_SLUGS, slug_of_file(file, with_date=False) if of_jekyll and post.dated_slug else slug
        )
        slugs["categories"] = "/".join(slug_of_name(one, file).lower() for one in post.categories)
        if not of_jekyll:
            slugs["title"] = urlized(str(post.fields.get("title")))
            if post.dated_slug:  # the file names no slug
                slugs["slug"] = slugs["title"]
            else:
                slugs |= dict.fromkeys(OF_FILE, urlized(name_of_page(file)))
        return path_by_pattern(self.pattern, section_of(file), slugs, post.dated)

    def former_paths(self, file: Path, post: Post, slug: str) -> Iterator[str]:
        """Yields the paths at which a page was on the old site, except that at which the project's site has it."""
        page = self.path_of(file, post) or (post.page if is_of_hugo(file) and not self._follows_pattern(file) else "")
        present = _address_key(urlsplit(page_url(self.site_url, slug)).path) if self.site_url else None
        yield from (path for path in (page, *post.paths) if path and _address_key(path) != present)

    def is_from_root(self, address: str) -> bool:
        """Returns whether a link left in a resolved text is a path from the site's root, or one with its host.

        Not a markdown file's, nor the address of a page that the project's site has, or of its home page.
        """
        path = path_on(self.host, address)
        if path.strip("/") and not self._present.match(address):
            address = path
        return address.startswith("/") and is_path(address) and not is_of_file(address)

    @cached_property
    def host(self) -> str:
        return urlsplit(self.site_url).netloc

    @cached_property
    def _present(self) -> re.Pattern[str]:
        """The addresses of the pages of documents and categories."""
        urls = (page_url(url, SLUG) for url in (self.site_url, self.category_url) if url)
        pages = (re.escape(url).replace(re.escape(quote(SLUG, safe="")), "[^/?#]+") for url in urls)
        return re.compile(f"(?:{'|'.join(pages)})" + r"/?(?:[?#]|\Z)")

    def _follows_pattern(self, file: Path) -> bool:
        """False for a page of Hugo beside the sections, whose posts the pattern is for."""
        is_beside = self._has_sections and is_of_hugo(file) and section_of(file) == "/"
        return bool(self.pattern) and not is_beside

    @cached_property
    def _has_sections(self) -> bool:
        return any(section_of(file) != "/" for file in self.files)

    def _url(self, file: Path, reference: str, line: int) -> str | None:
        name, hashed, fragment = unquote(reference).partition("#")
        found = self._targets(file, name)
        if len(found) > 1:
            self.unresolved[file][reference] = (f"{reference} (ambiguous)", line)
        page = self._page_of(found)
        return page and page + hashed + fragment

    def _url_of_address(self, file: Path, address: str) -> str | None:
        """Returns the page of the file that had an address on the site: a path, or one with its host."""
        own = path_on(self.host, address)
        parts = _split(own or address)
        if parts.scheme or parts.netloc or not parts.path:
            return None
        post = self._posts[file]
        path = urljoin(self.path_of(file, post) or post.page, parts.path)
        found = self._by_address.get(_address_key(path), set())
        if not (found or parts.path.startswith("/")):
            found = self._by_path.get(_without_suffix(os.path.normpath(f"{file.parent}/{parts.path}")), set())
        page = self._page_of(found)
        return page + parts._replace(path="").geturl() if page else self._url_of_category(path, parts)

    def _url_of_category(self, path: str, parts: SplitResult) -> str | None:
        """Returns the page of a category at `/categories/gear/`, as Hugo has it, or at `/categories/#gear`."""
        first, _, name = path.strip("/").partition("/")
        if first not in ("categories", "category"):
            return None
        slug = self._categories.get(_category_key(name or parts.fragment))
        return slug and page_url(self.category_url, slug) + (parts._replace(path="").geturl() if name else "")

    @cached_property
    def category_names(self) -> Sequence[str]:
        """The categories of the files."""
        named = (post.fields.get("category") for post in self._posts.values())
        return [*dict.fromkeys(name for name in named if isinstance(name, str) and len(name) <= MAX_LENGTH)]

    @cached_property
    def category_paths(self) -> Mapping[str, str]:
        """The slugs of categories by the paths at which Hugo has them."""
        slugs = self._categories.items() if any(map(is_of_hugo, self.files)) else ()
        paths = ((f"/categories/{key}/", slug) for key, slug in slugs)
        return {path: slug for path, slug in paths if path != urlsplit(page_url(self.category_url, slug)).path}

    @cached_property
    def _categories(self) -> Mapping[str, str]:
        return {_category_key(name): slug for name, slug in self.category_slugs.items()}

    def _page_of(self, found: set[Path]) -> str | None:
        """Returns the address of a file's page; None for none or several files, or where its slug is not known."""
        slug = self._slugs.get(next(iter(found))) if len(found) == 1 else None
        return slug and page_url(self.site_url, slug)

    def _targets(self, file: Path, name: str) -> set[Path]:
        """Returns the files that a name may mean: that in the same folder or with that path, else all that end so."""
        end = _without_suffix(name.strip("./"))
        beside = Path(os.path.normpath(file.parent / name))
        if beside in self._files:
            return {beside}
        for place in (beside, self.root / end, self.root.parent / end):
            if found := self._by_path.get(_without_suffix(place.as_posix())):
                return found
        return self._by_name.get(end, set())

    @cached_property
    def _files(self) -> set[Path]:
        return set(self.files)

    @cached_property
    def _by_path(self) -> Mapping[str, set[Path]]:
        """The files by their whole paths, without suffix."""
        found = defaultdict[str, set[Path]](set)
        for file in self.files:
            found[_without_suffix(file.as_posix())].add(file)
        return found

    @cached_property
    def _by_name(self) -> Mapping[str, set[Path]]:
        """The files by each end of their paths, without suffix."""
        found = defaultdict[str, set[Path]](set)
        for file in self.files:
            parts = _without_suffix(file.relative_to(self.root.parent).as_posix()).split("/")
            for start in range(len(parts)):
                found["/".join(parts[start:])].add(file)
        return found

    @cached_property
    def _by_address(self) -> Mapping[str, set[Path]]:
        """The files by the addresses that their pages have or had: those that a file names, else Hugo's."""
        named, of_hugo = defaultdict[str, set[Path]](set), defaultdict[str, set[Path]](set)
        for file, post in self._posts.items():
            of_hugo[_address_key(post.page)].add(file)
            for path in filter(None, (self.path_of(file, post), *post.paths)):
                named[_address_key(path)].add(file)
        return of_hugo | named

    @cached_property
    def _slugs(self) -> Mapping[Path, str | None]:
        """The slugs of the files; None where it is not known."""
        slugs = {file: str(post.fields["slug"]) for file, post in self._posts.items()}
        undated = Counter(
            slug_of_file(file, with_date=False) if self._posts[file].dated_slug else slug
            for file, slug in slugs.items()
        )
        return {
            file: None if self._posts[file].dated_slug and undated[slug] > 1 else slug for file, slug in slugs.items()
        }

    @cached_property
    def _posts(self) -> Mapping[Path, Post]:
        """The readable files, without their texts."""
        return {file: post for file in self.files if (post := _read(file))}


def is_of_file(address: str) -> bool:
    """Returns whether a link leads to a markdown file."""
    return is_path(address) and urlsplit(address).path.lower().endswith(SUFFIXES)


def _read(file: Path) -> Post | None:
    try:
        post = read_post(file)
    except Unreadable:
        return None
    post.fields.pop("markdown", None)
    return post


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")


def _address_key(path: str) -> str:
    return unquote(re.sub(r"(?<=/)index\.html$", "", path)).rstrip("/").casefold()


def _category_key(name: str) -> str:
    """Returns a category's name as Hugo writes it in an address."""
    return re.sub("-+", "-", urlized(unquote(name)))


def _without_suffix(name: str) -> str:
    name = name.removesuffix(Path(name).suffix) if name.lower().endswith(SUFFIXES) else name
    return name.removesuffix("/index")
