"""marshmallow's `Schema` and the fields that request schemas are made of, strict about types.

Requests are checked in two stages. Loading checks types, lengths and ranges; what fails there is 400
`HttpApiDecodeError`. `problems` checks the meaning too (a real date, a word of a closed list, a URL): when a draft is
confirmed, and in the operation for every other write. So a draft may hold a wrong word until it is confirmed. A
string's `checks` belong to the second stage, its `validate` to both.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any
from unicodedata import normalize

import marshmallow as ma
from marshmallow import fields, validate
from marshmallow.experimental.context import Context
from webargs.fields import DelimitedList

from app.core.documented import MAX_INTEGER
from app.core.schemas.validation import HEX_ID, calendar_date, one_of
from app.core.times import timestamp

Check = Callable[[Any], Any]

not_empty = validate.Length(min=1, error="Must not be empty.")

UNSTATED_LENGTH = 500
"""Maximum number of characters of a string for which the contract states no length (decisions, section 4)."""

MAX_LISTED = 100
"""Maximum number of words or ids in one query parameter."""

EXAMPLE = "sample"
"""The key of a field's metadata with its example; apispec does not show this key."""

WORDS = "words"
"""The key of a field's metadata with the attribute of `Features` that has its closed list of words."""

OVER_MCP = "over_mcp"
"""The key of a field's metadata with its default over MCP, where another one uses less of the context."""


class Confirming(Context[bool]):
    """Is true while the second stage runs."""


class OnConfirm:
    """A validator of the second stage: the first one skips it."""

    def __init__(self, check: Check) -> None:
        self.check = check
        if isinstance(check, validate.OneOf):
            self.choices = check.choices  # what apispec documents as `enum`

    def __call__(self, value: Any) -> None:
        if Confirming.get(False):
            self.check(value)


class Schema(ma.Schema):
    """Base schema of requests; fields that it does not name are ignored (contract: Conventions)."""

    class Meta:
        unknown = ma.EXCLUDE

    def __deepcopy__(self, _memo: object) -> "Schema":
        """Returns the schema itself, which nothing changes.

        flask-smorest copies the documentation of a route for each of its decorators: a tenth of the time to start.
        """
        return self


