"""Writes docs/configuration.md from the settings themselves: python docs/configuration.py"""

from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from app.settings import Settings

PAGE = Path(__file__).with_name("configuration.md")
HEAD = """\
# Configuration

The environment is read once, at start. A wrong value stops the start with a message that names every wrong variable.
(This page is written by `python docs/configuration.py`.)

| Variable | Default | Meaning |
|---|---|---|
"""


def page() -> str:
    """Returns the page."""
    rows = (setting for setting in fields(Settings) if "name" in setting.metadata)
    return HEAD + "".join(
        f"| `{setting.metadata['name']}` | {_shown(setting.default)} | {setting.metadata['doc']} |\n"
        for setting in rows
    )


def _shown(default: Any) -> str:
    if default is MISSING:
        return "required"
    if isinstance(default, bool):
        return f"`{int(default)}`"
    if isinstance(default, tuple):
        default = ",".join(default)
    return f"`{default}`" if default != "" else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
