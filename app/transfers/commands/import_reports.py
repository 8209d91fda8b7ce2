"""The report of `import` of markdown files, and how it is printed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import click
from typing_extensions import TypedDict

NAMED = 20
"""Maximum number of files of a kind that are named in text."""


class Place(TypedDict):
    """Something in a text, with its line."""

    line: int
    what: str


@dataclass
class Report:
    """The outcome of every file."""

    created: int = 0
    unchanged: int = 0
    updated: int = 0
    published: int = 0
    files: dict[str, list[str]] = field(default_factory=lambda: {"created": [], "updated": [], "published": []})
    """The files that each of these numbers counts."""
    edited: list[str] = field(default_factory=list)
    """The files that differ, or were written, whose document has a version that is not an import's."""
    changed: dict[str, list[str]] = field(default_factory=dict)
    """The differing fields of each file that was not written."""
    renamed: dict[str, str] = field(default_factory=dict)
    """The slug of the document of each file that was renamed here."""
    dates: dict[str, str] = field(default_factory=dict)
    """When the document of each file was published, if the file has another date."""
    unpublished: dict[str, str] = field(default_factory=dict)
    """Why `--publish` did not publish a file."""
    refused: dict[str, str] = field(default_factory=dict)
    missing: dict[str, list[str]] = field(default_factory=dict)
    """The pictures that each file names and that could not be uploaded, with why."""
    alts: dict[str, str] = field(default_factory=dict)
    """The alternative text of the cover of each file that names another, of a picture that was there before."""
    others: dict[str, list[str]] = field(default_factory=dict)
    """The authors of each file who are not its document's."""
    lost: dict[str, list[Place]] = field(default_factory=dict)
    """What the text of each file that was written loses in html, as the check `html_kept` names it."""
    unknown: dict[str, int] = field(default_factory=dict)
    """The number of files that have each unknown front matter key."""
    further: dict[str, int] = field(default_factory=dict)
    """The number of files that have more values for a key than the one that a document takes."""
    shortcodes: dict[str, list[Place]] = field(default_factory=dict)
    """What is markdown only for the generator of a site, in the text of each file that was written."""
    attributes: dict[str, int] = field(default_factory=dict)
    """The number of files whose text had each list of attributes, or argument of a shortcode, that was left out."""
    links: dict[str, list[Place]] = field(default_factory=dict)
    """The links to other files, and relative ones, in the text of each file that was written."""
    rootLinks: dict[str, list[Place]] = field(default_factory=dict)
    """The other links from the site's root in those texts."""
    categories: list[str] = field(default_factory=list)
    """The paths of categories that were created."""
    absent: list[str] = field(default_factory=list)
    """The paths of categories that `--update` would create."""
    paths: dict[str, str] = field(default_factory=dict)
    """The slug of the document that each path of a page on the old site leads to, without drafts."""
    categoryPaths: dict[str, str] = field(default_factory=dict)
    """The slug of each category by its path on Hugo's site, if the project has a `categoryUrl`."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Why no redirect leads from a path to its document."""
    skipped: dict[str, str] = field(default_factory=dict)
    """The files that are code besides markdown, or pages of sections, with why."""


def print_report(report: Report, files: int) -> None:
    click.echo(
        f"{files} file{'' if files == 1 else 's'}: {report.created} created, {report.updated} updated, "
        f"{report.unchanged} unchanged, {len(report.changed)} changed since, {len(report.refused)} refused, "
        f"{report.published} published."
    )
    for what, named in (*report.files.items(), ("changed here since the import", report.edited)):
        if named:
            click.echo(f"{what.capitalize()}: {_first(named)}")
    for file, differs in report.changed.items():
        click.echo(f"Changed since the import; --update writes it: {file} ({', '.join(differs)})")
    for file, slug in report.renamed.items():
        click.echo(f"Renamed here, which stays: {file} ({slug})")
    if report.dates:
        click.echo(f"Published here at another time than the file's date, which stays: {_first([*report.dates])}")
    for file, why in report.unpublished.items():
        click.echo(f"Not published: {file}: {why}")
    wrong: tuple[tuple[str, Mapping[str, str | list[str] | list[Place]]], ...] = (
        ("Refused", report.refused),
        ("Pictures that were not uploaded", report.missing),
        ("Skipped", report.skipped),
        ("Links that lead nowhere on the site", report.links),
        ("Links from the site's root, which stay as they are", report.rootLinks),
    )
    for what, files_with_it in wrong:
        for file, found in files_with_it.items():
            click.echo(f"{what}: {file}: {found if isinstance(found, str) else '; '.join(map(_line, found))}", err=True)
    for why, paths in _grouped((why, path) for path, why in report.redirects.items()):
        click.echo(f"Former paths from which no redirect leads, as {why}: {_first(paths)}", err=True)
    if report.paths:
        redirected = len(report.paths.keys() - report.redirects.keys())
        click.echo(f"{len(report.paths)} former paths, which --json has whole; redirects lead from {redirected}.")
    if report.categoryPaths:
        click.echo(f"{len(report.categoryPaths)} former paths of categories, which --json has whole.")
    if report.alts:
        texts = "; ".join(f"{file}: {alt}" for file, alt in report.alts.items())
        click.echo(f"Covers with the alternative text that their picture had before: {texts}")
    if report.categories:
        click.echo(f"Categories that were created: {', '.join(report.categories)}")
    for file, losses in report.lost.items():
        click.echo(f"Not in the html of {file}: {' '.join(map(_line, losses))}")
    for category in report.absent:
        click.echo(f"No category here: {category}; if it was renamed, name it so in the files: --update creates it")
    places = ((one["what"], f"{file} line {one['line']}") for file, tags in report.shortcodes.items() for one in tags)
    for tag, where in sorted(_grouped(places)):
        click.echo(f"Not markdown here, published as text at these lines of it: {tag} ({_first(where)})")
    authors = Counter(name for names in report.others.values() for name in names)
    for what, counts in (
        ("Authors that were not taken, as only the first who is a member is", authors),
        ("Attributes, and places of contents, that were left out", report.attributes),
        ("Front matter keys that import does not know", report.unknown),
        ("Front matter keys with values that a document has no place for", report.further),
    ):
        if counts:
            keys = ", ".join(f"{key} ({count})" for key, count in sorted(counts.items()))
            click.echo(f"{what}, with the number of files: {keys}")


def _line(found: str | Place) -> str:
    return found if isinstance(found, str) else f"line {found['line']} of the text: {found['what']}"


def _grouped(pairs: Iterable[tuple[str, str]]) -> Iterable[tuple[str, list[str]]]:
    groups = defaultdict[str, list[str]](list)
    for key, value in pairs:
        groups[key].append(value)
    return groups.items()


def _first(named: Sequence[str]) -> str:
    more = f", and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
    return ", ".join(named[:NAMED]) + more
