"""The kinds of field that the tables are made of, strict about types.

Each kind tells two sorts of rule apart. Its *shape* (type, length, range) is checked at the door and refused
with 400 `HttpApiDecodeError`. Its *meaning* (a real date, one of a list of words, a URL) is checked by the
operation: a draft may hold a wrong word until it is confirmed. `stages.py` runs the two.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from enum import StrEnum
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit

import marshmallow as ma
from marshmallow import fields, validate

Check = Callable[[Any], Any]

UNSTATED_LENGTH = 500
"""The most characters of a string for which the contract states no length (decisions, section 4)."""

MAX_INTEGER = 2**31 - 1


_F = TypeVar("_F", bound=fields.Field[Any])


class Fields(ma.Schema):
    """A table of fields; those it does not name are ignored (contract: Conventions)."""

    class Meta:
        unknown = ma.EXCLUDE


class _Kind:
    """What every kind has: the checks of its meaning, and whether confirming needs it."""

    default_error_messages: ClassVar[dict[str, Any]] = {"required": "Is required.", "null": "Must not be null."}
    meaning: tuple[Check, ...] = ()
    needed: bool = False


class Text(_Kind, fields.String):
    """A string of Unicode text, without null bytes and lone surrogates, which MongoDB can't keep."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        if not isinstance(value, str):
            raise ma.ValidationError("Must be a string.")
        if "\0" in value:
            raise ma.ValidationError("Must not hold a null character.")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ma.ValidationError("Must not hold half of a surrogate pair.") from None
        return value


class Whole(_Kind, fields.Integer):
    """An integer; `"5"`, `5.0` and `true` are none."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, error_messages={"invalid": "Must be an integer."}, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return value


class Flag(_Kind, fields.Boolean):
    """`true` or `false` and nothing else."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise ma.ValidationError("Must be true or false.")
        return value


class Items(_Kind, fields.List[Any]):
    """A list of one kind of thing."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise ma.ValidationError("Must be an array.")
        try:
            return super()._deserialize(value, attr, data, **kwargs)
        except ma.ValidationError as error:
            # marshmallow asks for the list's own length only when every item is right; a caller wants to know both.
            raise ma.ValidationError({**self._wrong_itself(value), **error.messages_dict}) from None

    def _wrong_itself(self, value: list[Any]) -> dict[Any, Any]:
        try:
            self._validate(value)
        except ma.ValidationError as error:
            return {"_schema": [str(message) for message in error.messages]}
        return {}


class Table(_Kind, fields.Nested):
    """An object that has a table of its own."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ma.ValidationError("Must be an object.")
        return super()._deserialize(value, attr, data, *args, **kwargs)


