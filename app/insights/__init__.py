"""Daily figures of a project's work (decisions, section 14).

Needs `core`. It adds `get_insights`, and consumes relayed events.
"""
