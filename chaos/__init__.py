"""`make chaos`: the service under failures.

Clients use a replica set of three, servers and workers, while a nemesis kills, freezes and steps them down. Afterwards
a checker looks in what was recorded for anything that is lost, doubled or out of order.
"""
