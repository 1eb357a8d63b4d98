"""Benchmarks of polymargin beside the solvers people use today."""
