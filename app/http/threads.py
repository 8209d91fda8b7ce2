"""How many threads a server process has; a module of its own, as `serve` starts processes before it imports Flask."""

THREADS = 200
"""Maximum number of threads that answer requests in each process. The server starts them as they are needed."""
