"""What is decided: pure functions and tables on plain data; no clock, no database, no HTTP."""