class Words(Text):
    """A comma-separated list of words of a closed list, as query parameters have it."""

    def __init__(self, words: Iterable[str], **kwargs: Any) -> None:
        self.words = tuple(words)
        one = "|".join(re.escape(word) for word in self.words)
        kwargs["metadata"] = {"pattern": f"^({one})(,({one}))*$"} | kwargs.get("metadata", {})
        super().__init__(**kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        words = super()._deserialize(value, attr, data, **kwargs).split(",")
        if wrong := [word for word in words if word not in self.words]:
            raise ma.ValidationError(f"{', '.join(map(repr, wrong))}: must be of {', '.join(self.words)}.")
        return list(dict.fromkeys(words))


class Ids(Text):
    """A comma-separated list of ids and the word `none`, as query parameters have it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        named = super()._deserialize(value, attr, data, **kwargs).split(",")
        if not all(re.fullmatch(r"[0-9a-fA-F]{24}|none", one) for one in named):
            raise ma.ValidationError("Must be ids of 24 hexadecimal digits, separated by commas, or none.")
        return [None if one == "none" else one.lower() for one in dict.fromkeys(named)]


def longest(limit: int) -> validate.Length:
    """Returns the check that a string has at most `limit` code points."""
    return validate.Length(max=limit, error=f"Must be at most {limit:,} characters.")


def not_blank(value: str) -> None:
    """Checks that a text has more than white space and characters that nobody sees."""
    if all(unicodedata.category(character)[0] in "ZC" for character in value):
        raise ma.ValidationError("Must not be blank.")


def calendar_date(value: str) -> None:
    """Checks for a day that exists, written `YYYY-MM-DD`."""
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
            raise ValueError
        date.fromisoformat(value)
    except ValueError:
        raise ma.ValidationError("Must be a calendar date, written YYYY-MM-DD.") from None


def timestamp(value: str) -> None:
    """Checks for an ISO 8601 timestamp that states its offset from UTC."""
    try:
        instant = datetime.fromisoformat(value)
        if instant.utcoffset() is None or instant.astimezone(UTC).year < 1:
            raise ValueError
    except (ValueError, OverflowError):
        raise ma.ValidationError("Must be a timestamp with its offset, like 2027-01-31T09:00:00Z.") from None


def http_url(value: str) -> None:
    """Checks for an absolute http or https URL with a host."""
    try:
        parts = urlsplit(value)
        good = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        if not good or re.search(r"[\x00-\x20\x7f<>\"\\^`{|}]", value):
            raise ValueError
    except ValueError:
        raise ma.ValidationError("Must be an http or https URL with a host.") from None


def _made(field: _F, meaning: Iterable[Check], needed: bool) -> _F:
    vars(field).update(meaning=tuple(meaning), needed=needed)
    return field


def text(
    limit: int = UNSTATED_LENGTH,
    *meaning: Check,
    doc: str,
    null: bool = True,
    required: bool = False,
    needed: bool = False,
    **metadata: Any,
) -> Text:
    """Declares a string of at most `limit` characters.

    `meaning` are the checks of the operation; `required` is demanded at the door, `needed` when confirming.
    """
    metadata = {"description": f"{doc}; needed to confirm" if needed else doc, **metadata}
    return _made(
        Text(allow_none=null, required=required, validate=[longest(limit)], metadata=metadata), meaning, needed
    )


def word(words: type[StrEnum], *, doc: str, null: bool = True, needed: bool = False) -> Text:
    """Declares a string that is one of a closed list; which one is a matter of meaning, so drafts keep any."""
    choices = [str(word) for word in words]
    one_of = validate.OneOf(choices, error=f"Must be one of {', '.join(choices)}.")
    return text(UNSTATED_LENGTH, one_of, doc=doc, null=null, needed=needed)


def ids(*, doc: str) -> Ids:
    """Declares a query parameter that names records."""
    one = "([0-9a-fA-F]{24}|none)"
    return Ids(metadata={"description": doc, "pattern": f"^{one}(,{one})*$"})


def checked(check: Check, *, doc: str, load_default: str | None = None, **metadata: Any) -> Text:
    """Declares a string whose meaning is checked at the door already, as with every query parameter."""
    default = ma.missing if load_default is None else load_default
    return Text(validate=[check], metadata={"description": doc, **metadata}, load_default=default)


def day(*, doc: str) -> Text:
    """Declares a due date."""
    return text(UNSTATED_LENGTH, calendar_date, doc=f"{doc}, `YYYY-MM-DD`")


def texts(count: int, limit: int, *each: Check, doc: str) -> Items:
    """Declares a list of at most `count` strings, each of at most `limit` characters."""
    inner = _made(Text(validate=[longest(limit)]), each, False)
    length = validate.Length(max=count, error=f"Must have at most {count} items.")
    return _made(Items(inner, allow_none=True, validate=[length], metadata={"description": doc}), (), False)


def words(closed: type[StrEnum], *, doc: str, null: bool = False) -> Items:
    """Declares a list of words of a closed list, each at most once; wrong ones are refused at the door."""
    inner = Text(validate=[validate.OneOf([str(word) for word in closed])])
    return _made(Items(inner, allow_none=null, metadata={"description": doc}), (), False)


def whole(low: int, high: int = MAX_INTEGER, *, doc: str, required: bool = False, **options: Any) -> Whole:
    """Declares an integer from `low` to `high`; outside is a matter of shape."""
    inside = validate.Range(low, high, error=f"Must be from {low:,} to {high:,}.")
    return Whole(required=required, validate=[inside], metadata={"description": doc}, **options)


def flag(*, doc: str) -> Flag:
    """Declares a boolean."""
    return Flag(metadata={"description": doc})


def table(schema: type[Fields], *, doc: str, needed: bool = False) -> Table:
    """Declares an object with a table of its own; null clears it whole."""
    return _made(Table(schema, allow_none=True, metadata={"description": doc}), (), needed)
