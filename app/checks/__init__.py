"""Checks of a document before review (decisions, section 12).

Needs `documents`. It adds `check_document`, and a gate of submit where the project demands checks.
"""
