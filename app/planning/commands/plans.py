"""`plan`: plans the pieces of a spreadsheet, a YAML or a JSON file (decisions, section 14)."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click

from app.cli.calling import as_json, context, finish, of_project, progress, show_all, shown
from app.core.batches import batches
from app.core.context import Context, this_instant
from app.core.errors import HttpApiDecodeError, IntentInvalid
from app.core.schemas.fields import Schema
from app.core.schemas.loading import load
from app.planning.commands.plan_files import read_plan
from app.planning.operations import plan_documents
from app.planning.responses import Piece
from app.planning.rules import REPEATED
from app.planning.schemas import MAX_PIECES, PieceOutcome, PlanFields
from app.planning.tables import PlanFile, UnreadablePlan


@click.command()
@of_project
@click.argument("path", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--atomic", is_flag=True, help="Plan all pieces or none; at most 500.")
@click.option("--dry-run", is_flag=True, help="Report what would happen, and change nothing.")
@as_json
def command(project_id: str, path: Path, atomic: bool, dry_run: bool, json: bool) -> None:
    """Plan documents with their briefs, many at once.

    FILE is a table (.csv, .tsv) with a header line, YAML or JSON. Each piece has a key of your own: a new one makes a
    document, a known one changes what differs. The same file again changes nothing. The exit code is 1 when a piece was
    refused.
    """
    schema = click.get_current_context().obj.schema_of(PlanFields)
    try:
        plan = read_plan(path, schema)
    except UnreadablePlan as error:
        _fail(error.problems, error.more)
    if not plan.pieces:
        raise click.ClickException(f"{path.name} has no pieces.")
    pieces = _loaded(plan, schema)
    ctx = replace(context(project_id), dry_run=dry_run)
    outcomes = _plan_all(ctx, plan, pieces) if atomic or plan.atomic else _plan_in_batches(ctx, pieces)
    if dry_run:  # what it created is rolled back, so no id of it means anything
        outcomes = [{**one, "id": None} if one["outcome"] == PieceOutcome.CREATED else one for one in outcomes]
    refused = any(one["outcome"] == PieceOutcome.REFUSED for one in outcomes)
    finish({"pieces": outcomes}, lambda: _print_report(plan, outcomes), json=json, dry_run=dry_run, refused=refused)


def _loaded(plan: PlanFile, schema: type[Schema]) -> list[dict[str, Any]]:
    """Returns the pieces with their types and lengths checked; fails with all that is wrong in the whole file."""
    pieces: list[dict[str, Any]] = []
    wrong: list[str] = []
    more = 0
    for start in range(0, len(plan.pieces), MAX_PIECES):
        try:
            pieces += load(schema, {"pieces": plan.pieces[start : start + MAX_PIECES]})["pieces"]
        except HttpApiDecodeError as error:
            wrong += [plan.problem(**issue, start=start) for issue in error.extra["issues"]]
            more += error.extra.get("more", 0)
    if wrong:
        _fail(wrong, more)
    return pieces


def _plan_all(ctx: Context, plan: PlanFile, pieces: Sequence[dict[str, Any]]) -> list[Piece]:
    """Plans all pieces or none, in one request."""
    if len(pieces) > MAX_PIECES:
        raise click.UsageError(f"At most {MAX_PIECES} pieces are planned all or none; the file has {len(pieces):,}.")
    try:
        outcomes = plan_documents(ctx, fields={"pieces": pieces, "atomic": True}).body["pieces"]
    except IntentInvalid as refused:
        wrong = [plan.problem(problem["field"], problem["message"]) for problem in refused.extra["errors"]]
        _fail([*wrong, "No piece was planned."])
    return outcomes


def _plan_in_batches(ctx: Context, pieces: Sequence[dict[str, Any]]) -> list[Piece]:
    """Plans each piece by itself, in as many requests as it takes; a key counts once in the whole file."""
    first = {piece["key"]: index for index, piece in reversed([*enumerate(pieces)])}
    # A piece that is not sent has the key of an earlier piece, perhaps of another batch.
    outcomes: dict[int, Piece] = {
        index: {"key": piece["key"], "id": None, "outcome": PieceOutcome.REFUSED, "errors": [REPEATED]}
        for index, piece in enumerate(pieces)
    }
    with progress("Planning", length=len(first), show_pos=True) as bar:
        for indexes in batches(sorted(first.values()), MAX_PIECES, lambda one: len(pieces[one].get("markdown") or "")):
            batch = {"pieces": [pieces[index] for index in indexes]}
            answer = plan_documents(replace(ctx, now=this_instant()), fields=batch).body["pieces"]
            outcomes |= zip(indexes, answer, strict=True)
            bar.update(len(indexes))
    return [outcomes[index] for index in range(len(pieces))]


def _fail(lines: Sequence[str], more: int = 0) -> NoReturn:
    """Exits after printing what is wrong, and how many more problems there are."""
    for line in lines:
        click.echo(shown(line), err=True)
    if more:
        click.echo(f"And {more:,} more.", err=True)
    sys.exit(1)


def _print_report(plan: PlanFile, outcomes: Sequence[Piece]) -> None:
    rows = [{"where": plan.place(index), **one, "key": shown(one["key"])} for index, one in enumerate(outcomes)]
    show_all(rows, ("where", "key", "outcome", "id"))
    counts = Counter(one["outcome"] for one in outcomes)
    total = f"{len(outcomes):,} piece{'' if len(outcomes) == 1 else 's'}"
    click.echo(f"{total}: {', '.join(f'{counts[what]:,} {what}' for what in PieceOutcome)}.")
    for index, one in enumerate(outcomes):
        for problem in one["errors"]:
            click.echo(shown(f"{plan.place_and_key(index)}: {problem['field']}: {problem['message']}"), err=True)
