"""YAML, TOML and JSON from untrusted files: size and nesting are bounded before a value is built.

YAML aliases and merge keys can multiply a few lines into gigabytes, and both parsers recurse or slow down on deep
nesting, so `parse_yaml` and `parse_toml` refuse those before they parse.
"""

import json
import re
import tomllib
from collections import Counter
from itertools import accumulate
from typing import Any

import yaml

MAX_CHARACTERS = 131_072
"""Maximum number of characters of a text; a brief with every field at its limit has half as many."""
MAX_LEVELS = 32

MAX_NUMBER = 18
"""Maximum number of characters of a number in YAML: reading one in base 60 (`1:59:59`) takes quadratic time, and longer
ones can have equal hashes, which as keys take quadratic time too."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NUMBER = re.compile(r"[-+]?(?:0x[0-9a-fA-F_]++|[0-9][0-9_]*+(?::[0-5]?[0-9])*+(?:\.[0-9_]*+)?)")
"""A plain scalar that YAML 1.1 takes for a number."""

TOO_DEEP = f"it has more than {MAX_LEVELS} levels."
_TOML_KEY_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_DEEP_TOML_KEY = re.compile(rf"(?<![\w\\-])(?:{_TOML_KEY_PART}){{{MAX_LEVELS + 1}}}")


class Unparsable(Exception):
    """A text that is not valid, or exceeds a bound; the message says why."""


def parse_yaml(text: str, *, max_characters: int = MAX_CHARACTERS, first_line: int = 2) -> Any:
    """Returns the value of a YAML document. Raises `Unparsable`.

    `first_line` is the line of its file that it begins in: by default the one after the fence of front matter.
    """
    _check_length(text, max_characters)
    try:
        _check_events(text, first_line)
        _refuse_doubled_keys(yaml.compose(text, LOADER), first_line)
        return yaml.load(text, LOADER)  # noqa: S506  # nosec B506
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + first_line if error.problem_mark else 1
        raise Unparsable(f"line {line}: {error.problem}") from None
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        raise Unparsable(" ".join(str(error).split())) from None


def parse_toml(text: str) -> Any:
    """Returns the value of a TOML document. Raises `Unparsable`."""
    _check_length(text, MAX_CHARACTERS)
    if _DEEP_TOML_KEY.search(text):
        raise Unparsable(TOO_DEEP)
    try:
        return tomllib.loads(text)
    except RecursionError:  # tomllib is written in Python, so deep nesting can't overflow the C stack
        raise Unparsable(TOO_DEEP) from None
    except ValueError as error:
        raise Unparsable(" ".join(str(error).split())) from None


def parse_leading_json(text: str) -> tuple[Any, int]:
    """Returns the JSON value that a text begins with, and the place after it. Raises `Unparsable`."""
    try:
        value, end = json.JSONDecoder(object_pairs_hook=_without_doubled_keys).raw_decode(text[:MAX_CHARACTERS])
    except RecursionError:
        raise Unparsable(TOO_DEEP) from None
    except ValueError as error:
        raise Unparsable(str(error)) from None
    brackets = re.sub(r'"(?:[^"\\]|\\.)*+"|[^][{}"]++', "", text[:end])
    if max(accumulate(1 if one in "[{" else -1 for one in brackets)) > MAX_LEVELS:
        raise Unparsable(TOO_DEEP)
    return value, end


def _without_doubled_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen = dict(pairs)
    if len(seen) < len(pairs):
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise Unparsable(f"the key {key!r} stands twice: remove one.")
    return seen


def _check_length(text: str, most: int) -> None:
    if len(text) > most:
        raise Unparsable(f"it is longer than {most:,} characters.")


def _check_events(text: str, first_line: int) -> None:
    """Refuses, before building a value, aliases and merge keys, deep nesting, long numbers, and explicit tags.

    Explicit tags make PyYAML's constructors fail in ways of their own: `!!int ''` is an IndexError.
    """
    level = 0
    for event in yaml.parse(text, LOADER):
        place = f"line {event.start_mark.line + first_line}:" if event.start_mark else ""
        if isinstance(event, yaml.AliasEvent):
            raise Unparsable(f"{place} an alias (*{event.anchor}) is not accepted: write the value out.")
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
            raise Unparsable(f"{place} a tag ({event.tag}) is not accepted: remove it.")
        if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]:
            raise Unparsable(f"{place} a merge key (<<) is not accepted: write the keys out.")
        if isinstance(event, yaml.ScalarEvent) and _is_long_number(event):
            raise Unparsable(f"{place} a number has at most {MAX_NUMBER} characters: write a text in quotes.")
        level += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if level > MAX_LEVELS:
            raise Unparsable(f"{place} {TOO_DEEP}")


def _refuse_doubled_keys(root: yaml.Node | None, first_line: int) -> None:
    nodes = [] if root is None else [root]
    for node in nodes:  # which grows meanwhile
        if isinstance(node, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    line = key.start_mark.line + first_line
                    raise Unparsable(f"line {line}: the key {key.value!r} stands twice: remove one.")
                seen.add(str(key.value))
                nodes.append(value)
        elif isinstance(node, yaml.SequenceNode):
            nodes += node.value


def _is_long_number(event: yaml.ScalarEvent) -> bool:
    return len(event.value) > MAX_NUMBER and event.implicit[0] and _NUMBER.fullmatch(event.value) is not None
