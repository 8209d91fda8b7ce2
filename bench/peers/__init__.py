"""The service beside other content systems, as somebody who chooses one would run each."""
