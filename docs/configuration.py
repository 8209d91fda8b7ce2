"""Writes docs/configuration.md from the settings themselves: python docs/configuration.py"""

from pathlib import Path
from typing import Any

from app.settings import Settings

PAGE = Path(__file__).with_name("configuration.md")
HEAD = """\
# Configuration

`content-workflow` reads the environment once, at start. It refuses to start with a wrong value, and names every wrong
variable in a line of its own; what is wrong inside `MONGODB_URI`, such as an option that does not exist, follows when
the others are right. A variable that is set to nothing counts as not set, and white space around a value is ignored.
(`python docs/configuration.py` writes this page.)

Other variables are described where they are used: `CONTENT_WORKFLOW_TOKEN` of [`mcp`](cli.md),
`PROMETHEUS_MULTIPROC_DIR` of [metrics](operations.md#metrics), OpenTelemetry's own of [traces](operations.md#traces),
and `TMPDIR`, where [long bodies and answers](deployment.md#what-one-client-can-do-without-a-proxy) wait.

| Variable | Default | Meaning |
|---|---|---|
"""


def page() -> str:
    """Returns the page."""
    return HEAD + "".join(
        f"| `{setting.validation_alias}` | {_shown(setting)} | {setting.description} |\n"
        for setting in Settings.model_fields.values()
    )


def _shown(setting: Any) -> str:
    if setting.is_required():
        return "required"
    default = setting.default
    if isinstance(default, bool):
        return f"`{int(default)}`"
    if isinstance(default, tuple):
        default = ",".join(default)
    return f"`{default}`" if default != "" else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