class Documented(fields.Field[Any]):
    """A field with the description and the example that the documentation shows."""

    default_error_messages: dict[str, Any] = {"required": "Is required.", "null": "Must not be null: leave it out."}

    def __init__(
        self,
        *args: Any,
        description: str = "",
        example: Any = None,
        metadata: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        named = {"description": description} if description else {}
        shown = {} if example is None else {EXAMPLE: example}
        if options.get("required"):
            options["error_messages"] = {"null": "Must not be null."}
        super().__init__(*args, metadata={**named, **shown, **(metadata or {})}, **options)


class Clearable(Documented):
    """A field that null clears, unless it is required or `allow_none` is false."""

    def __init__(self, *args: Any, required: bool = False, allow_none: bool | None = None, **options: Any) -> None:
        clears = not required if allow_none is None else allow_none
        super().__init__(*args, required=required, allow_none=clears, **options)


class StrictString(Clearable, fields.String):
    """A string of at most `max_length` code points (None: any number).

    Null characters and lone surrogates are refused, as MongoDB stores neither.
    """

    def __init__(
        self, max_length: int | None = UNSTATED_LENGTH, *checks: Check, validate: Iterable[Check] = (), **options: Any
    ) -> None:
        length = [] if max_length is None else [at_most(max_length, "characters")]
        super().__init__(validate=[*length, *validate, *map(OnConfirm, checks)], **options)

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


class ComposedString(StrictString):
    """A string that is compared and stored in Unicode's composed form, NFC: a slug or a key."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        return normalize("NFC", super()._deserialize(value, attr, data, **kwargs))


class StringToConfirm(StrictString):
    """A string that the second stage requires: a draft can't be confirmed without it."""

    def __init__(self, *args: Any, description: str, **options: Any) -> None:
        super().__init__(*args, description=f"{description}; needed to confirm", **options)

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if value is ma.missing and Confirming.get(False):
            raise self.make_error("required")
        return super().deserialize(value, *args, **kwargs)


class EnumString(StrictString):
    """A word of a closed list, which the second stage checks; a draft, which takes any, leaves `enum` undocumented."""

    def __init__(self, words: Iterable[str], *, in_draft: bool = False, **options: Any) -> None:
        check = one_of(words)
        super().__init__(UNSTATED_LENGTH, check.__call__ if in_draft else check, **options)


class DateString(StrictString):
    """A calendar date, which the second stage checks; a draft, which takes any text, leaves `format` undocumented."""

    def __init__(self, *, description: str, in_draft: bool = False, **options: Any) -> None:
        described = f"{description}, `YYYY-MM-DD`"
        form = {} if in_draft else {"format": "date"}
        super().__init__(UNSTATED_LENGTH, calendar_date, description=described, metadata=form, **options)


class TimeString(StrictString):
    """A timestamp with its offset, which the second stage checks."""

    def __init__(self, **options: Any) -> None:
        super().__init__(100, timestamp, metadata={"format": "date-time"}, **options)


class StrictInteger(Documented, fields.Integer):
    """An integer from `low` to `high`. A number without a fraction (`60.0`, `6e1`) is one, `"5"` and `true` are not."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be an integer."}

    def __init__(self, low: int, high: int = MAX_INTEGER, **options: Any) -> None:
        super().__init__(validate=validate.Range(low, high, error=f"Must be from {low:,} to {high:,}."), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if type(value) is float and value.is_integer():
            return int(value)
        if type(value) is not int:
            raise self.make_error("invalid", input=value)
        return value


class StrictBoolean(Documented, fields.Boolean):
    """`true` or `false` and nothing else."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be true or false."}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> bool:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class List(Clearable, fields.List[Any]):
    """A list of `min_items` to `max_items`; the items of a longer one are not looked at."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be an array."}

    def __init__(
        self, inner: fields.Field[Any], max_items: int, *, min_items: int | None = None, **options: Any
    ) -> None:
        least = [validate.Length(min=min_items, error=f"Must have at least {min_items} item.")] if min_items else []
        most = at_most(max_items, "items")
        super().__init__(inner, validate=[*least, most], **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        for check in self.validators:
            check(value)
        return super()._deserialize(value, attr, data, **kwargs)


class StringList(List):
    """A list of at most `max_items` strings, each of at most `max_length` code points."""

    def __init__(self, max_items: int, max_length: int, *checks: Check, **options: Any) -> None:
        super().__init__(StrictString(max_length, *checks, allow_none=False), max_items, **options)


class DelimitedStrings(Documented, DelimitedList):
    """Strings of one form, each once: `a,b` in a query, an array in JSON. All wrong items are one issue."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be an array."}

    def __init__(self, inner: fields.Field[Any], **options: Any) -> None:
        length = validate.Length(1, MAX_LISTED, error=f"Must have 1 to {MAX_LISTED} items.")
        super().__init__(inner, validate=length, **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        for check in self.validators:
            check(value)
        return list(dict.fromkeys(self.inner.deserialize(item) for item in value))


class EnumList(DelimitedStrings):
    """Words of a closed list; both stages check them."""

    def __init__(self, words: Iterable[str], **options: Any) -> None:
        super().__init__(StrictString(None, validate=[one_of(words)], allow_none=False), **options)


class IdList(DelimitedStrings):
    """Ids, and the word `none` for null."""

    def __init__(self, **options: Any) -> None:
        super().__init__(_IdOrNone(metadata={"pattern": f"^({HEX_ID.pattern}|none)$"}), **options)


class _IdOrNone(Documented, fields.String):
    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if value == "none":
            return None
        if not isinstance(value, str) or not HEX_ID.fullmatch(value):
            raise ma.ValidationError("Must be ids of 24 hexadecimal digits, or none.")
        return value.lower()


class StringTable(Documented, fields.Dict):
    """An object with at most `max_items` keys, each with a string."""

    default_error_messages: dict[str, Any] = {"invalid": "Must be an object."}

    def __init__(self, keys: StrictString, values: StrictString, max_items: int, **options: Any) -> None:
        super().__init__(keys=keys, values=values, **options)
        self._max_items = max_items

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > self._max_items:
            raise ma.ValidationError(f"Must have at most {self._max_items} items.")
        try:
            return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]
        except ma.ValidationError as error:
            if isinstance(error.messages, dict):  # by name, then by `key` and `value`
                flat = {name: [*chain.from_iterable(one.values())] for name, one in error.messages.items()}
                raise ma.ValidationError(flat) from None
            raise


class Nested(Clearable, fields.Nested):
    """An object with a schema of its own."""

    default_error_messages: dict[str, Any] = {"type": "Must be an object."}

    def _deserialize(self, value: Any, attr: str | None, data: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise self.make_error("type")
        return super()._deserialize(value, attr, data, *args, **kwargs)


def at_most(limit: int, things: str) -> validate.Length:
    """Returns the check that a string or list has at most a number of characters or items."""
    verb = "have" if things == "items" else "be"
    return validate.Length(max=limit, error=f"Must {verb} at most {limit:,} {things}.")
