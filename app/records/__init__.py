"""What callers get back: for each record a schema that documents it and the function that builds it, side by side."""
