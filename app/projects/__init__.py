"""Projects, members, tokens and invitations, and who calls (decisions, section 2).

Needs `core`. Every other folder needs it, since each record belongs to a project.
"""
