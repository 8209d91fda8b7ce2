"""The worker: what happens without anybody asking. Events are relayed, webhooks sent, scheduled documents published.

`Worker` runs the jobs of `jobs.py`, each in a thread of its own. Any number of workers may run at once, alone
(`content-workflow worker`) or inside `serve`: what they share is leased in MongoDB, or done by atomic writes.
"""
