"""The site of the docs, made by Zensical from `docs/` and from what the code itself says: `make docs`."""
