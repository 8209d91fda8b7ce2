"""Review threads on passages, suggestions, rounds of changes, and links for outsiders (decisions, section 17).

Needs `documents` and `sections`. It adds gates of submit, approve, schedule and publish.
"""
