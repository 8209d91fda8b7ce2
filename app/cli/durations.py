"""Durations as options of commands: a number and a unit, like `90d`."""

import re
from datetime import timedelta
from typing import Any

import click

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Duration(click.ParamType[timedelta]):
    """A duration like `90d`; `none` allows one of no length, like `0d`."""

    name = "duration"

    def __init__(self, *, none: bool = False) -> None:
        self._form = re.compile(f"({'0|' if none else ''}[1-9][0-9]{{0,5}})([{''.join(UNITS)}])")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        found = self._form.fullmatch(value)
        if found is None:
            self.fail("Write a number and a unit, m, h, d or w, like 12h or 90d.", param, ctx)
        return timedelta(**{UNITS[found[2]]: int(found[1])})
