"""The outline of a document, and edits of single sections (decisions, section 12).

Needs `documents`. It adds operations, and the outline to the work packet.
"""
