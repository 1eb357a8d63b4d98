"""Tables and figures of the five papers, one configuration (TOML) for each.

=============== =======================================================
configuration   what a configuration says, and where they are
claims          what a paper claims, and whether it holds here
comparing       carries a configuration out with `polymargin.compare`
compared        the tables of a paper that are such comparisons
quantities      numbers here and there, tables of both, who is ahead
sections        tables of other kinds
following       drivers that are looked at between visits, for figures
curves          tables and figures of such runs
sequential_dual Keerthi et al.; simplex_projection: Blondel et al.; thesis
schemes         what is measured for the thesis, with reduced and relative_change
kernel_page     the page of Dogan et al.
contest         ``docs/papers.md``, the summary, above the page of each paper
=============== =======================================================

A page of a paper is a `PaperPage` with its `claims`, in `contest.PAGES`. A claim has
its words, the paper's numbers, and a function that judges it from the records.
"""

from .contest import CONTEST

__all__ = ["CONTEST"]
