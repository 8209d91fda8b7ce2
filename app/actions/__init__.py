"""The list of what can be done with a document now, and why the rest is refused (decisions, section 11).

Needs the gates of all features; it has no rule of its own.
"""
