"""What all doors on HTTP share: who calls, limits, request ids, headers, errors as JSON."""
