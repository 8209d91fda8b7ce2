"""The feed of events, and the activity of a document (decisions, section 9).

Needs `core`, whose outbox it reads. It adds the routes of `/events`, and consumes relayed events.
"""
