"""Planning many documents in one request or from a table (decisions, section 14).

Needs `documents`, `briefs` and `intents`. It adds `plan_documents`.
"""
