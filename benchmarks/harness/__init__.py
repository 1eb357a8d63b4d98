"""What all contests share.

==============  ==============================================================
data            data sets: read from a folder, scaled, split, in float32
process         work in a fresh process, and its peak memory
timing          turns, minimum and spread, means
records         a JSON line for each measurement, with machine, versions, commit
markdown        tables and numbers as text
page            pages from records; none from uncommitted changes
race            fits side by side, and the tables of them
figure          rows of dots, curves
contest         what a contest is: tables, data sets, a figure, a verdict
sheet           the two pages of all contests: figures first, tables behind
command         ``python -m benchmarks CONTEST``
objectives      what linear machines are judged by
before_after    two installed versions of polymargin, in turns
==============  ==============================================================
"""
