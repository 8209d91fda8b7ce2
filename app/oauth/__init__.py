"""Connecting by OAuth: what clients read and send. What people see is in the console (decisions, section 16)."""
