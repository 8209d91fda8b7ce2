"""The documentation says what there is."""

import runpy
from pathlib import Path

from app.cli import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"


def test_the_configuration_page_is_that_of_the_settings() -> None:
    made = runpy.run_path(str(DOCS / "configuration.py"))["page"]()

    assert (DOCS / "configuration.md").read_text("utf-8") == made, "run `python docs/configuration.py`"


def test_the_command_line_page_has_every_command() -> None:
    page = (DOCS / "cli.md").read_text("utf-8")

    assert [command for command in COMMANDS if f"`{command}" not in page] == []
