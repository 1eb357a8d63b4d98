"""Which parameters, which machine: paths, searches, comparisons, tests."""
