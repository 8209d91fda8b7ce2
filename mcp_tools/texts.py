"""The texts for language models, from the templates of this folder."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

TEMPLATES = Environment(  # nosec B701
    loader=FileSystemLoader(Path(__file__).parent),
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    autoescape=False,  # noqa: S701  # they are markdown
)


def text_of(template: str, **values: Any) -> str:
    """Returns the text of a template."""
    return TEMPLATES.get_template(template).render(values)
