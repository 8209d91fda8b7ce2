"""Categories and clusters, under which documents are filed (contract: Intent; decisions, sections 4 and 5).

Needs `core` and `projects`. They are made by confirming drafts (`intents`).
"""
