"""How it is kept: the only code that speaks MongoDB; every method takes the project's id first."""
