"""The only code that speaks MongoDB; every method takes the project's id first."""
