"""What can be done: one function a use case, listed in `catalogue.py`; each takes who, which, what."""
