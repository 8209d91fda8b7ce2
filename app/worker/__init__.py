"""The worker does the background work: it relays events, sends webhooks and publishes scheduled documents.

`Worker` runs the jobs of `jobs.py`, each in a thread of its own. Any number of workers may run at once, as a process
(`content-workflow worker`) or inside `serve`: shared work is leased in MongoDB, or done by atomic writes.
"""
