"""Code that the interfaces on HTTP share: callers, limits, request ids, headers, errors as JSON."""
