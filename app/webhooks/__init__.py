"""Webhooks: events sent to the URLs of integrators (decisions, section 9).

Needs `events`. It adds the routes of `/webhooks`, a consumer of relayed events, and the job that sends.
"""
