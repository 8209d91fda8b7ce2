"""What callers get back: the TypedDict that declares each response, and the function that builds it, side by side."""
