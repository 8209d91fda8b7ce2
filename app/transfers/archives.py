"""Moving a whole project out and in over REST: the lines of an export as a response, and as a body.

Each step of the work has a deadline of its own, since the whole takes as long as the project is large. The code is that
of the commands `export` and `import` (decisions, section 10).
"""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from typing_extensions import TypedDict

from app.core.context import Context
from app.core.documented import Count, doc
from app.core.errors import BadRequest, Problem, Refusal
from app.core.operation import Effect, Result, operation
from app.core.store.request_time import outside_of_request
from app.core.vocabulary import Scope
from app.transfers.errors import ImportStopped
from app.transfers.lines import Checked, read_lines
from app.transfers.operations import check_import, export_lines, import_lines

NAMED_LINES = 100
"""Maximum number of refused lines that a refusal names."""


class ExportLine(TypedDict):
    """One line of an export."""

    type: Annotated[str, doc("the type of the record; `export` of the first line, `end` of the last", "export")]


class ImportReport(TypedDict):
    """The outcome of an import."""

    documents: Annotated[Count, doc("how many documents were created", 500)]
    categories: Annotated[Count, doc("how many categories were created", 9)]
    clusters: Annotated[Count, doc("how many clusters were created", 4)]
    members: Annotated[Count, doc("how many members were created", 5)]
    images: Annotated[Count, doc("how many pictures were created", 12)]
    settings: Annotated[list[str], doc("the settings of the project that were replaced", ["name", "siteUrl"])]


@operation(
    Scope.ADMIN,
    Effect.READS,
    "GET /export",
    tag="project",
    streams=True,
    with_texts=ExportLine,  # what OpenAPI says of a line
    tool=False,
)
def export_project(ctx: Context) -> Result[Iterator[bytes]]:
    """Export the project as NDJSON: settings, members, categories, clusters, pictures, documents with all versions.

    As it was at one instant, without tokens, drafts, webhooks and events. The last line is `{"type":"end","lines":…}`:
    without it the export is not whole.
    """
    with outside_of_request():
        lines = export_lines(ctx.store, ctx.project_id)
        first = next(lines)  # which reads the snapshot, or refuses
    return Result(chain([first], lines))


def _import(ctx: Context) -> ImportReport | Refusal:
    """Checks and imports the lines; a dry run checks them. Not again what the try before did."""
    if ctx.prepared is not None:
        done: ImportReport | Refusal = ctx.prepared
        return done
    assert ctx.stream is not None
    try:
        for gate in ctx.features.write_gates:
            if refusal := gate.ask(ctx).get(False):
                return refusal
        with outside_of_request():
            checked = check_import(ctx, read_lines(ctx.stream))
            if checked.refused:
                return _refusal_of(checked)
            if not ctx.dry_run:
                import_lines(ctx, read_lines(ctx.stream))
    except Refusal as refusal:
        return refusal
    created = checked.created
    return ImportReport(
        documents=created["document"],
        categories=created["category"],
        clusters=created["cluster"],
        members=created["member"],
        images=created["image"],
        settings=[*checked.settings],
    )


@operation(
    Scope.ADMIN,
    Effect.CHANGES,
    "POST /import",
    tag="project",
    streams=True,
    errors=(BadRequest, ImportStopped),
    transaction=True,
    prepare=_import,
    tool=False,
)
def import_project(ctx: Context) -> Result[ImportReport]:
    """Import an export into this project, which must have no documents, categories, clusters and members.

    Records keep their ids where these are free. The project gets the settings of the export. All lines are checked
    before any is written; a refused or missing one imports nothing.
    """
    if isinstance(ctx.prepared, Refusal):
        raise ctx.prepared
    ctx.store.writes += 1  # in the transactions before
    return Result(ctx.prepared)


def _refusal_of(checked: Checked) -> BadRequest:
    lines = [
        Problem(field=f"lines[{one.number}]", message=f"{one.what}: {one.why}") for one in checked.refused[:NAMED_LINES]
    ]
    return BadRequest(f"Nothing was imported; refused lines: {checked.refused_lines:,}.", errors=lines)
