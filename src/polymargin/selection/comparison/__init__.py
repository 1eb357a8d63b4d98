"""Comparisons of machines: data sets x machines x protocol -> tables and a report.

=============== ======================================================
data            data sets by name, from files and from arrays
machines        names become estimators
splits          which rows are for what
search          the search for parameters
tasks           every fit there is to do
fits            one fit
convergence     a fit that is watched
folder          where fits are kept, so that work can go on
progress        what is shown meanwhile
summary         rows of fits become tables and tests
report          text, CSV and Markdown
page            the HTML page
figures         its plots
run             `compare`, all of it together
=============== ======================================================
"""

from .report import Report
from .run import compare

__all__ = ["Report", "compare"]
