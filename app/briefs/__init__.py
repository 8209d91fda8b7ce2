"""Briefs: written, offered, claimed by exactly one token, released (contract: Briefs; decisions, section 6).

Needs `documents`, whose records hold the briefs.
"""
