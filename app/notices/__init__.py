"""The inbox of what waits for somebody, and notices by e-mail, Slack and calendar (decisions, section 19).

Needs `documents` and `review`. It adds `get_inbox`, a consumer of relayed events, and the job that sends.
"""
