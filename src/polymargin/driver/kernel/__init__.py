"""Drivers of machines with kernels, which keep scores."""
