"""Measures the service beside the bare floor, on a mongod of its own, and writes the figures down."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from app.cli.mongod import running_mongod
from bench import growth, processes, report, requests
from bench.growth import Growth
from bench.requests import Figure
from bench.servers import own_store


@click.command()
@click.option("--only", default="", help="Measure the requests whose name contains this, and write nothing down.")
@click.option("--growth", "documents", type=int, help="Measure growth alone, to a project of so many documents.")
def main(only: str, documents: int | None) -> None:
    """Prints what each request reaches beside its floor, and how it grows; under 5 minutes."""
    console, load = Console(), os.getloadavg()[0]
    with running_mongod(Path(".mongod") / "bench") as uri:
        if documents:
            grown = list(growth.run(uri, documents))
            console.print(_growth(grown, documents))
            console.print(f"Written: {report.write_growth(grown, documents)} and docs/performance.md")
            return
        with own_store(uri) as store:
            figures = list(requests.run(uri, store, only))
        console.print(_figures(figures))
        if only:
            return
        grown = list(growth.run(uri))
        console.print(_growth(grown, growth.MANY))
        with own_store(uri) as store:
            alone = processes.run(uri, store)
    console.print({name: round(value) for name, value in alone.items()})
    console.print(f"Written: {report.write(figures, grown, alone, load)} and docs/performance.md")


def _figures(figures: list[Figure]) -> Table:
    table = Table("", "a second", "beside", "a second", "ratio", "target", "p50 ms", "p99 ms", "p99/p50")
    for one in figures:
        table.add_row(
            one.what,
            f"{one.ours.per_second:,.0f}",
            one.beside,
            f"{one.floor.per_second:,.0f}",
            f"[{'green' if one.ratio >= one.target else 'red'}]{one.ratio:.2f}[/]",
            f"{one.target:.2f}",
            f"{one.ours.p50:.1f}",
            f"{one.ours.p99:.1f}",
            f"[{'green' if one.ours.p99 <= report.TAIL * one.ours.p50 else 'red'}]{one.ours.p99 / one.ours.p50:.1f}[/]",
        )
    return table


def _growth(grown: list[Growth], documents: int) -> Table:
    table = Table(
        "", f"{growth.FEW:,}: ms", f"{documents:,}: ms", "ratio", f"examined: {growth.FEW:,}", f"{documents:,}"
    )
    for one in grown:
        ratio = f"[{'green' if one.ratio <= report.LIMIT else 'red'}]{one.ratio:.2f}[/]"
        table.add_row(
            one.what,
            f"{one.few_ms:.1f}",
            f"{one.many_ms:.1f}",
            ratio,
            f"{one.few_examined:,}",
            f"{one.many_examined:,}",
        )
    return table


if __name__ == "__main__":
    main()
