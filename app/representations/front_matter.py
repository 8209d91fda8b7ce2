"""Front matter: YAML 1.2 that every reader of YAML 1.1 takes alike, as each text is in double quotes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NOT_PRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""Characters that JSON leaves as they are, and YAML does not."""


def front_matter(values: Mapping[str, Any]) -> str:
    """Returns a block of front matter with its lines of `---`; keys without a value are left out."""
    lines = [line for name, value in values.items() for line in _lines(name, value)]
    return "\n".join(("---", *lines, "---", ""))


def _lines(name: str, value: Any, indent: str = "") -> Iterator[str]:
    if value is None or value in ("", [], {}, ()):
        return
    if isinstance(value, Mapping):
        yield f"{indent}{name}:"
        for key, inner in value.items():
            yield from _lines(key, inner, f"{indent}  ")
    elif isinstance(value, list | tuple) and isinstance(value[0], Mapping):
        yield f"{indent}{name}:"
        for item in value:
            inner_lines = [line for key, inner in item.items() for line in _lines(key, inner)]
            yield from (f"{indent}  {'  ' if number else '- '}{line}" for number, line in enumerate(inner_lines))
    else:
        yield f"{indent}{name}: {_scalar(value)}"


def _scalar(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)  # of a list too: JSON is YAML
    return _NOT_PRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
