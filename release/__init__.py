"""Makes a release, and tries its package outside of the checkout (docs/releasing.md)."""
