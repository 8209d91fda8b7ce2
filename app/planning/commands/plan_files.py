"""Reads the pieces of a plan from a file: CSV as spreadsheets write it, YAML or JSON (decisions, section 14).

The keys of CSV are columns like `brief.keyword`; YAML and JSON hold the body of the request, or its list of pieces.
"""

import codecs
from pathlib import Path
from typing import Any

import orjson

from app.cli.bounded_parsing import Unparsable, parse_yaml
from app.cli.calling import read_bounded
from app.core.schemas.fields import Schema
from app.core.schemas.loading import cached_schema
from app.core.schemas.queries import unknown_names
from app.planning.tables import PlanFile, UnreadablePlan, read_table, text_of

MAX_FILE_BYTES = 100 * 1024 * 1024
MAX_YAML_CHARACTERS = 5_000_000
"""YAML takes about a second a million characters."""

TABLES = (".csv", ".tsv", ".txt")
YAML = (".yaml", ".yml")
SUFFIXES = (*TABLES, *YAML, ".json")


def read_plan(path: Path, schema: type[Schema]) -> PlanFile:
    """Returns the plan in a file, whose body has the fields of `schema`. Raises `UnreadablePlan`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise UnreadablePlan(f"{path.name}: its name must end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}.")
    content = read_bounded(path, MAX_FILE_BYTES, UnreadablePlan, name=f"{path.name}: it")
    if suffix in TABLES:
        return read_table(text_of(content))
    return _from_body(_from_yaml(text_of(content)) if suffix in YAML else _from_json(content), schema)


def _from_yaml(text: str) -> Any:
    """Returns the value of YAML as JSON would have it: a date without quotes is a string, as is every key."""
    try:
        value = parse_yaml(text, max_characters=MAX_YAML_CHARACTERS, first_line=1)
        return orjson.loads(orjson.dumps(value))
    except Unparsable as error:
        raise UnreadablePlan(f"The file is not valid YAML: {error}") from None
    except orjson.JSONEncodeError as error:
        raise UnreadablePlan(f"The file holds what JSON can't: {error}.") from None


def _from_json(content: bytes) -> Any:
    try:
        return orjson.loads(content.removeprefix(codecs.BOM_UTF8))
    except orjson.JSONDecodeError as error:
        raise UnreadablePlan(f"The file is not valid JSON: {error}.") from None


def _from_body(body: Any, schema: type[Schema]) -> PlanFile:
    plan = {"pieces": body} if isinstance(body, list) else body
    if not isinstance(plan, dict) or not isinstance(plan.get("pieces"), list):
        raise UnreadablePlan("The file must hold a list of pieces, or an object with such a list as `pieces`.")
    if unknown := [f"{one.path}: unknown field; {one.hint}" for one in unknown_names(cached_schema(schema), plan)]:
        raise UnreadablePlan(*unknown)
    if not isinstance(plan.get("atomic", False), bool):
        raise UnreadablePlan("atomic: Must be true or false.")
    return PlanFile(plan["pieces"], atomic=plan.get("atomic") is True)
