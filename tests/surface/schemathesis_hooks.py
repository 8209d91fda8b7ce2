"""Hooks of schemathesis: it knows bodies of every type of picture but one, and none of NDJSON."""

import schemathesis

schemathesis.serializer.alias("image/avif", "image/png")
schemathesis.serializer.alias("application/x-ndjson", "application/octet-stream")
