"""WHERE rows come from: arrays in place, kernels and their rows, stores on disk."""
