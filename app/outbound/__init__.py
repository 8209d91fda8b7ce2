"""Requests to addresses that projects name, and queues of messages to them.

Needs `core`. It adds nothing by itself: `webhooks`, `notices` and `oauth` use it.
"""
