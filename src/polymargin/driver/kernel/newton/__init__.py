"""Newton steps for machines with kernels."""
