"""Parameters of lists, feeds and figures: pages and filters; and of writes, beside their fields: keys and dry runs.

Query strings become these fields; MCP sends them as they are. Names that a schema does not know are refused or
noted, with the known name that is near (decisions, section 11).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

import marshmallow as ma
import orjson

from app.core.errors import Issue
from app.core.schemas.fields import OVER_MCP, DelimitedStrings, Schema, StrictBoolean, StrictInteger, StrictString
from app.core.schemas.validation import folded, full_match, near_name, one_of

OTHER_PART = {"field": "query parameter", "query parameter": "field of the body"}
"""The other place where a name may belong, in the words of issues, by the place where it was sent."""

LONG_NAME = 100
"""Maximum number of characters of a name that are shown; no known name counts as near to a longer one."""


@dataclass(frozen=True)
class Unknown:
    """A name that was sent and that the schema does not know."""

    path: str
    name: str
    known: tuple[str, ...]
    elsewhere: ma.Schema | None = None
    """The schema of the other part of the request, the query or the body."""

    @property
    def near(self) -> str | None:
        """The known name that was probably meant."""
        if len(self.name) > LONG_NAME:
            return None
        return near_name(self.name, self.known) or near_name(self.name, _by_name(self.elsewhere))

    @property
    def hint(self) -> str:
        """The hint in an error about the name: the known name that was probably meant, else all that are known."""
        if near := self.near:
            return f"did you mean `{near}`?"
        return f"known here: {', '.join(f'`{name}`' for name in self.known) or 'none'}."

    def issue(self, what: str) -> Issue:
        """Returns the issue of an unknown field, argument or query parameter."""
        belongs = self.near and self.near not in self.known
        hint = f"did you mean the {OTHER_PART[what]} `{self.near}`?" if belongs else self.hint
        return Issue(path=self.path, message=f"Unknown {what}; {hint}")


def unknown_names(
    schema: ma.Schema,
    data: Mapping[str, Any],
    path: str = "",
    elsewhere: ma.Schema | None = None,
    others: Iterable[str] = (),
) -> Iterator[Unknown]:
    """Yields the unknown names of `data` in the order in which they were sent, those of nested objects included.

    `elsewhere` is the schema of the other part of the request, the query or the body; `others` are known names that
    the schema does not have.
    """
    fields = _by_name(schema)
    known = (*fields, *others)
    for name, value in data.items():
        if name in fields:
            yield from _inside(fields[name], value, path + name)
        else:
            yield Unknown(path + shortened(name), name, known, elsewhere)


def shortened(name: str) -> str:
    """Returns a name as an issue shows it."""
    return name if len(name) <= LONG_NAME else f"{name[:LONG_NAME]}…"


def _by_name(schema: ma.Schema | None) -> dict[str, ma.fields.Field[Any]]:
    return {field.data_key or name: field for name, field in schema.fields.items()} if schema else {}


def _inside(field: ma.fields.Field[Any], value: Any, path: str) -> Iterator[Unknown]:
    if isinstance(field, ma.fields.Nested) and isinstance(value, Mapping):
        schema = field.schema
        return unknown_names(schema, value, f"{path}.") if isinstance(schema, ma.Schema) else iter(())
    if isinstance(field, ma.fields.List) and isinstance(value, list):
        return chain.from_iterable(_inside(field.inner, item, f"{path}[{place}]") for place, item in enumerate(value))
    return iter(())


MAX_OFFSET = 100_000


MAX_NUMBER = 999_999_999


NUMBERS = {"version": (1, "the version's number"), "number": (0, "the section's number")}
"""The parameters of paths that are no ids, each with the smallest that there is and what it is."""


SMALL_PAGE = 20
"""The default length of a page over MCP: lists are short there, to use little of the context."""
SMALL_OVER_MCP = {OVER_MCP: SMALL_PAGE}


class Page(Schema):
    """One page of a list; a page shorter than `limit` is the last one (contract: Limits)."""

    limit = StrictInteger(1, 100, description="most items to return", load_default=50, metadata=SMALL_OVER_MCP)
    offset = StrictInteger(0, MAX_OFFSET, description="items to skip", load_default=0)


MOST_BYTES = 65_536
"""Maximum size of a list over MCP, unless its first record is larger."""


def fitting(records: Sequence[Any]) -> int:
    """Returns how many records, from the first on, fit into a list over MCP; one always does."""
    sizes = accumulate(len(orjson.dumps(one)) + 1 for one in records)
    return max(1, sum(size <= MOST_BYTES for size in sizes))


class PartQuery(Schema):
    """Which part of a long text, by characters, or list to read over MCP; over REST always all."""

    offset = StrictInteger(0, description="items to skip", load_default=0)


def in_part(record: Mapping[str, Any], name: str, fields: Mapping[str, Any], most: int = MOST_BYTES) -> dict[str, Any]:
    """Returns a record with what fits of a text or a list in it over MCP, and where the rest of that begins.

    Without an `offset` in the fields of the request, as over REST, it stays as it is.
    """
    if "offset" not in fields or name not in record:
        return {**record}
    start, value = fields["offset"], record[name]
    if isinstance(value, str):
        part = value[start : start + most]
        while (size := len(orjson.dumps(part))) > most + 2:
            part = part[: len(part) * most // size]
    else:
        part = value[start : start + fitting(value[start:])]
    end = start + len(part)
    return {**record, name: part, **({"nextOffset": end} if end < len(value) else {})}


WHOLE = "whole_records"
"""Name, in what was loaded, of the argument by which a call over MCP asks for whole records."""


class ShortRecords(Schema):
    """The argument of a list whose records are short over MCP."""

    whole_records = StrictString(
        validate=[one_of(["all"])], description="`all`: whole records", allow_none=False, data_key="fields"
    )


class LongPage(Page):
    """One page of a list of categories, clusters or members (decisions, section 5)."""

    limit = StrictInteger(1, 500, description="most items to return", load_default=100, metadata=SMALL_OVER_MCP)


VISIBLE_ASCII = "[!-~]{1,255}"


def idempotency_key(**options: Any) -> StrictString:
    """Declares an idempotency key as an argument or a header."""
    return StrictString(
        255,
        validate=[full_match("[!-~]+", "Must be visible ASCII characters, at least one.")],
        description="a key of your own choice for this call, new for each piece of work. When you got no response, "
        "call again with the same key: within 24 hours the first response is sent again and nothing is done twice",
        allow_none=False,
        metadata={"minLength": 1, "pattern": f"^{VISIBLE_ASCII}$"},
        **options,
    )


class WriteHeaders(Schema):
    """The headers of every write over REST."""

    idempotency_key = idempotency_key(data_key="Idempotency-Key")


class ConditionalWriteHeaders(WriteHeaders):
    """The headers of a write of one record."""

    if_match = ma.fields.String(
        data_key="If-Match", metadata={"description": "an ETag: the write is refused when the record changed since"}
    )


class DryRun(Schema):
    """The parameter that makes a call a dry run."""

    dryRun = StrictBoolean(
        description="`true`: answers as the call would now, and changes nothing; ids and times are made up"
    )


class DryRunQuery(DryRun):
    """The query of an operation that writes: a dry run that is spelled wrong must not be the real call."""

    @ma.validates_schema(pass_original=True, skip_on_field_errors=False)
    def _refuse_misspelt(self, data: Mapping[str, Any], original: Mapping[str, Any], **options: Any) -> None:
        """Refuses names that are `dryRun` but for case, `_`, `-` and two edits (decisions, section 11)."""
        wrong = [name for name in original if name not in self.fields and is_nearly_dry_run(name)]
        if wrong:
            raise ma.ValidationError({shortened(name): ["Did you mean `dryRun`? Nothing was done."] for name in wrong})


def is_nearly_dry_run(name: str) -> bool:
    """Returns whether a name is `dryRun`, or could be meant to be."""
    from rapidfuzz.distance import Levenshtein  # takes 2 MB, and is needed for misspelt names alone

    return Levenshtein.distance(folded(name), folded("dryRun"), score_cutoff=2) <= 2


_SPACE_FOR_PLUS = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*) (\d\d(?::?\d\d)?)")
"""A timestamp whose offset lost its `+`, which a query string reads as a space."""


def from_query(schema: ma.Schema, query: Mapping[str, str]) -> dict[str, Any]:
    """Returns the parameters of a query string: digits as integers, true and false as booleans, lists split at commas.

    A `+` in a timestamp is what became a space.

    Any other value stays a string, so that the schema refuses it like any wrong type.
    """
    values: dict[str, Any] = dict(query)
    for key, field in schema.fields.items():
        name = field.data_key or key
        if name not in query:
            continue
        text = query[name]
        if isinstance(field, StrictInteger) and re.fullmatch(r"-?[0-9]{1,18}", text):
            values[name] = int(text)
        elif isinstance(field, StrictBoolean) and text in ("true", "false"):
            values[name] = text == "true"
        elif field.metadata.get("format") == "date-time":
            values[name] = _SPACE_FOR_PLUS.sub(r"\1+\2", text)
        elif isinstance(field, DelimitedStrings):
            values[name] = text.split(field.delimiter)
    return values
