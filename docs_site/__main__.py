"""Writes the generated parts of `docs/` anew, and gathers the sources of the site: `python -m docs_site`."""

from docs_site.generated import COMMITTED
from docs_site.sources import SOURCES, gather

for path, make in COMMITTED.items():
    path.write_text(make(path.read_text("utf-8")), "utf-8")
gather(SOURCES)
