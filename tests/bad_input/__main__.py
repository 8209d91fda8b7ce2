"""`make fuzz`: runs the campaign on a real mongod, and prints figures and what was found."""

import os
import sys

from app.cli.mongod import running_mongod
from tests.bad_input.campaign import MIB
from tests.bad_input.targets import SHARES, database, run_target
from tests.conftest import CHECKOUT


def main() -> int:
    """Runs the targets one after the other; returns 1 where something was found."""
    seed, inputs = int(os.environ.get("SEED") or 1), int(os.environ.get("INPUTS") or 20_000)
    first, chosen = int(os.environ.get("FIRST") or 0), os.environ.get("TARGET") or ""
    names = chosen.split(",") if chosen else list(SHARES)
    shares = sum(SHARES[name] for name in names)
    total, found = 0, 0
    print(f"{'target':12} {'inputs':>9} {'refused':>9} {'a second':>9} {'slowest':>9} {'growth':>9} {'found':>6}")
    with running_mongod(CHECKOUT / ".mongod" / "tests") as uri, database(uri) as (store, app):
        for name in names:
            figures = run_target(name, uri, store, app, seed=seed, inputs=inputs * SHARES[name] // shares, first=first)
            rate, growth = figures.inputs / figures.seconds, f"{figures.growth / MIB:.0f} MiB"
            columns = f"{figures.inputs:>9,} {figures.refused:>9,} {rate:>9,.0f} {figures.slowest:>7.2f} s {growth:>9}"
            print(f"{name:12} {columns} {len(figures.findings):>6}", flush=True)
            print("\n".join(["", *figures.findings]) if figures.findings else "", end="", flush=True)
            total += figures.inputs
            found += len(figures.findings)
    print(f"{total:,} inputs with the seed {seed}: {found} found.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
