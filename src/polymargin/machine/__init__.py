"""WHAT is solved: the machines, one row each, and the problem a fit states."""
