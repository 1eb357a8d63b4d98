"""How far training examples are from their target margins, and what follows from it.

Dogan, Glasmachers and Igel (004, section 5) bound the risk of a multi-class machine by
the sum of its target margin violations,

    z_ic = [gamma - s_{y_i}(x_i) + s_c(x_i)]_+      for all c other than y_i.

With gamma = 1 that sum is what Weston-Watkins minimises beside the norm; Crammer-Singer
minimises the largest of each example instead. The bound holds for all machines.
"""

from itertools import combinations
from math import e, log, log2, sqrt

import numpy as np


def margin_violations(scores, labels, margin: float = 1.0) -> np.ndarray:
    """Return the target margin violations of every example for every class.

    Parameters
    ----------
    scores : array-like of shape (n_rows, n_classes)
        Of the training rows.
    labels : array-like of int of shape (n_rows,)
        The class of each, by column.
    margin : float
        The target, gamma.

    Returns
    -------
    violations : ndarray of shape (n_rows, n_classes)
        Zero for an example's own class. The sum of all is ``|z|_1`` of (6) and (7).

    Examples
    --------
    >>> margin_violations([[2.0, 0.5, -1.0], [0.0, 0.0, 0.0]], [0, 2]).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    scores = np.asarray(scores, dtype=np.float64)
    labels = np.asarray(labels)
    if scores.ndim != 2 or labels.shape != scores.shape[:1]:
        raise ValueError(
            f"scores of shape {scores.shape} and labels of shape {labels.shape} do not "
            "match; pass a row of scores for each label."
        )
    if not margin > 0:
        raise ValueError(f"margin={margin} must be positive.")
    rows = np.arange(len(labels))
    violations = margin - scores[rows, labels][:, None] + scores
    violations[rows, labels] = 0.0
    return np.maximum(violations, 0.0)


def binary_risk_bound(
    violation_sum: float,
    size: int,
    fat: float,
    width: float,
    *,
    margin: float = 1.0,
    eta: float = 1.0,
    delta: float = 0.05,
) -> float:
    """Return the bound of theorem 1 of 004 on the risk of one decision function.

    Parameters
    ----------
    violation_sum : float
        ``|z|_1`` of the examples of two classes.
    size : int
        How many examples they have.
    fat : float
        The fat-shattering dimension of the functions at margin / 16. Nobody computes
        it: it has to be given, or bounded.
    width : float
        b - a, of the range of the functions.
    margin, eta, delta : float
        The target margin, the scaling of the output range, and the probability with
        which the bound may fail.
    """
    spread = 2 * (sqrt(violation_sum * width) + eta) / margin
    first = log2(65 * size * (1 + spread) ** 3) * log2(9 * e * size * (1 + spread))
    last = log2(64 * size**1.5 * width / (delta * eta))
    return 2 / size * ((fat + 64 * spread**2) * first + last)


def risk_bound(
    scores,
    labels,
    fat: float,
    *,
    width: float | None = None,
    margin: float = 1.0,
    eta: float = 1.0,
    delta: float = 0.05,
) -> float:
    """Return bound (6) of 004 on the risk of a multi-class machine.

    It is a sum over the pairs of classes, and far above one for all data of ordinary
    size: it is for comparing machines, not for promises.

    Parameters
    ----------
    scores : array-like of shape (n_rows, n_classes)
        Of the training rows.
    labels : array-like of int of shape (n_rows,)
    fat : float
        The largest fat-shattering dimension of a difference of two scores, at
        margin / 16.
    width : float or None
        b - a, of the range of these differences; None takes the range that was seen.
    margin, eta, delta : float
        As for `binary_risk_bound`.
    """
    violations = margin_violations(scores, labels, margin)
    scores, labels = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    size, classes = scores.shape
    if width is None:
        width = 2 * float(np.ptp(scores, axis=1).max())
    sizes = np.bincount(labels, minlength=classes)
    frequency = sqrt((log(classes * (classes - 1)) - log(delta)) / (2 * size))
    total = 0.0
    for c, other in combinations(range(classes), 2):
        both = int(sizes[c] + sizes[other])
        if both == 0:
            continue
        violation_sum = violations[labels == c, other].sum()
        violation_sum += violations[labels == other, c].sum()
        # Half of delta is spent on the frequencies of the classes.
        risk = binary_risk_bound(
            float(violation_sum),
            both,
            fat,
            width,
            margin=margin,
            eta=eta,
            delta=delta / 2,
        )
        total += (both / size + frequency) * risk
    return total


def leading_terms(violation_sum: float, size: int, classes: int, fat: float) -> float:
    """Return (7) of 004 for a margin of one: the bound without its logarithms."""
    return (classes * (classes - 1) * fat + violation_sum) / size
