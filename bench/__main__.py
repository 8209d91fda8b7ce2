"""Measures the service beside the bare floor, on a mongod of its own, and writes the figures down."""

import os
from pathlib import Path

import click

from app.cli.mongod import running_mongod
from bench import contention as contended
from bench import growth, processes, report, requests
from bench.servers import own_store


@click.command()
@click.option("--only", default="", help="Measure the requests whose name contains this, and write nothing down.")
@click.option("--growth", "documents", type=int, help="Measure growth alone, to a project of so many documents.")
@click.option("--contention", is_flag=True, help="Measure writes of one project at once alone.")
def main(only: str, documents: int | None, contention: bool) -> None:
    """Prints what each request reaches beside its floor, and how it grows; under 5 minutes."""
    load = os.getloadavg()[0]
    with running_mongod(Path(".mongod") / "bench") as uri:
        if documents:
            grown = list(growth.run(uri, documents))
            click.echo(report.growth_table(grown, documents))
            click.echo(f"Written: {report.write_growth(grown, documents)} and docs/performance.md")
            return
        if contention:
            with own_store(uri) as store:
                click.echo(report.contention_table(list(contended.run(uri, store))))
            return
        with own_store(uri) as store:
            figures = list(requests.run(uri, store, only))
        click.echo(report.requests_table(figures))
        if only:
            return
        grown = list(growth.run(uri))
        click.echo(report.growth_table(grown, growth.MANY))
        with own_store(uri) as store:
            at_once = list(contended.run(uri, store))
        with own_store(uri) as store:
            alone = processes.run(uri, store)
    click.echo(report.contention_table(at_once))
    click.echo(str({name: round(value) for name, value in alone.items()}))
    click.echo(f"Written: {report.write(figures, at_once, grown, alone, load)} and docs/performance.md")


if __name__ == "__main__":
    main()
