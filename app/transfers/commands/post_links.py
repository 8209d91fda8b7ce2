"""Leads links between the files of an import to the pages of their documents, as `siteUrl` has them."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.core.text.content import content_of
from app.delivery.site_addresses import page_url
from app.transfers.commands.addresses import slug_of_file
from app.transfers.commands.front_matter import read_post
from app.transfers.commands.front_matter_files import Unreadable
from app.transfers.commands.generators import CODE, MDX
from app.transfers.commands.picture_files import is_path, replaced

SUFFIXES = (".md", ".markdown", MDX)
_REFERENCE = re.compile(
    rf"{CODE.pattern}|\{{\{{[<%]\s*(?:rel)?ref\s+[\"`]?([^\"`\s]+)[\"`]?\s*[>%]\}}\}}"
    r"|\{%-?\s*(?:post_url|link)\s+(\S+)\s*-?%\}",
    CODE.flags,
)


@dataclass
class PostLinks:
    """The files of an import, found by the ways in which generators name them."""

    root: Path
    files: Sequence[Path]
    site_url: str
    slugs: dict[Path, str | None] = field(default_factory=dict)
    """The slugs of files that were linked to; None where it is not known."""

    def resolved(self, file: Path, markdown: str) -> str:
        """Returns a file's text with links to the pages of other files, where those are known."""
        if not self.site_url:
            return markdown
        markdown = _REFERENCE.sub(
            lambda found: (self._url(file, found[2] or found[3]) if found[0][0] == "{" else None) or found[0], markdown
        )
        for address in {address for address, _ in content_of(markdown).links if is_path(address)}:
            if urlsplit(address).path.lower().endswith(SUFFIXES) and (url := self._url(file, address)):
                markdown = replaced(markdown, address, url)
        return markdown

    def _url(self, file: Path, reference: str) -> str | None:
        name, hashed, fragment = unquote(reference).partition("#")
        target = self._target(file, name)
        if target and target not in self.slugs:
            self.slugs[target] = self._slug(target)
        slug = self.slugs[target] if target else None
        return slug and page_url(self.site_url, slug) + hashed + fragment

    def _target(self, file: Path, name: str) -> Path | None:
        beside = Path(os.path.normpath(file.parent / name))
        found = {beside} & self._files or self._by_name.get(_without_suffix(name.strip("./")), set())
        return next(iter(found)) if len(found) == 1 else None

    def _slug(self, target: Path) -> str | None:
        try:
            post = read_post(target)
        except Unreadable:
            return None
        slug = str(post.fields["slug"])
        return None if post.dated_slug and self._undated[slug] > 1 else slug

    @cached_property
    def _files(self) -> set[Path]:
        return set(self.files)

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
    def _undated(self) -> Counter[str]:
        return Counter(slug_of_file(file, with_date=False) for file in self.files)


def _without_suffix(name: str) -> str:
    name = name.removesuffix(Path(name).suffix) if name.lower().endswith(SUFFIXES) else name
    return name.removesuffix("/index")
