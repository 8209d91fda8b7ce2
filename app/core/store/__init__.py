"""The only code that speaks MongoDB; a method on the records of a project takes its id first."""
