"""Tables and figures of the five papers, one configuration (TOML) for each.

============== ========================================================
configuration  what a configuration says, and where they are
comparing      carries one out with `polymargin.compare`
sections       its numbers beside those of the paper
verdicts       where the two agree
page           ``docs/papers.md``: all of it, and what is elsewhere
============== ========================================================

``python -m benchmarks.papers --list`` shows them; those that are no comparisons of
machines name the program that repeats them.
"""
