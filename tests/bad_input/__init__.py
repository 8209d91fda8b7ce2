"""A campaign of wrong inputs to every interface: each is accepted or refused as documented, soon, and changes nothing.

`make fuzz` runs it; `INPUTS`, `SEED`, `TARGET` and `FIRST` choose what.
"""
