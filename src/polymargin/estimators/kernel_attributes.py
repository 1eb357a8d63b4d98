"""What an estimator with a kernel shows of its model, exact or of low rank."""

import numpy as np

from ..access.gram import Gram
from ..access.precomputed import Positions
from ..driver.low_rank import LowRank
from ..machine.problem import Problem
from ..prediction.expansion import Expansion, fast_coefficients


def exact_attributes(gram: Gram, X, problem: Problem, coefficients) -> dict:
    """Return the attributes of a model whose rows, those of `X`, have coefficients."""
    support = np.flatnonzero(np.diff(coefficients.indptr))
    dual_coef = coefficients[support]
    fast = fast_coefficients(dual_coef)
    if not problem.machine.formulation.by_pairs:
        fast = dual_coef = dual_coef.toarray()
    vectors = np.empty((0, 0), dtype=gram.kernel.dtype)
    if not isinstance(gram.points, Positions):
        vectors = X[support]
    labels = problem.labels - problem.labels.min()  # a binary problem begins at -1
    return {
        "_expansion": Expansion(gram.kernel, gram.points.keep(support), fast),
        "dual_coef_": dual_coef,
        "support_": support,
        "support_vectors_": vectors,
        "n_support_": np.bincount(labels[support], minlength=labels.max() + 1),
    }


def low_rank_attributes(low_rank: LowRank, last: bool) -> dict:
    """Return the attributes of a model on features; its driver ends with the last."""
    driver = low_rank.driver
    weights = driver.release_weights() if last else driver.weights()
    expansion = Expansion.on_landmarks(low_rank.features, weights)
    return {
        "_expansion": expansion,
        "dual_coef_": expansion.coefficients,
        "solver_": low_rank.solver,
        "n_kernel_evaluations_": low_rank.n_kernel_evaluations,
    }
