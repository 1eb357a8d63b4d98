"""Losses of examples, from their scores."""

import numpy as np


def crammer_singer_losses(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return ``max_m (e^m + s_m) - s_y`` of every row of scores."""
    rows = np.arange(len(labels))
    own = scores[rows, labels]
    with_margin = scores + 1.0
    with_margin[rows, labels] = own
    return with_margin.max(axis=1) - own
