"""Tables and figures of the five papers, one configuration (TOML) for each.

============== ========================================================
configuration  what a configuration says, and where they are
comparing      carries one out with `polymargin.compare`
quantities     numbers here and there, tables of both, who is ahead
sections       tables of other kinds
convergence    figure 3 of 000; schemes: 003; reduced: 003; decomposition: 004
contest        ``docs/papers.md`` and the pages beside it
============== ========================================================
"""

from .contest import CONTEST

__all__ = ["CONTEST"]
