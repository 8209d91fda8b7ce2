"""Additions of guards to the command line."""
