"""Reads the pieces of a plan from a file: CSV as spreadsheets write it, YAML or JSON (decisions, section 14).

The keys of CSV are columns like `brief.keyword`; YAML and JSON hold the body of the request, or its list of pieces.
"""

import codecs
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import orjson

from app.cli.bounded_parsing import Unparsable, parse_yaml
from app.cli.calling import read_bounded
from app.schemas.loading import cached_schema
from app.schemas.plan_tables import PlanFile, UnreadablePlan, read_table, text_of
from app.schemas.plans import PlanFields
from app.schemas.unknown import unknown_names

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_YAML_CHARACTERS = 5_000_000
"""YAML takes about a second a million characters."""
MAX_YAML_NUMBER = 18
"""The most characters of a number in YAML. Longer ones can have equal hashes, and as keys take quadratic time."""

TABLES = (".csv", ".tsv", ".txt")
YAML = (".yaml", ".yml")
SUFFIXES = (*TABLES, *YAML, ".json")


def read_plan(path: Path) -> PlanFile:
    """Returns the plan in a file. Raises `UnreadablePlan`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnreadablePlan(f"{path.name}: its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    content = read_bounded(path, MAX_FILE_BYTES, UnreadablePlan, name=f"{path.name}: it")
    if suffix in TABLES:
        return read_table(text_of(content))
    return _from_body(_from_yaml(text_of(content)) if suffix in YAML else _from_json(content))


def _from_yaml(text: str) -> Any:
    try:
        return _with_dates_as_text(
            parse_yaml(text, max_characters=MAX_YAML_CHARACTERS, max_number=MAX_YAML_NUMBER, first_line=1)
        )
    except Unparsable as error:
        raise UnreadablePlan(f"The file is not valid YAML: {error}") from None


def _with_dates_as_text(value: Any) -> Any:
    """Returns a value of YAML converted to what JSON can hold: a date without quotes is a string."""
    if isinstance(value, dict):
        return {name: _with_dates_as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_dates_as_text(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def _from_json(content: bytes) -> Any:
    try:
        return orjson.loads(content.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise UnreadablePlan(f"The file is not valid JSON: {error}.") from None


def _from_body(body: Any) -> PlanFile:
    plan = {"pieces": body} if isinstance(body, list) else body
    if not isinstance(plan, dict) or not isinstance(plan.get("pieces"), list):
        raise UnreadablePlan("The file must hold a list of pieces, or an object with such a list as `pieces`.")
    if wrong := list(_unknown(plan)):
        raise UnreadablePlan(*wrong)
    if not isinstance(plan.get("atomic", False), bool):
        raise UnreadablePlan("atomic: Must be true or false.")
    return PlanFile(plan["pieces"], atomic=plan.get("atomic") is True)


def _unknown(plan: Mapping[str, Any]) -> Iterator[str]:
    not_text = [place for place, piece in enumerate(plan["pieces"]) if _has_other_keys(piece)]
    yield from (f"piece {place + 1}: its keys must be strings." for place in not_text)
    if not not_text and not _has_other_keys(plan):
        yield from (f"{one.path}: unknown field; {one.hint}" for one in unknown_names(cached_schema(PlanFields), plan))


def _has_other_keys(value: object) -> bool:
    """Returns whether an object of YAML has keys that JSON can't have."""
    if not isinstance(value, dict):
        return False
    return any(not isinstance(key, str) for key in value) or any(_has_other_keys(item) for item in value.values())
