"""Plans the pieces of a spreadsheet over REST, for a CI job that can't reach the database.

python3 plan.py plan.csv [--dry-run], with BASE (the service's address) and TOKEN (a token with the scope `write`) in
the environment. The same again changes nothing. The exit code is 1 when a piece is refused.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from rest import Refused, call
from spreadsheet import rows_of

MOST_PIECES = 500
"""How many pieces one request may plan."""
LISTS = ("brief.referenceUrls", "brief.internalLinks")


def pieces_of(plan: Path) -> list[dict[str, Any]]:
    """Returns the pieces of a spreadsheet as `POST /plan` takes them; empty cells are left out."""
    rows = rows_of(plan)
    pieces = []
    for row in rows:
        if None in row:
            sys.exit(f"{plan}, line {rows.line_num}: there are more cells than columns.")
        pieces.append(_piece({column: cell.strip() for column, cell in row.items() if cell and cell.strip()}))
    return pieces


def _piece(cells: dict[str, str]) -> dict[str, Any]:
    piece: dict[str, Any] = {}
    for column, cell in cells.items():
        if column.startswith("brief."):
            piece.setdefault("brief", {})[column.removeprefix("brief.")] = _value(column, cell)
        else:
            piece[column] = _value(column, cell)
    return piece


def _value(column: str, cell: str) -> str | bool | list[str]:
    if column in LISTS:
        return [one.strip() for one in cell.split("|")]
    return cell.lower() in ("true", "yes") if column == "ready" else cell


def main() -> None:
    parser = argparse.ArgumentParser(description="Plan the pieces of a spreadsheet.")
    parser.add_argument("plan", type=Path)
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and change nothing")
    arguments = parser.parse_args()
    pieces, outcomes = pieces_of(arguments.plan), Counter[str]()
    for start in range(0, len(pieces), MOST_PIECES):
        path, key = ("/plan?dryRun=true", None) if arguments.dry_run else ("/plan", "")
        answer, _ = call("POST", path, {"pieces": pieces[start : start + MOST_PIECES]}, key=key)
        for piece in answer["pieces"]:
            outcomes[piece["outcome"]] += 1
            for error in piece["errors"]:
                print(f"{piece['key']}: {error['field']}: {error['message']}", file=sys.stderr)
    counts = ", ".join(f"{outcomes[one]} {one}" for one in ("created", "updated", "unchanged", "refused"))
    print(f"{len(pieces)} pieces: {counts}.")
    sys.exit(1 if outcomes["refused"] else 0)


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError) as error:
        sys.exit(f"Not planned: {error}")
