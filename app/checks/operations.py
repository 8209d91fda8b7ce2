"""Checks of a document: read by its writer, and demanded before it is submitted (decisions, section 12)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import cast

from app.checks.kept import slugs_of_links
from app.checks.of_text import NAMED_TITLES
from app.checks.responses import CheckReport
from app.checks.rules import (
    MOST_FAILURES,
    CheckResult,
    Subject,
    errors_alone,
    failed,
    failed_errors,
    first_of_each,
    run_checks,
)
from app.checks.schemas import ChecksQuery
from app.checks.vocabulary import CheckLevel, CheckName
from app.core.concurrency import processing
from app.core.context import Context
from app.core.operation import Effect, Result, operation
from app.core.schemas.fields import Schema
from app.core.schemas.loading import Fields
from app.core.vocabulary import Channel, Scope
from app.documents.content import markdown_of
from app.documents.operations import own_document
from app.documents.record import StoredDocument, brief_of
from app.documents.store import Documents, Revisions
from app.projects.rules import StoredProject
from app.projects.store import Projects
from app.publications.store import Publications

MOST_LINKED = 1_000
"""Maximum number of slugs in a text that are looked up."""
MOST_SHOWN = 30
"""Maximum number of entries of a check over MCP."""


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/checks",
    query=ChecksQuery,
    rest_query=Schema,
    toolsets=("writing", "reviewing"),
)
def check_document(ctx: Context, document_id: str, fields: Fields) -> Result[CheckReport]:
    """Check a document against its brief and the project's rules.

    A failed check of level `error` prevents submitting.
    """
    document = own_document(ctx, document_id)
    markdown = markdown_of(ctx, document.get("contentId"))
    results = checks_of(ctx, document, check_levels(ctx), markdown)
    failures, blocking = failed(results), len(failed_errors(results))
    most = MOST_SHOWN if ctx.channel == Channel.MCP else MOST_FAILURES
    shown, more = first_of_each(results if fields.get("all", True) else failures, most)
    report: CheckReport = {
        "passed": not blocking,
        "blocking": blocking,
        "warnings": len(failures) - blocking,
        "checks": shown,
    }
    return Result({**report, "more": more} if more else report)


def checks_of(
    ctx: Context,
    document: StoredDocument,
    levels: Mapping[str, str],
    markdown: str,
    links: Sequence[StoredDocument] | None = None,
) -> list[CheckResult]:
    """Returns the outcomes of a document's checks, as the levels demand them; links that are not given are read."""
    brief = brief_of(document)
    if links is None:
        links = ctx.store[Documents].get_links(ctx.project_id, brief.get("internalLinks") or ())
    titles = titles_with_keyword(ctx, brief.get("keyword") or "", exclude=document["id"])
    with processing(ctx, markdown):
        added = ctx.features.added("checked", ctx, document, markdown)
        subject = Subject(document, markdown, links, titles, added, parse=ctx.content.of)
        if levels.get(CheckName.LINKS) != CheckLevel.OFF:
            subject = replace(subject, dead_links=_dead_links(ctx, subject))
        return run_checks(subject, levels, ctx.features.checks)


def _dead_links(ctx: Context, subject: Subject) -> Collection[str]:
    """Returns the addresses in a text that lead to documents of the project that are not published, or in the trash.

    An address is the slug alone, or that of a page of the site; what is delivered is looked up only where a document
    has such a slug.
    """
    site = ctx.store[Projects].recent_settings(ctx.project_id).get("siteUrl") or ""
    slugs = slugs_of_links({address for address, _ in subject.content.links}, site)
    if not slugs:
        return ()
    wanted = sorted({*slugs.values()})[:MOST_LINKED]
    found = ctx.store[Documents].find_with_slugs(ctx.project_id, wanted)
    asked = {row["slug"] for row in found if not row["isPublished"] and row["id"] != subject.document["id"]}
    if rest := {*wanted} - {row["slug"] for row in found}:
        written = {row["documentId"] for row in ctx.store[Revisions].find_with_slugs(ctx.project_id, rest)}
        asked |= rest & ctx.store[Documents].trashed_slugs(ctx.project_id, written)
    if not asked:
        return ()
    dead = asked - ctx.store[Publications].delivered_slugs(ctx.project_id, sorted(asked))
    return {address for address, slug in slugs.items() if slug in dead}


def titles_with_keyword(ctx: Context, keyword: str, exclude: str | None = None) -> Sequence[str]:
    """Returns titles of other documents with a keyword, as many as a message names."""
    if not keyword.strip():
        return []
    return ctx.store[Documents].find_titles_by_keyword(ctx.project_id, keyword, exclude=exclude, limit=NAMED_TITLES)


def demanded_checks(project: StoredProject) -> Mapping[str, str]:
    """Returns the levels of the checks that a submission has to pass; {} if there are none."""
    return errors_alone(levels_of(project))


def check_levels(ctx: Context) -> Mapping[str, str]:
    """Returns the project's levels of checks by name."""
    return levels_of(ctx.store[Projects].settings(ctx.project_id))


def levels_of(project: StoredProject) -> Mapping[str, str]:
    """Returns a project's levels of checks by name; those that are not named are warnings."""
    return cast(Mapping[str, str], project.get("checks") or {})
