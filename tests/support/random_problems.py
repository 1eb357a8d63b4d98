"""Random problems of any shape and scale, and what rounding is relative to there."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from problems import augmented, class_weights, has_variable, pair_of


@st.composite
def random_problems(draw):
    """X, y and C_i: any shape and scale, with twins, contradictions and empty rows."""
    n = draw(st.integers(2, 40))
    d = draw(st.integers(1, 12))
    k = draw(st.integers(2, 6) | st.just(70))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d)) * 10.0 ** draw(st.integers(-3, 3))
    X *= rng.random((n, d)) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    if draw(st.booleans()):
        X *= 10.0 ** rng.integers(-2, 3, size=d)
    y = rng.integers(k, size=n)
    if draw(st.booleans()):  # duplicates, half of them with another label
        twins = rng.integers(n, size=n // 2)
        X[: n // 2] = X[twins]
    if draw(st.booleans()):
        X[rng.random(n) < 0.3] = 0
    y[:2] = 0, 1
    weights = None
    if draw(st.booleans()):
        weights = rng.choice([0.0, 0.1, 1.0, 3.0], size=n)
        weights[0] = 1
    if draw(st.booleans()):
        X = sp.csr_array(X)
    return X, y, weights


def size_of_terms(model, X, y, loss_weights, W=None):
    """What rounding is relative to: dual variables, and C_i times scores around one."""
    W = class_weights(model) if W is None else W
    scores = np.abs(augmented(model, X)) @ np.abs(W).T
    if pair_of(model)[0] == "ovo":
        labels = np.searchsorted(model.classes_, y)
        scores *= has_variable("ovo", labels, scores.shape[1])
    return np.abs(model.dual_coef_).sum() + np.sum(
        loss_weights * (1 + scores.sum(axis=1))
    )
