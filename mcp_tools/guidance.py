"""What agents read besides the operations' descriptions: how the tools work together, and what to call next.

Sets of tools are for clients whose work needs few of them: `/mcp?toolset=writing`, `mcp --toolset writing`.
"""

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

ALL = "all"

TOOLSETS: dict[str, list[str]] = {
    toolset: [tool for tool, one in BY_TOOL.items() if toolset in one["toolsets"]]
    for toolset in ("writing", "planning", "reviewing", "admin")
}
"""The tools of each set, of which a token sees those of its scopes; the set `all` holds every tool."""

NAMES = (*TOOLSETS, ALL)


def holds(toolset: str, tool: str) -> bool:
    """Returns whether a set offers a tool."""
    return toolset == ALL or tool in TOOLSETS[toolset]


def sets_with(tool: str) -> str:
    """Returns the names of the sets that offer a tool."""
    return ", ".join(f"`{toolset}`" for toolset in BY_TOOL[tool]["toolsets"])
