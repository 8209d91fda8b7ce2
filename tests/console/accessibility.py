"""axe-core on a page of the console, in light and in dark."""

from pathlib import Path
from typing import Any

from tests.clients.npm import installed
from tests.console.browser import Window

AXE = Path(__file__).parent / "axe"
RUN_AXE = """
const done = arguments[arguments.length - 1];
const places = (one) => one.nodes.map((node) => node.target.join(" "));
const options = { ...arguments[0], resultTypes: ["violations"] };
axe.run(options).then((found) => done(found.violations.map((one) => [one.id, places(one)])));
"""
COLOURS = {"runOnly": ["color-contrast"]}
"""What differs between the schemes."""


class Examiner:
    """Collects the problems of pages, by their names."""

    def __init__(self, window: Window) -> None:
        self.window, self.found = window, dict[str, Any]()
        self._axe = (installed(AXE, "the accessibility of the console") / "axe-core" / "axe.min.js").read_text("utf-8")

    def examine(self, name: str) -> None:
        """Looks at the page that is shown."""
        for scheme, script, options in (("light", self._axe + RUN_AXE, {}), ("dark", RUN_AXE, COLOURS)):
            self.window.in_scheme(scheme)
            if problems := self.window.chrome.execute_async_script(script, options):
                self.found[f"{name} in {scheme}"] = problems
