"""Numbers that a text claims: percentages, amounts of money, and numbers of four digits and more.

Versions, dates, years, telephone numbers and what is part of a name are none. (decisions, section 22)
"""

from collections.abc import Iterator

import regex

_SPACES = " \u00a0\u2009\u202f"
_FIGURE = rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d{{1,3}}(?:['’]\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*"
_CURRENCY = r"[$€£¥₹₽₩₺]|(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|AUD|CAD|INR|BRL|MXN|ARS)\b|(?:US|A|C|R)\$"
_UNIT_OF_MONEY = (
    rf"{_CURRENCY}|(?i:euros?|dollars?|cents?|francs?|franken|rappen|dólares|dollars?|pesos?|pesetas?|livres sterling"
    r"|libras(?: esterlinas)?|pounds sterling|pfund sterling|yen|yuan|rupees|céntimos|centimes)\b"
)
_SCALE = (
    r"(?i:thousand|million|billion|trillion|bn|tausend|mio\.?|mrd\.?|million(?:en)?|milliarden?|mille|millions?"
    r"|milliards?|mil|millones|millón|mil millones|m|k)\b\.?"
)
_PERCENT = r"%|‰|(?i:percent|per cent|pct\.?|prozent|pour cent|pour mille|por ciento|promille)(?!\w)"
_BETWEEN = rf"[{_SPACES}]{{0,2}}"
_RANGE = rf"{_BETWEEN}(?:[-–—]|(?:to|bis|à|a)\b){_BETWEEN}"
_NUMBER = regex.compile(
    rf"""
    (?P<money>{_CURRENCY})?+{_BETWEEN}
    (?<![\w.,/#§]|\w[-–])(?P<first>{_FIGURE})
    (?:(?P<range>{_RANGE})(?P<last>{_FIGURE}))?
    (?P<unit>{_BETWEEN}[-]?(?:{_SCALE}{_BETWEEN}(?:de{_BETWEEN}|d['’])?)?(?:{_PERCENT}|{_UNIT_OF_MONEY}))?
    """.replace("\n    ", ""),
)
_NO_NUMBER = regex.compile(
    r"""
    \+\d[\d\ ()/.\u00a0-]{5,}\d                                             # telephone numbers
    | \(?\b0\d{1,4}\)?[ /\u00a0-]\d[\d /\u00a0-]{3,}\d | \(\d{2,4}\)[ ]\d{3,4}[ -]\d{4}
    | \b(?i:tel|telephone|phone|call|telefon|tél|téléphone|teléfono|fax|ring)\b[.:]?\s{0,2}\d[\d /()\u00a0-]{4,}\d
    | \b\d{3}-\d{3,4}(?:-\d{4})?\b
    | \b[vV]?\d+(?:\.\d+){3,}\b | \b(?i:v|version|release|Fassung|versión)\.?\s?\d+(?:\.\d+)*    # versions, addresses
    | \b\d{1,4}(?P<sep>[./-])\d{1,2}(?P=sep)\d{2,4}\b                         # dates
    | \b\d{1,2}:\d{2}(?::\d{2})?\b
    | \b(?:ISO|DIN|EN|IEC|RFC|CVE|ISBN|ISSN|IEEE|PEP|No\.|Nr\.|n°|nº|N°|Nº|№|\#|§)[\s-]{0,2}\d[\d:.-]*
    """,
    regex.VERBOSE,
)
_DIGIT = regex.compile(r"\d")
_SEPARATORS = regex.compile(rf"[{_SPACES}'’]")
_YEARS = range(1000, 2101)


def numbers_of(text: str) -> Iterator[tuple[str, int]]:
    """Yields the numbers that need a source, as they are written, each with its place."""
    if not _DIGIT.search(text):  # most paragraphs: it takes a hundredth of the rest
        return
    plain = _NO_NUMBER.sub(lambda found: found[0] if _is_thousands(found[0]) else " " * len(found[0]), text)
    for found in _NUMBER.finditer(plain):
        counts = found["money"] or found["unit"]
        for name in ("first", "last"):
            if (number := found[name]) and (_is_long(number) or (counts and not (found["last"] and _is_year(number)))):
                yield number, found.start(name)


def values_of(number: str) -> set[str]:
    """Returns what a number can mean: a single mark before three digits may be one of thousands or of decimals."""
    number = _SEPARATORS.sub("", number)
    whole, mark, rest = number.rpartition("," if number.rfind(",") > number.rfind(".") else ".")
    if not mark:
        return {_stripped(number)}
    others = whole.replace(",", "").replace(".", "")
    is_group = len(rest) == 3 and 1 <= len(whole.replace(",", ".").split(".")[0]) <= 3
    repeated = mark in whole
    values = set() if repeated else {_decimal(others, rest)}
    if is_group and (repeated or others == whole):
        values.add(_stripped(others + rest))
    return values or {_stripped(others + rest)}


def all_values(text: str) -> Iterator[str]:
    """Yields what every number of an excerpt can mean."""
    for found in regex.finditer(rf"(?<![\d.,])(?:{_FIGURE})|\d+(?:[.,]\d+)*", text):
        yield from values_of(found[0])
        for part in _SEPARATORS.split(found[0]):
            if part != found[0]:
                yield from values_of(part)


def _stripped(digits: str) -> str:
    return digits.lstrip("0") or "0"


def _decimal(whole: str, rest: str) -> str:
    rest = rest.rstrip("0")
    return f"{_stripped(whole)}.{rest}" if rest else _stripped(whole)


def _is_thousands(found: str) -> bool:
    return regex.fullmatch(r"\d{1,3}(?:([.,])\d{3}){2,}", found) is not None


def _is_long(number: str) -> bool:
    """Returns whether a number has four digits or more before its decimals, and is no year."""
    if number.isdigit():
        return len(number) >= 4 and not _is_year(number)
    return any(len(one.partition(".")[0]) >= 4 for one in values_of(number))


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.isdigit() and int(number) in _YEARS
