"""Hooks of schemathesis: it knows bodies of every type of picture but one."""

import schemathesis

schemathesis.serializer.alias("image/avif", "image/png")
