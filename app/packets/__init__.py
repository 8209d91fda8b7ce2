"""The work packet: all that a writer needs in one answer (decisions, section 12).

Needs `documents` and `actions`; checks, sections and review add their parts to it. Claims answer it on request.
"""
