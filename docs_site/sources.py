"""Gathers the pages of the site in one folder: `docs/`, the pages at the top of the repository, generated ones."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from docs_site.generated import DOCS, MADE

TOP = DOCS.parent
SOURCES = TOP / "build" / "docs-source"
MERMAID = Path(__file__).parent / "node_modules/mermaid/dist/mermaid.min.js"

BESIDE = {
    "README.md": "index.md",
    **{name: name.lower() for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")},
}
"""Pages at the top of the repository -> where they stand in the site."""
BESIDE["SECURITY.md"] = "reporting.md"  # `docs/security.md` has the other name


def gather(folder: Path) -> None:
    """Writes the sources of the site into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder)
    for name, where in BESIDE.items():
        (folder / where).write_text((TOP / name).read_text("utf-8").replace("](docs/", "]("), "utf-8")
    for where, make in MADE.items():
        (folder / where).parent.mkdir(exist_ok=True)
        (folder / where).write_text(make(), "utf-8")
    for page in folder.rglob("*.md"):
        page.write_text(_linked(page.read_text("utf-8")), "utf-8")
    if MERMAID.exists():
        shutil.copy(MERMAID, folder / MERMAID.name)


def _linked(markdown: str) -> str:
    """Points links at the pages' places in the site; what has no place there keeps its words alone."""
    for name, where in BESIDE.items():
        markdown = re.sub(rf"\]\((?:\.\./)?{re.escape(name)}", f"]({where}", markdown)
    return re.sub(r"\[([^\]]+)\]\((?:\.\./)?(?:clients|examples|tests|LICENSE)\b[^)]*\)", r"\1", markdown)
