"""Drafts of documents, clusters and categories, and their confirmation (contract: Intents; decisions, section 4).

Needs `documents` and `categories`, whose records a confirmation creates.
"""
