"""What all contests share.

==============  ==============================================================
data            data sets: read from a folder, scaled, split, in float32
process         work in a fresh process, and its peak memory
timing          turns, minimum and spread, means
records         a JSON line for each measurement, with machine, versions, commit
markdown        tables and numbers as text
page            pages from records; none from uncommitted changes
contest         what a contest is: tables, data sets, pages
command         ``python -m benchmarks CONTEST``
solvers         linear solvers behind one interface; peers: LIBLINEAR, scikit-learn
objectives      what the linear solvers are judged by
ladder          time to the optimum along ladders of tolerances
before_after    two installed versions of polymargin, in turns
==============  ==============================================================
"""
