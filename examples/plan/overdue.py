"""Fails when a piece of a plan is overdue: it was due before today, and it is not published.

python3 overdue.py plan.csv, with BASE (the service's address) and TOKEN (a token with the scope `read`) in the
environment. The exit code is 0 when no piece is overdue, and 1 when one is or the plan can't be compared.
"""

import argparse
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rest import Refused, call
from spreadsheet import rows_of

MOST_KEYS = 100
"""How many keys one request may name."""


def overdue(keys: list[str], today: date) -> Iterator[dict[str, Any]]:
    """Yields the documents of a plan that were due before a day and are not published."""
    for start in range(0, len(keys), MOST_KEYS):
        query = {
            "key": ",".join(keys[start : start + MOST_KEYS]),
            "dueBefore": (today - timedelta(days=1)).isoformat(),
            "isPublished": "false",
            "limit": MOST_KEYS,
        }
        documents, _ = call("GET", f"/documents?{urlencode(query)}")
        yield from documents


def main() -> None:
    parser = argparse.ArgumentParser(description="Fail when a piece of a plan is overdue.")
    parser.add_argument("plan", type=Path, help="the spreadsheet, with a column `key`")
    parser.add_argument("--today", type=date.fromisoformat, metavar="DATE", default=datetime.now(UTC).date())
    arguments = parser.parse_args()
    keys = [row["key"] for row in rows_of(arguments.plan) if row["key"]]
    found = list(overdue(keys, arguments.today))
    for document in sorted(found, key=lambda one: one["dueDate"]):
        print(f"{document['dueDate']}  {document['status']:<9}  {document['key']}  {document['title']}")
    print(f"{len(found)} of {len(keys)} pieces overdue.")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    try:
        main()
    except (Refused, OSError) as error:
        sys.exit(f"Not compared: {error}")
