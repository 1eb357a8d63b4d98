"""Reduced features need memory for the pairs that occur, not for all weights."""

import numpy as np
import peak_memory
import pytest
import scipy.sparse as sp
from reduced import fit_reduced, occurring


def test_few_weights_where_classes_have_features_of_their_own():
    n, d, k = 500, 10_000, 100
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    own = y[:, None] * (d // k) + rng.integers(d // k, size=(n, 10))
    common = rng.integers(20, size=(n, 2))
    indices = np.hstack([own, common]).ravel()
    X = sp.csr_array((np.ones(len(indices)), indices, np.arange(n + 1) * 12), (n, d))
    X.sum_duplicates()
    for machine, loss in (("cs", "hinge"), ("maxent", "log")):
        model = fit_reduced(machine, loss, X, y, tol=1e-2)
        kept = occurring(model, X, y, np.ones(n))[:, :d].sum()
        assert model.n_parameters_ == (kept, d * k)
        assert kept <= n * 12
        coef = model.coef_
        assert coef.data.nbytes == 8 * kept
        held = coef.data.nbytes + coef.indices.nbytes + coef.indptr.nbytes
        assert held < 8 * d * k / 50


PEAK = """
    import sys
    import numpy as np, scipy.sparse as sp
    from peak_memory import peak
    from polymargin import LinearSVM

    n, d, k = 1000, 200_000, 200
    rng = np.random.default_rng(0)
    y = np.arange(n) % k
    indices = y[:, None] * (d // k) + rng.integers(d // k, size=(n, 10))
    X = sp.csr_array((np.ones(10 * n), indices.ravel(), np.arange(n + 1) * 10), (n, d))
    X.sum_duplicates()
    model = LinearSVM(features=sys.argv[1], random_state=0)
    model.fit(X[:400, :1000], y[:400])  # imports what is imported late
    before = peak()
    model.fit(X, y)
    print((peak() - before) / (8 * d * k))
"""


@pytest.mark.skipif(not peak_memory.KNOWN, reason="needs Linux")
def test_peak(run_python, helpers_on_path):
    """As a share of all weights; a bit for each of them is 1/64."""
    assert float(run_python(PEAK, "reduced", env=helpers_on_path)) < 0.2
    assert float(run_python(PEAK, "full", env=helpers_on_path)) > 0.9
