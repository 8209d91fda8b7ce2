"""Documents: their record, lists, content, versions, statuses, publishing and trash (decisions, section 5).

Needs `core`, `projects`, `categories` and `publications`. A document also holds its brief: the state of the brief and
what a claim guards are here, the operations on briefs in `briefs`.
"""
