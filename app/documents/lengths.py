"""The length that a brief wants: numbers in a text that is written freely (decisions, section 12)."""

import regex

SMALLEST_TARGET = 50
_NUMBER = regex.compile(
    r"\d{1,3}(?:[.,]\d{3})+(?!\d)|\d{1,3}(?:['’]\d{3})+(?!\d)"
    r"|(?!\d{3}[ \u00a0\u2009\u202f]\d{3}(?![ \u00a0\u2009\u202f]?\d))\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)|\d++"
)
"""A number, with thousands' marks or without; two numbers of three digits with a space between are two."""


def word_targets(text: str) -> list[int]:
    """Returns the one or two lengths that a brief's `wordCount` names, in words; none for any other number of them."""
    numbers = [int("".join(filter(str.isdigit, found))) for found in _NUMBER.findall(text)]
    targets = sorted(number for number in numbers if number >= SMALLEST_TARGET)
    return targets if len(targets) in (1, 2) else []
