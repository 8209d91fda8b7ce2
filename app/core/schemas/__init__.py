"""Schemas of requests: the contract's field tables, and the only place where a limit is written."""
