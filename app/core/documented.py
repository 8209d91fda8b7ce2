"""Documentation of the keys of a response's TypedDict; pydantic makes JSON Schemas of its annotations.

    class Member(TypedDict):
        \"\"\"A member of the project.\"\"\"

        id: Annotated[Id, doc("the member's id")]
        email: Annotated[str | None, doc("their e-mail address", "ada@example.org")]

The TypedDict is the only declaration of a response: mypy checks what builds it, nothing is dumped through a schema.
"""

import re
from collections.abc import Iterable
from inspect import cleandoc
from typing import Annotated, Any

from pydantic import Field

HEX_ID = "^[0-9a-f]{24}$"
EXAMPLE_ID = "6650f0a1b2c3d4e5f6a7b8c9"
EXAMPLE_TIME = "2027-01-31T09:00:00.000Z"
EXAMPLE_DAY = "2027-02-14"


def doc(description: str, *example: Any, **options: Any) -> Any:
    """Documents a key; without an `example`, OpenAPI shows null, or the usual value of the key's type."""
    if example:
        options["examples"] = [*example]
    return Field(description=description, **options)


def shown_once(description: str, example: str) -> Any:
    """Documents a secret, which is left out of a replay, and null in a dry run."""
    return doc(f"{description}; null in a dry run", example, json_schema_extra={"type": ["string", "null"]})


def one_of(words: Iterable[str]) -> Any:
    """Documents a string as a word of a closed list."""
    return Field(json_schema_extra={"enum": [str(word) for word in words]})


def docstring(described: type) -> str:
    """Returns the docstring of a class without its references to the contract."""
    return re.sub(r"\s\((contract|decisions)\b[^)]*\)", "", cleandoc(described.__doc__ or ""))


MAX_INTEGER = 2**31 - 1
"""The highest whole number that a record or a request has."""

Count = Annotated[int, Field(ge=0, le=MAX_INTEGER)]
Version = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
Id = Annotated[str, Field(pattern=HEX_ID, examples=[EXAMPLE_ID])]
Timestamp = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=[EXAMPLE_TIME])]
Date = Annotated[str, Field(json_schema_extra={"format": "date"}, examples=[EXAMPLE_DAY])]
