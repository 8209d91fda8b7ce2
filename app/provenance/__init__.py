"""Who wrote each paragraph, the record of a person's review, and disclosure of AI (decisions, section 18).

Needs `documents` and `checks`. It adds a gate of approve, and the disclosure of publications.
"""
