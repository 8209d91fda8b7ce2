"""`import`: imports a folder of markdown files with front matter into a project, matched by slug."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click

from app.checks.kept import losses_of
from app.checks.operations import levels_of
from app.checks.rules import MOST_FAILURES
from app.checks.vocabulary import CheckLevel, CheckName
from app.cli.calling import as_json, call, context, finish, of_project, progress, shown, warn_of_guess
from app.core.batches import batches
from app.core.context import Context, this_instant
from app.core.errors import BadRequest, Refusal
from app.core.schemas.loading import load
from app.core.slugs import slug_key
from app.core.store.store import Store
from app.core.text.content import content_of
from app.core.times import wire_time
from app.documents import publishing
from app.planning.commands.plan_files import SUFFIXES as PLAN_SUFFIXES
from app.projects.rules import StoredProject
from app.projects.store import Projects
from app.transfers.commands.addresses import PATTERN_KEY, PATTERN_KEYS, PATTERN_SLUGS, slug_of_path
from app.transfers.commands.dates import NO_DATE, NO_TEXT
from app.transfers.commands.exported import import_exported
from app.transfers.commands.front_matter import Post, read_post
from app.transfers.commands.front_matter_files import LeftOut, Unreadable
from app.transfers.commands.generators import tags_in
from app.transfers.commands.import_reports import Place, Report, print_report
from app.transfers.commands.picture_files import COVER, PictureFiles
from app.transfers.commands.post_links import SUFFIXES, PostLinks
from app.transfers.folders import Import, category_slugs, import_documents, update_imported
from app.transfers.schemas import ImportedFields

DRAFTS = {"_drafts", "drafts"}
COUNTED = {"created": "created", "unchanged": "unchanged", "changed": "updated"}
BATCH = 50
"""The number of files that one transaction writes: it saves round trips and takes about a second."""


@click.command()
@of_project
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--site", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The site's root, with its pictures."
)
@click.option("--permalink", default="", help="The pattern of the site's paths, like /:year/:month/:slug/.")
@click.option("--update", is_flag=True, help="Write the files that differ from their document.")
@click.option("--publish", is_flag=True, help="Publish files dated in the past that are not drafts, with their date.")
@click.option("--dry-run", is_flag=True, help="Report what would happen, and change nothing.")
@as_json
def command(
    project_id: str,
    path: Path,
    site: Path | None,
    permalink: str,
    update: bool,
    publish: bool,
    dry_run: bool,
    json: bool,
) -> None:
    """Import markdown files with front matter, or an exported project.

    PATH is a folder, or one file. Each file becomes a document. Where a document of the project has its slug or had
    it, the file changes nothing and is listed if it differs. An .ndjson file is a project, as `export` writes it,
    for a project without content, whose name and other settings it replaces. The exit code is 1 when something was
    refused.
    """
    keys = {*PATTERN_KEY.findall(permalink)}
    if permalink and (permalink[0] != "/" or keys.isdisjoint(PATTERN_SLUGS) or keys - PATTERN_KEYS - PATTERN_SLUGS):
        known = ", ".join(f":{key}" for key in sorted(PATTERN_KEYS | PATTERN_SLUGS))
        raise click.UsageError(f"--permalink must be a path with :slug, :title or :filename; it knows {known}.")
    suffix = path.suffix.lower() if path.is_file() else ""
    if suffix in PLAN_SUFFIXES:
        raise click.UsageError(f"{path} is a plan: use `content-workflow plan --project {project_id} {path}`.")
    if suffix == ".ndjson":
        if update or publish:
            raise click.UsageError(
                "--update and --publish are for markdown files: an exported project is added as it is."
            )
        import_exported(context(project_id), path, dry_run=dry_run, json=json)
    root = path.resolve()
    files = sorted(_markdown_in(root)) if root.is_dir() else [root]
    ctx = context(project_id)
    with ctx.store.deadline():
        project = ctx.store[Projects].settings(project_id)
    links = PostLinks(root, files, project.get("siteUrl") or "", permalink, project.get("categoryUrl") or "")
    if links.category_url:
        names = links.category_names
        with ctx.store.deadline():
            links.category_slugs = category_slugs(ctx, names)
    run = _Run(ctx, project, root, site and site.resolve(), links, update=update, publish=publish, dry_run=dry_run)
    with progress("Importing", length=len(files), show_pos=True) as bar:
        run.take(files, bar.update)
    report = run.report
    if run.own_covers:
        warn_of_guess(run.ctx, "covers begin")
    tags = " ".join(tag["what"] for found in report.shortcodes.values() for tag in found)
    if not links.site_url and (report.links or report.rootLinks or re.search(r"ref >|ref %|post_url", tags)):
        click.echo("The project has no siteUrl: set one, and links between files lead to pages (--update).", err=True)
    finish(vars(report), lambda: print_report(report, len(files)), json=json, dry_run=dry_run, refused=report.refused)


@dataclass
class _Run:
    """One import: reads files, sends them in batches, and fills the report."""

    ctx: Context
    project: StoredProject
    root: Path
    site: Path | None
    links: PostLinks
    update: bool
    publish: bool
    dry_run: bool
    report: Report = field(default_factory=Report)
    own_covers: bool = False
    """True if a file has a cover on this server."""
    slugs: dict[str, Path] = field(default_factory=dict)
    """The first file with each slug."""
    former: list[tuple[Path, str, str]] = field(default_factory=list)
    """The former paths of files, each with its file and the slug in it."""
    matched: dict[str, Path] = field(default_factory=dict)
    """The file of each document."""
    alts: dict[str, str] = field(default_factory=dict)
    """The alternative text of each picture, by its hash."""

    def take(self, files: Iterable[Path], advance: Callable[[int], None]) -> None:
        """Imports the files; calls `advance` with the number of files that are done since the last call."""
        for batch in batches(self._readable(files, advance), BATCH, lambda one: len(one[1].fields.get("markdown", ""))):
            if self.dry_run:  # not `Context.dry_run`: a batch is several operations
                self.report = self.ctx.store.rolled_back(partial(self._report_of, batch))
            else:
                self.send(batch)
            advance(len(batch))
        self._list_redirects()
        self.report.categoryPaths |= {shown(path): slug for path, slug in self.links.category_paths.items()}

    def _readable(self, files: Iterable[Path], advance: Callable[[int], None]) -> Iterator[tuple[Path, Post]]:
        """Yields each readable file with its content; refuses the others."""
        for file in files:
            try:
                yield file, self._read(file)
            except (Unreadable, Refusal) as error:
                self._refuse(file, error)
                advance(1)

    def _read(self, file: Path) -> Post:
        if self.root.is_dir() and not Path(os.path.realpath(file)).is_relative_to(self.root):
            raise Unreadable("It is a symbolic link that leads out of the folder.")
        post = read_post(file)
        if text := post.fields.get("markdown"):
            post = replace(post, fields=post.fields | {"markdown": self.links.resolved(file, text)})
        if "images" in self.ctx.features:
            post = replace(post, fields=self._with_pictures(file, post))
        slug = str(post.fields["slug"])
        former = {path: slug_of_path(path) for path in self.links.former_paths(file, post, slug)}
        if aliases := [one for one in dict.fromkeys(former.values()) if one not in ("", slug)]:
            post = replace(post, fields=post.fields | {"aliases": aliases})
        fields = load(self.ctx.features.schema_of(ImportedFields), post.fields)
        if post.dated_slug and slug_key(fields["slug"]) in self.slugs:
            fields["slug"] = post.dated_slug
        first = self.slugs.setdefault(slug_key(fields["slug"]), file)
        if first != file:
            raise Unreadable(
                f"slug: {self._named(first)} has the slug {fields['slug']!r} too: give one of them another."
            )
        self.former += [(file, path, slug) for path, slug in former.items()]
        report = self.report
        for counts, keys in (
            (report.unknown, post.unknown),
            (report.further, post.further),
            (report.attributes, post.attributes),
        ):
            counts |= {key: counts.get(key, 0) + 1 for key in map(shown, keys)}
        among_drafts = "a draft" if self._is_among_drafts(file) else ""
        empty = "" if fields.get("markdown") else NO_TEXT
        return replace(post, fields=fields, withheld=among_drafts or post.withheld or empty)

    def _list_redirects(self) -> None:
        """Lists the former paths whose last segment, from which a redirect leads, is another's or the slug itself."""
        first: dict[str, Path] = {}
        for file, path, slug in self.former:
            why = self._why_not_redirected(file, slug, first)
            if why and shown(path) in self.report.paths:
                self.report.redirects[shown(path)] = shown(why)

    def _why_not_redirected(self, file: Path, slug: str, first: dict[str, Path]) -> str:
        key = slug_key(slug)
        owner, other = self.slugs.get(key), first.setdefault(key, file)
        if not slug:
            return "no segment of theirs can be a slug"
        if owner:
            return "they end with the slug itself" if owner == file else f"`{slug}` is the slug of {self._named(owner)}"
        return "" if other == file else f"`{slug}` is a former slug of {self._named(other)}"

    def _with_pictures(self, file: Path, post: Post) -> dict[str, Any]:
        """Returns a file's fields with the addresses of the pictures that it names, which are uploaded."""
        folder = self.root if self.root.is_dir() else self.root.parent
        ctx = replace(self.ctx, now=this_instant(), dry_run=self.dry_run)
        files = PictureFiles(ctx, folder, self.site or folder, file, self.links.host, alts=self.alts)
        fields = files.uploaded(post.fields, post.cover_alt)
        if cover := fields.get(COVER):
            self.own_covers |= str(cover).startswith(self.ctx.server.address())
        if files.missing:
            self.report.missing[self._named(file)] = [shown(one) for one in files.missing]
        if files.other_alt:
            self.report.alts[self._named(file)] = shown(files.other_alt)
        return fields

    def _is_among_drafts(self, file: Path) -> bool:
        folder = self.root if self.root.is_dir() else self.root.parent
        return not DRAFTS.isdisjoint(map(str.casefold, file.relative_to(folder.parent).parts[:-1]))

    def send(self, batch: Sequence[tuple[Path, Post]]) -> None:
        """Imports one batch; with `--update` and `--publish` it also changes and publishes documents of it."""
        ctx = replace(self.ctx, now=this_instant())
        answer = import_documents(ctx, fields={"documents": [post.fields for _, post in batch]})
        for (file, post), became in zip(batch, answer.body, strict=True):
            try:
                self._apply_outcome(file, post, became)
            except (Unreadable, Refusal) as error:
                self._refuse(file, error)

    def _report_of(self, batch: Sequence[tuple[Path, Post]], store: Store) -> Report:
        """Writes a batch in a transaction and returns the report with its outcomes."""
        report = deepcopy(self.report)  # the transaction may be tried again
        replace(self, ctx=replace(self.ctx, store=store), report=report).send(batch)
        return report

    def _apply_outcome(self, file: Path, post: Post, became: Import) -> None:
        outcome, document_id, report = became["outcome"], became["id"], self.report
        if document_id is None:
            raise BadRequest(errors=became["problems"])
        if outcome == "trashed":
            raise LeftOut("Its document is in the trash: restore that, or name another slug.")
        if (first := self.matched.setdefault(document_id, file)) != file:
            raise Unreadable(
                f"Its document is that of {self._named(first)}, which had another slug: name another slug."
            )
        slug = became.get("slug", post.fields["slug"])
        if post.withheld in ("", NO_DATE, NO_TEXT) or became.get("published"):
            report.paths |= {shown(path): slug for path in self.links.former_paths(file, post, slug)}
        if slug != post.fields["slug"]:
            report.renamed[self._named(file)] = slug
        since = became.get("publishedAt")
        if since and post.dated and since != wire_time(post.dated):
            report.dates[self._named(file)] = since
        if others := [names[-1] for names in post.authors if {*names} <= {*became["others"]}]:
            report.others[self._named(file)] = [*map(shown, others)]
        if outcome == "changed" and became["edited"]:
            report.edited.append(self._named(file))
        is_written = outcome != "changed" or self.update
        made = shown(" > ".join(became.get("categories", ())))
        listed = report.categories if is_written else report.absent
        if made and made not in listed:
            listed.append(made)
        if not is_written:
            report.changed[self._named(file)] = became["differs"]
            return
        if outcome == "changed":
            call(replace(self.ctx, now=this_instant()), update_imported, document_id, **post.fields)
        self._count(COUNTED[outcome], file)
        if outcome != "unchanged":
            self._list_what_is_lost(file, post.fields.get("markdown", ""))
        if became.get("withdrawn") and not self.update:
            post = replace(post, withheld=post.withheld or "it was unpublished here")
        stays = became.get("published") and post.withheld and post.dated
        if stays:
            post = replace(post, withheld=f"{post.withheld}; what was published before stays")
        if self.publish and (stays or outcome == "changed" or not became["live"]):
            self._publish_dated(file, document_id, post)

    def _list_what_is_lost(self, file: Path, markdown: str) -> None:
        content = content_of(markdown)
        for listed, found in (
            (self.report.lost, losses_of(content) if self._names_losses else ()),
            (self.report.shortcodes, tags_in(markdown)),
            (self.report.links, self.links.left(file, content)),
            (self.report.rootLinks, (link for link in content.links if self.links.is_from_root(link[0]))),
        ):
            if places := [Place(line=line, what=shown(what)) for what, line in islice(found, MOST_FAILURES)]:
                listed[self._named(file)] = places

    @property
    def _names_losses(self) -> bool:
        """False where the project has switched the check off."""
        return "checks" in self.ctx.features and levels_of(self.project).get(CheckName.HTML_KEPT) != CheckLevel.OFF

    def _publish_dated(self, file: Path, document_id: str, post: Post) -> None:
        ctx = replace(self.ctx, now=this_instant())
        if post.withheld or post.dated is None:
            self.report.unpublished[self._named(file)] = shown(post.withheld)
            return
        call(ctx, publishing.publish_dated, document_id, publishedAt=wire_time(post.dated))
        self._count("published", file)

    def _count(self, what: str, file: Path) -> None:
        setattr(self.report, what, getattr(self.report, what) + 1)
        self.report.files.get(what, []).append(self._named(file))

    def _refuse(self, file: Path, error: Unreadable | Refusal) -> None:
        lines = error.lines if isinstance(error, Refusal) else [str(error)]
        where = self.report.skipped if isinstance(error, LeftOut) else self.report.refused
        where[self._named(file)] = shown(" ".join(lines))

    def _named(self, file: Path) -> str:
        return shown(str(file.relative_to(self.root) if self.root.is_dir() else file))


def _markdown_in(folder: Path) -> Iterator[Path]:
    """Yields the markdown files of a folder and its subfolders, without hidden ones, and folders it can't read."""
    unreadable: list[Path] = []
    for directory, folders, names in os.walk(folder, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if Path(name).suffix.lower() in SUFFIXES and not name.startswith("."):
                yield Path(directory, name)
    yield from unreadable
