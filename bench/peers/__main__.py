"""`make bench-peers`: the service beside Strapi, Directus and Payload; writes a table into `docs/performance.md`."""

import platform
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import click
import orjson

from bench import report, seeds
from bench.peers.measure import CALLERS, Caller, Figure, at_rest, measured
from bench.peers.systems import HERE, SYSTEMS, System

SHORT, LONG = 10_000, 20_000
"""Lengths of a new text, and of one that is written."""
READS, WRITES = 320, 160
DELIVERED = 120
"""How many documents are published before delivery is measured."""


@click.command()
@click.option("--folder", type=Path, default=Path(".mongod/peers"), show_default=True, help="For packages and data.")
@click.option("--documents", default=5_000, show_default=True, help="How many documents are there before.")
@click.option("--only", type=click.Choice([*SYSTEMS]), help="Measure one system, and write nothing down.")
def main(folder: Path, documents: int, only: str | None) -> None:
    """Prints what each system takes for the same work, 8 callers at once; about an hour, the first time more."""
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, Figure]] = {}
    for name in [only] if only else SYSTEMS:
        with SYSTEMS[name](folder) as system:
            found[name] = figures(system, documents)
        click.echo(table({name: found[name]}))
    if not only:
        click.echo(f"Written: {write(found, documents)} and docs/performance.md")


def figures(system: System, documents: int) -> dict[str, Figure]:
    """Returns what each row of the table took."""
    callers = [system.caller() for _ in range(CALLERS)]
    system.prepare(callers[0])
    rest, numbers, made = at_rest(system.processes), count(), list[str]()

    def create(caller: Caller, _: int) -> None:
        number = next(numbers)
        made.append(system.create(caller, f"Loaf {number}", seeds.text(SHORT, number)))

    def step(what: str, call: Callable[[Caller, int], object], calls: int) -> Figure:
        figure = measured(callers, system.processes, rest, call, calls)
        click.echo(f"{system.name}: {what}: {figure.server_ms:.1f} + {figure.database_ms:.1f} ms", err=True)
        return figure

    step("seeding", create, documents * 8 // 9)
    waiting = iter([*made])

    def publish(caller: Caller, _: int) -> None:
        system.publish(caller, next(waiting))

    def update(caller: Caller, number: int) -> None:
        system.update(caller, made[-1 - number], seeds.text(LONG, number))

    step("publishing", publish, DELIVERED)
    assert len(system.listed(callers[0])) == 50
    assert len(system.read(callers[0], made[0])) > SHORT // 2
    assert len(system.delivered(callers[0], "First")) == 20
    rows: Mapping[str, tuple[Callable[[Caller, int], object], int]] = {
        "50 documents of a category": (lambda caller, _: system.listed(caller), READS),
        "one document, 10 KB": (lambda caller, number: system.read(caller, made[number % len(made)]), READS),
        "delivery, the same query": (lambda caller, _: system.delivered(caller, "Same"), READS),
        "delivery, a query not seen before": (lambda caller, number: system.delivered(caller, f"Other{number}"), READS),
        "write 20 KB as a new version": (update, WRITES),
        "create a document": (create, WRITES),
        "publish": (publish, WRITES),
    }
    return {what: step(what, call, calls) for what, (call, calls) in rows.items()}


def table(found: Mapping[str, Mapping[str, Figure]]) -> str:
    """Returns the figures as a table: CPU ms of server and database."""
    rows = [(what, *(_cell(found[name][what]) for name in found)) for what in next(iter(found.values()))]
    return report.markdown_table(("CPU, ms: server+database", *map(_titled, found)), rows)


def _cell(figure: Figure) -> str:
    return f"{figure.server_ms:.1f}+{figure.database_ms:.1f}"


def _titled(name: str) -> str:
    if name == "ours":
        return "This service"
    package = {"strapi": "@strapi/strapi"}.get(name, name)
    version = orjson.loads((HERE / name / "package.json").read_bytes())["dependencies"][package]
    return f"{name.title()} {version}"


def write(found: Mapping[str, Mapping[str, Figure]], documents: int) -> Path:
    """Writes the figures into a file of their own and the table into the page; returns the file."""
    when = f"Measured {datetime.now(UTC):%Y-%m-%d}, {platform.platform()}, {documents:,} documents, 8 callers."
    report.into_page("make bench-peers", [when, table(found)])
    return report.write_results(
        "peers-", {name: {row: vars(one) for row, one in rows.items()} for name, rows in found.items()}
    )


if __name__ == "__main__":
    main()
