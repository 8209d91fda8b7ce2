"""Reads a plan for the programs of this folder: a spreadsheet in UTF-8, with a column `key`."""

from __future__ import annotations

import csv
import sys
from io import StringIO
from pathlib import Path


def rows_of(plan: Path) -> csv.DictReader[str]:
    """Returns the rows of a spreadsheet, which separates its columns by commas, semicolons or tabs.

    Ends the program with a message where the file can't be read or has no keys.
    """
    try:
        text = plan.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{plan} can't be read: {error}")
    header = text.partition("\n")[0]
    rows = csv.DictReader(StringIO(text, newline=""), delimiter=max(",;\t", key=header.count))
    if "key" not in (rows.fieldnames or ()):
        sys.exit(f"{plan} has no column `key`.")
    return rows
