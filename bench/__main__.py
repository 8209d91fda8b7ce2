"""Runs the benchmarks on a real mongod and prints each figure beside its floor."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from app.cli.mongod import running_mongod
from app.store.indexes import create_indexes
from app.store.store import connect

PARTS = ("management", "mcp", "documents", "delivery")


def main() -> None:
    """Prints a table: what was measured, how fast it is, how fast its floor is, and the ratio of the two."""
    table = Table("", "a second", "the floor's", "ratio")
    with running_mongod(Path(".mongod") / "bench") as uri:
        for part in sys.argv[1:] or PARTS:
            store = connect(uri, f"bench_{uuid4().hex[:12]}")
            create_indexes(store.database)
            try:
                for what, figure, floor in import_module(f"bench.{part}").run(uri, store):
                    table.add_row(what, f"{figure:,.0f}", f"{floor:,.0f}", f"{figure / floor:.2f}")
            finally:
                store.database.client.drop_database(store.database.name)
    Console().print(table)


if __name__ == "__main__":
    main()
