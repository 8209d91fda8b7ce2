"""The work packet: all that a writer needs in one answer (decisions, section 12).

Needs `documents`, `checks`, `sections` and `review`. Claims answer it on request.
"""
