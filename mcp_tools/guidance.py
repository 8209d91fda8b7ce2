"""What agents read besides the operations' descriptions: how the tools work together, and what to call next."""

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent

INSTRUCTIONS = (FOLDER / "instructions.md").read_text()
"""What the server says of itself and of all of its tools, as every client shows it to its model."""

BY_TOOL: dict[str, dict[str, Any]] = tomllib.loads((FOLDER / "tools.toml").read_text())
"""What MCP adds to the declaration of each operation."""

DESCRIBED_IN: dict[str, str] = {tool: one["arguments_as"] for tool, one in BY_TOOL.items() if "arguments_as" in one}
"""Tools whose arguments another tool describes: they leave out the descriptions that are the same there."""

NEXT: dict[str, str] = {tool: one["next"] for tool, one in BY_TOOL.items() if "next" in one}
"""What to call next, by tool; a tool that is missing here has only its operation's description."""

EACH_CALL_COUNTS = frozenset({"renew_claim", "rotate_token", "rotate_webhook_secret"})
"""Operations on one record that have another effect when they are repeated."""
