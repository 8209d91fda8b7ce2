"""What can be done: one function a use case; `catalogue.py` lists those that callers are served."""
